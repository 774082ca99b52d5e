/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_KERNEL_SPANS_H
#define DML_KERNEL_SPANS_H

#include "dml-trace-faults.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// When a GPU ran a kernel, a copy or a fill, by its record.
struct KernelSpan
{
    uint32_t device{0};      //!< number or text of the GPU
    uint32_t stream{0};      //!< likewise of the stream on it
    uint64_t correlation{0}; //!< of the call that launched it, or 0
    int64_t start{0};        //!< ns
    int64_t* end{nullptr};   //!< ns, at least `start`; may be changed
};

/**
 * @ingroup dml-import
 * @brief Let kernels end when the next one on their stream begins.
 *
 * A stream runs one kernel after another; some tracers (ROCm's) write ends that are seconds late.
 * Kernels of one call, as of a CUDA graph, may run at the same time.
 *
 * @param spans all kernels of a trace
 * @param faults gets those that are more than 1 us too long, more than rounding explains
 */
void CutLongKernels(std::vector<KernelSpan> spans, TraceFaults& faults);

} // namespace ns3::dml

#endif /* DML_KERNEL_SPANS_H */
