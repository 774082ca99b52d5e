/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_STEP_MEMORY_H
#define DML_TORCH_STEP_MEMORY_H

#include "dml-torch-step-anatomy.h"
#include "dml-torch-trace.h"

#include "ns3/dml-op.h"

#include <vector>

namespace ns3::dml
{

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

} // namespace ns3::dml

#endif /* DML_TORCH_STEP_MEMORY_H */
