/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_STEP_OPS_H
#define DML_TORCH_STEP_OPS_H

#include "dml-torch-step-anatomy.h"
#include "dml-torch-step-tensors.h"
#include "dml-torch-trace.h"

#include "ns3/dml-measured-job.h"
#include "ns3/dml-op.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/// The backward passes of a step.
struct TorchPasses
{
    uint32_t passes{1};    //!< of micro-batches; 1 if it accumulates no gradients over several
    uint64_t repeated{0};  //!< accumulations that a later pass repeats
    bool recognized{true}; //!< all passes complete the same gradients
};

/**
 * @ingroup dml-import
 * @brief Make one gradient of the accumulations that the passes of a step repeat.
 *
 * A step may run forward and back several times, on one micro-batch each, before the optimizer's
 * step. A pass starts with a forward op after an accumulation; in a trace without sequence numbers,
 * where forward ops are known by name only, also with an op of a kind that takes a weight. If no
 * optimizer's step is between them and each has as many accumulations of every kind (kind of
 * forward op, autograd node, shape and element type; without sequence numbers: autograd node and
 * shape), those of the last pass complete the gradients, in the same order within a kind, and
 * belong to the forward ops of the first pass. Those of earlier passes become autograd nodes,
 * `backward/OP_n/AccumulateGrad`.
 *
 * @param trace a trace, nested
 * @param anatomy which has taken the step apart
 * @param step the step; it stays as it is if it has one pass or they are not recognized
 * @return what was found
 */
TorchPasses MergeTorchPasses(const TorchTrace& trace,
                             const TorchStepAnatomy& anatomy,
                             TorchStep& step);

/**
 * @ingroup dml-import
 * @brief Find what the parts of a step hold, from the allocator's records that PyTorch's profiler
 * makes with profile_memory=True: of the GPU where the trace has kernels, else of the CPU.
 *
 * - A block that comes in a forward part and goes in the backward pass is an activation of the
 *   forward op whose node ran last before it went: autograd releases what a node needed when that
 *   has run. One that goes later is one of the op in which it came.
 * - A block that comes in no forward part and stays until the last accumulation has run is no
 *   workspace: a gradient, or the input.
 * - All else that is there while a part runs is its workspace: an activation, too, in the parts
 *   before the one that keeps it.
 *
 * What was there before the step, as inputs, and what an op hands on are not known.
 *
 * @param trace what was recorded
 * @param step one of its steps, of one pass
 * @return what each part holds; empty if the trace has no such records in the step
 */
std::vector<OpMemory> FindTorchMemory(const TorchTrace& trace, const TorchStep& step);

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

#endif /* DML_TORCH_STEP_OPS_H */
