/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TORCH_PASSES_H
#define DML_TORCH_PASSES_H

#include "dml-torch-step-anatomy.h"
#include "dml-torch-trace.h"

#include <cstdint>

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

} // namespace ns3::dml

#endif /* DML_TORCH_PASSES_H */
