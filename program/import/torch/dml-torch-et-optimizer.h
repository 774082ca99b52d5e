/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_OPTIMIZER_H
#define DML_TORCH_ET_OPTIMIZER_H

#include "dml-torch-et-graph.h"
#include "dml-torch-et-parameters.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Find the parameters that an operator changes in place.
 * @param op an outermost operator
 * @param nodes of the trace, by id
 * @param parameters of the model
 * @return indices of parameters
 */
std::set<TensorIndex> FindTorchEtChanges(const TorchEtOp& op,
                                         const std::vector<TorchEtNode>& nodes,
                                         const TorchEtParameters& parameters);

/**
 * @ingroup dml-import
 * @brief Share the time of a step's optimizer among the parameters.
 *
 * An operator that changes parameters counts to these by their size; one that changes none, such as
 * that of a momentum, counts to all parameters of the step by their size.
 * @param optimizer outermost operators
 * @param nodes of the trace, by id
 * @param parameters of the model
 * @param ready parameters that have a gradient in the step
 * @param place of the step in messages
 * @return ns for each parameter, 0 for those without a gradient; if any has one, their sum is that
 * of the operators
 * @throws InputError if the operators take more than 1e6 s together
 */
std::vector<int64_t> ShareTorchEtOptimizer(const std::vector<TorchEtOp>& optimizer,
                                           const std::vector<TorchEtNode>& nodes,
                                           const TorchEtParameters& parameters,
                                           const std::vector<TensorIndex>& ready,
                                           const std::string& place);

} // namespace ns3::dml

#endif /* DML_TORCH_ET_OPTIMIZER_H */
