/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_END_TIME_ERROR_H
#define DML_END_TIME_ERROR_H

#include "dml-stream-model.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief How far predicted ends of downlink streams are from the recorded ones, relative.
 *
 * As in Table 1 of Li et al., ICPE 2020. The paper does not print what it divides by; here it is
 * the recorded end, counted like the prediction from the first request of the group, so that the
 * error of a stream is abs(predicted - recorded) / recorded.
 */
struct EndTimeError
{
    std::size_t streams{0}; //!< number of downlink streams with a recorded end above 0
    double average{0};      //!< mean; NaN if there are no streams, as the others
    double median{0};       //!< between order statistics, linearly
    double percentile95{0}; //!< between order statistics, linearly
    double maximum{0};      //!< largest
};

/**
 * @brief A quantile, linearly between order statistics.
 * @param values any order
 * @param fraction 0 to 1
 * @return the quantile, NaN if there are no values
 */
double GetQuantile(std::vector<double> values, double fraction);

/**
 * @brief Compare predicted with recorded ends.
 * @param groups uplinks are left out
 * @param link the prediction's parameters
 * @return the errors
 * @throws InputError as PredictStreams()
 */
EndTimeError ComputeEndTimeError(const std::vector<StreamGroup>& groups, const LinkModel& link);

} // namespace ns3::dml

#endif /* DML_END_TIME_ERROR_H */
