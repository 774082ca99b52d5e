/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-group.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// A time on a machine's clock, ns, and the group that it belongs to.
using End = std::pair<int64_t, std::size_t>;
/// Machine and step.
using Place = std::pair<std::string, uint32_t>;

/// @param at seconds from the origin of @p group; @return ns on the receiver's clock
int64_t
GetTime(const StreamGroup& group, double at)
{
    return group.origin + std::llround(1e9 * at);
}

/// @return start and end of the times in which @p slots of @p computes ran, in order
std::vector<std::pair<int64_t, int64_t>>
FindBusyTimes(const std::vector<const RecordedCompute*>& computes, uint32_t slots)
{
    std::vector<std::pair<int64_t, int>> changes; // time, +1 or -1
    for (const RecordedCompute* const compute : computes)
    {
        if (compute->end > compute->start)
        {
            changes.emplace_back(compute->start, 1);
            changes.emplace_back(compute->end, -1);
        }
    }
    std::sort(changes.begin(), changes.end()); // an op that follows another at once comes after it
    std::vector<std::pair<int64_t, int64_t>> times;
    uint32_t running = 0;
    for (const auto& [time, change] : changes)
    {
        const bool wasBusy = running >= slots;
        running += change;
        if (!wasBusy && running >= slots)
        {
            times.emplace_back(time, time);
        }
        else if (wasBusy && running < slots)
        {
            times.back().second = time;
        }
    }
    return times;
}

} // namespace

void
SetParserTimes(std::vector<StreamGroup>& groups, const RecordedDevice& device)
{
    std::map<Place, std::vector<const RecordedCompute*>> computes;
    for (const RecordedCompute& compute : device.computes)
    {
        computes[{compute.machine, compute.step}].push_back(&compute);
    }
    std::map<Place, std::vector<std::pair<int64_t, int64_t>>> busy;
    for (const auto& [place, list] : computes)
    {
        busy[place] = FindBusyTimes(list, std::max<uint32_t>(1, device.slots));
    }
    std::map<std::tuple<std::string, uint32_t, bool>, std::vector<End>> ends;
    for (std::size_t g = 0; g < groups.size(); ++g)
    {
        auto& list = ends[{groups[g].receiver, groups[g].step, groups[g].downlink}];
        for (const Stream& stream : groups[g].streams)
        {
            list.emplace_back(GetTime(groups[g], stream.end), g);
        }
    }
    for (auto& [key, list] : ends)
    {
        std::sort(list.begin(), list.end());
    }
    for (std::size_t g = 0; g < groups.size(); ++g)
    {
        StreamGroup& group = groups[g];
        const auto& others = ends.at({group.receiver, group.step, group.downlink});
        const auto& times = busy[{group.receiver, group.step}];
        for (Stream& stream : group.streams)
        {
            const int64_t end = GetTime(group, stream.end);
            stream.parserFree = -std::numeric_limits<double>::infinity();
            for (auto other = std::lower_bound(others.begin(), others.end(), End(end, 0));
                 other != others.begin();)
            {
                if ((--other)->second != g)
                {
                    stream.parserFree = GetSecondsBetween(group.origin, other->first);
                    break;
                }
            }
            stream.deviceFree = stream.parserFree;
            // The last one that began before this end, unless it was still going on then.
            auto time = std::lower_bound(times.begin(), times.end(), std::make_pair(end, end));
            stream.inCompute = 0;
            if (time != times.begin() && std::prev(time)->second > end)
            {
                --time;
                stream.inCompute = std::min(GetSecondsBetween(time->first, end),
                                            GetSecondsBetween(end, time->second));
            }
            if (time != times.begin())
            {
                stream.deviceFree =
                    std::max(stream.deviceFree,
                             GetSecondsBetween(group.origin, std::prev(time)->second));
            }
        }
    }
}

} // namespace ns3::dml
