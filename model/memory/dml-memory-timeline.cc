/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-memory-timeline.h"

#include <algorithm>
#include <numeric>

namespace ns3::dml
{

std::string_view
ToString(MemoryPart part)
{
    constexpr std::array<std::string_view, MEMORY_PARTS> NAMES{"parameters",
                                                               "optimizer state",
                                                               "input",
                                                               "gradients",
                                                               "activations",
                                                               "workspace"};
    return NAMES[static_cast<std::size_t>(part)];
}

uint64_t
MemoryPhase::GetTotal() const
{
    return std::accumulate(live.begin(), live.end(), uint64_t{0});
}

uint64_t
MemoryTimeline::GetPeakBytes() const
{
    return phases.empty() ? 0 : phases[peak].GetTotal();
}

std::vector<LiveRange>
MemoryTimeline::FindLive(std::size_t phase) const
{
    std::vector<LiveRange> live;
    std::copy_if(
        ranges.begin(),
        ranges.end(),
        std::back_inserter(live),
        [phase](const auto& range) { return range.first <= phase && phase <= range.last; });
    std::stable_sort(live.begin(), live.end(), [](const auto& a, const auto& b) {
        return a.bytes > b.bytes;
    });
    return live;
}

void
MemoryTimeline::Sum()
{
    // what comes and goes before each phase; a difference below 0 wraps, and so does the sum
    std::vector<std::array<uint64_t, MEMORY_PARTS>> changes(phases.size() + 1);
    for (const auto& range : ranges)
    {
        changes[range.first][static_cast<std::size_t>(range.part)] += range.bytes;
        changes[range.last + 1][static_cast<std::size_t>(range.part)] -= range.bytes;
    }
    std::array<uint64_t, MEMORY_PARTS> live{};
    peak = 0;
    for (std::size_t i = 0; i < phases.size(); ++i)
    {
        for (std::size_t part = 0; part < MEMORY_PARTS; ++part)
        {
            live[part] += changes[i][part];
        }
        phases[i].live = live;
        peak = phases[i].GetTotal() > phases[peak].GetTotal() ? i : peak;
    }
}

} // namespace ns3::dml
