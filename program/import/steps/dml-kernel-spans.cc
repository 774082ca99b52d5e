/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kernel-spans.h"

#include <algorithm>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Older profilers write whole microseconds.
constexpr int64_t ROUNDED_NS = 1000;

} // namespace

void
CutLongKernels(std::vector<KernelSpan> spans, TraceFaults& faults)
{
    std::sort(spans.begin(), spans.end(), [](const KernelSpan& a, const KernelSpan& b) {
        return std::tie(a.device, a.stream, a.start, *a.end) <
               std::tie(b.device, b.stream, b.start, *b.end);
    });
    // From the last one on: the next one of another call is that of the one behind, or that itself.
    const KernelSpan* next = nullptr;
    const KernelSpan* behind = nullptr;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span)
    {
        if (!behind || behind->device != span->device || behind->stream != span->stream)
        {
            next = nullptr;
        }
        else if (span->correlation == 0 || behind->correlation != span->correlation)
        {
            next = behind;
        }
        behind = &*span;
        if (next && *span->end > next->start)
        {
            const int64_t excess = *span->end - next->start;
            if (excess > ROUNDED_NS)
            {
                faults.Add(TraceFault::LONG_KERNEL, "", excess);
            }
            *span->end = next->start;
        }
    }
}

} // namespace ns3::dml
