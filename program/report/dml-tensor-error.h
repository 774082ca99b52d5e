/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TENSOR_ERROR_H
#define DML_TENSOR_ERROR_H

#include "dml-result-summary.h"

#include "ns3/dml-channel-label.h"

#include <optional>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief How far the completions of the tensors are apart in two engines.
 *
 * The error of a tensor in one direction is its mean completion (TensorMeter) in the engine that
 * predicts minus that in the other one, divided by the mean step of the latter, so that a tensor
 * that is there after a millisecond counts for no more than that; its mean is taken over the
 * replications that both engines ran.
 */
struct TensorError
{
    double median{0};                              //!< of the absolute errors of all transfers
    double p90{0};                                 //!< 90th percentile of these (nearest rank)
    double max{0};                                 //!< largest of these
    double bias{0};                                //!< mean of the errors with their signs
    uint32_t worstTensor{0};                       //!< tensor of the largest
    Direction worstDirection{Direction::DOWNLINK}; //!< its direction
    double worst{0};                               //!< the largest with its sign
    uint32_t pairs{0};                             //!< replications compared
};

/// @param item a configuration @param comparison two engines @return errors of the first; nothing
/// if not both measured it
std::optional<TensorError> ComputeTensorError(const CaseSummary& item,
                                              const EngineComparison& comparison);

} // namespace ns3::dml

#endif /* DML_TENSOR_ERROR_H */
