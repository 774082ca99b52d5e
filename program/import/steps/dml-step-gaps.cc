/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-gaps.h"

#include <algorithm>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// @return when the op ended, ns
int64_t
GetEnd(const MeasuredOp& op)
{
    return op.start + op.duration; // fits: the readers limit both to 4e18 ns
}

/**
 * @brief When each op of a step ran. The record of a transfer may start when it was asked for,
 * which is no time on the wire: it starts when the ops that it waits for have ended.
 * @param step a step
 * @param places its ops by name
 * @return start of each op, ns
 */
std::vector<int64_t>
FindStarts(const MeasuredStep& step, const StepOpPlaces& places)
{
    std::vector<int64_t> starts;
    for (const MeasuredOp& op : step.ops)
    {
        int64_t start = op.start;
        if (IsTransfer(op.kind))
        {
            for (const std::string& dep : op.deps)
            {
                const auto before = places.find(dep);
                if (before != places.end())
                {
                    start = std::max(start, GetEnd(step.ops[before->second]));
                }
            }
            start = std::min(start, GetEnd(op));
        }
        starts.push_back(start);
    }
    return starts;
}

} // namespace

std::vector<StepGap>
FindStepGaps(const MeasuredStep& step, const StepOpPlaces& places)
{
    const std::vector<int64_t> starts = FindStarts(step, places);
    std::vector<std::size_t> order(step.ops.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return starts[a] < starts[b];
    });
    std::vector<StepGap> gaps;
    int64_t end = step.start;
    std::size_t last = StepGap::NOBODY;
    for (const std::size_t i : order)
    {
        const MeasuredOp& op = step.ops[i];
        const int64_t start = std::min(starts[i], step.end);
        if (start > end)
        {
            gaps.push_back({start - end, i});
        }
        if (last == StepGap::NOBODY || GetEnd(op) >= end)
        {
            end = std::max(end, GetEnd(op));
            last = i;
        }
    }
    if (step.end > end)
    {
        gaps.push_back({step.end - end, last});
    }
    return gaps;
}

} // namespace ns3::dml
