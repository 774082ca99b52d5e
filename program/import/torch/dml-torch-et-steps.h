/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_ET_STEPS_H
#define DML_TORCH_ET_STEPS_H

#include "dml-torch-et-node.h"
#include "dml-torch-et-times.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// The time of one training step.
struct TorchEtStep
{
    std::string place; //!< "file: ProfilerStep#3", for messages
    int64_t start{0};  //!< ns
    int64_t end{0};    //!< ns
};

/// The steps of a trace, and how they were found.
struct TorchEtSteps
{
    std::vector<TorchEtStep> steps; //!< by start, none overlaps another
    std::string rule;               //!< what starts and ends a step, one sentence
};

/**
 * @ingroup dml-import
 * @brief Find the training steps of an Execution Trace and its Kineto twin.
 *
 * They are the annotations `ProfilerStep#N` of the Kineto trace; without these a step lasts from
 * the end of an `Optimizer.step` to the end of the next one, the first from the first operator; and
 * without either all of the Execution Trace is one step. Only steps in which operators of the
 * Execution Trace start are kept, as the Kineto trace may have more.
 * @param nodes of the Execution Trace
 * @param times of the Kineto trace
 * @param join which event belongs to each node
 * @param file name of the Execution Trace in messages
 * @return the steps, none if no operator has a time
 * @throws InputError if two annotations overlap
 */
TorchEtSteps FindTorchEtSteps(const std::vector<TorchEtNode>& nodes,
                              const TorchEtTimes& times,
                              const TorchEtJoin& join,
                              const std::string& file);

} // namespace ns3::dml

#endif /* DML_TORCH_ET_STEPS_H */
