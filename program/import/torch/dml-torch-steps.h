/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_STEPS_H
#define DML_TORCH_STEPS_H

#include "dml-torch-trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// The time of one training step.
struct TorchStepTime
{
    std::string place;    //!< "file: ProfilerStep#3", for messages
    int64_t start{0};     //!< ns; on a GPU, which lags behind the host, when its part starts
    int64_t end{0};       //!< ns, after start; on a GPU when its part ends
    int64_t hostStart{0}; //!< ns, when the host starts it
    int64_t hostEnd{0};   //!< ns, when the host ends it
};

/// The steps of a trace, and how they were found.
struct TorchSteps
{
    std::vector<TorchStepTime> steps; //!< by start, none overlaps another
    std::string rule;                 //!< what starts and ends a step, one sentence
};

/**
 * @ingroup dml-import
 * @brief Find the training steps of a trace.
 *
 * They are the annotations `ProfilerStep#N` of torch.profiler's schedule. Without them a step lasts
 * from the end of an `Optimizer.step` to the end of the next one, the first from the first event;
 * without these, from an `Optimizer.zero_grad` to the next one, the last to the last event; and a
 * trace with neither is one step.
 *
 * @param trace a trace, nested
 * @return at least one step
 * @throws InputError if the trace has no events, or two steps overlap
 */
TorchSteps FindTorchSteps(const TorchTrace& trace);

} // namespace ns3::dml

#endif /* DML_TORCH_STEPS_H */
