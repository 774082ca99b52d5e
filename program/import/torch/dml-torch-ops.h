/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_OPS_H
#define DML_TORCH_OPS_H

#include "dml-torch-step-tensors.h"

#include "ns3/dml-measured-job.h"

#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief What the ops of all steps have in common.
 */
struct TorchOpShape
{
    std::string device;          //!< device of the parts
    std::set<std::string> empty; //!< parts that are left out: no step needs them
    bool memory{false}; //!< backward ops wait for the forward op whose activations they need
};

/**
 * @brief Make the ops of a step: pulls, parts, pushes, updates.
 * @param step its parts
 * @param tensors its tensors
 * @param shape what all steps have in common
 * @return the ops, as TorchJobBuilder describes them
 */
MeasuredStep MakeTorchOps(const TorchStep& step,
                          const std::vector<TorchTensor>& tensors,
                          const TorchOpShape& shape);

} // namespace ns3::dml

#endif /* DML_TORCH_OPS_H */
