/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-group.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Overlaps up to this are rounding, in seconds: start and length are whole microseconds.
constexpr double OVERLAP = 2e-6;

/// @throws InputError if @p transfer ends before it starts
void
Check(const RecordedTransfer& transfer)
{
    if (transfer.end < transfer.start)
    {
        throw InputError("transfer of tensor '" + transfer.tensor + "' in step " +
                         std::to_string(transfer.step) + ": found end " +
                         std::to_string(transfer.end) + " ns before start " +
                         std::to_string(transfer.start) + " ns; accepted: an end not before it");
    }
}

/// @return whether no record of the group starts before the one before it has ended
bool
IsSequential(const StreamGroup& group)
{
    return std::adjacent_find(group.streams.begin(),
                              group.streams.end(),
                              [](const Stream& a, const Stream& b) {
                                  return b.request < a.end - OVERLAP;
                              }) == group.streams.end();
}

/// Take all streams of @p group, of @p transfers, as asked for when the first one was, or before it
/// when the first tensor was complete at the sender.
void
SetTogether(StreamGroup& group, const std::vector<RecordedTransfer>& transfers)
{
    int64_t first = group.origin;
    for (const Stream& stream : group.streams)
    {
        const int64_t ready = transfers[stream.record].ready;
        first = ready == RecordedTransfer::UNKNOWN ? first : std::min(first, ready);
    }
    const double later = GetSecondsBetween(first, group.origin);
    const bool moved = later <= group.GetLength();
    for (Stream& stream : group.streams)
    {
        stream.request = 0;
        stream.end += moved ? later : 0;
        stream.lastByte += moved ? later : 0;
    }
    group.origin = moved ? first : group.origin;
    group.together = true;
}

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

/// @param changes times at which ops start (1) and end (-1) @return start and end of the times in
/// which @p slots of them ran, in order
std::vector<std::pair<int64_t, int64_t>>
FindBusyTimes(std::vector<std::pair<int64_t, int>> changes, uint32_t slots)
{
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

double
StreamGroup::GetLength() const
{
    double length = 0;
    for (const Stream& stream : streams)
    {
        length = std::max(length, stream.end);
    }
    return length;
}

double
GetSecondsBetween(int64_t from, int64_t to)
{
    // Differences of unsigned numbers cannot overflow.
    const bool forward = to >= from;
    const uint64_t distance = forward ? static_cast<uint64_t>(to) - static_cast<uint64_t>(from)
                                      : static_cast<uint64_t>(from) - static_cast<uint64_t>(to);
    return (forward ? 1e-9 : -1e-9) * static_cast<double>(distance);
}

std::vector<StreamGroup>
GroupStreams(const std::vector<RecordedTransfer>& transfers)
{
    std::vector<std::size_t> order(transfers.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return transfers[a].start < transfers[b].start;
    });

    std::map<std::string, std::size_t> tensors;
    std::map<std::tuple<uint32_t, bool, std::string, std::string>, StreamGroup> groups;
    for (const std::size_t place : order)
    {
        const RecordedTransfer& transfer = transfers[place];
        Check(transfer);
        StreamGroup& group =
            groups[{transfer.step, !transfer.downlink, transfer.sender, transfer.receiver}];
        if (group.streams.empty())
        {
            group.downlink = transfer.downlink;
            group.step = transfer.step;
            group.sender = transfer.sender;
            group.receiver = transfer.receiver;
            group.origin = transfer.start;
        }
        Stream stream;
        stream.record = place;
        stream.bytes = transfer.bytes;
        stream.request = GetSecondsBetween(group.origin, transfer.start);
        stream.end = GetSecondsBetween(group.origin, transfer.end);
        stream.lastByte = transfer.lastByte == RecordedTransfer::UNKNOWN
                              ? std::numeric_limits<double>::quiet_NaN()
                              : GetSecondsBetween(group.origin, transfer.lastByte);
        stream.tensor = tensors.emplace(transfer.tensor, tensors.size()).first->second;
        group.streams.push_back(stream);
    }

    std::vector<StreamGroup> result;
    result.reserve(groups.size());
    for (auto& [key, group] : groups)
    {
        if (group.downlink && group.streams.size() > 1 && IsSequential(group))
        {
            SetTogether(group, transfers);
        }
        result.push_back(std::move(group));
    }
    return result;
}

void
SetParserTimes(std::vector<StreamGroup>& groups, const RecordedDevice& device)
{
    std::map<Place, std::vector<std::pair<int64_t, int>>> changes;
    for (const RecordedCompute& compute : device.computes)
    {
        if (compute.end > compute.start)
        {
            auto& list = changes[{compute.machine, compute.step}];
            list.emplace_back(compute.start, 1);
            list.emplace_back(compute.end, -1);
        }
    }
    std::map<Place, std::vector<std::pair<int64_t, int64_t>>> busy;
    for (const auto& [place, list] : changes)
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
