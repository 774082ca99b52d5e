/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-stream-group.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

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

/**
 * @brief Count times from another origin.
 * @param group to change
 * @param origin ns on the receiver's clock
 */
void
MoveOrigin(StreamGroup& group, int64_t origin)
{
    const double later = GetSecondsBetween(origin, group.origin);
    for (Stream& stream : group.streams)
    {
        stream.request += later;
        stream.end += later;
        stream.lastByte += later;
    }
    group.origin = origin;
}

/// Take all streams of @p group as asked for when the first of @p ready, or of them, was.
void
SetTogether(StreamGroup& group, int64_t ready)
{
    if (ready != RecordedTransfer::UNKNOWN && ready < group.origin)
    {
        if (GetSecondsBetween(ready, group.origin) <= group.GetLength())
        {
            MoveOrigin(group, ready);
        }
    }
    for (Stream& stream : group.streams)
    {
        stream.request = 0;
    }
    group.together = true;
}

/// @return when the first tensor of @p group was complete at the sender, or UNKNOWN
int64_t
GetFirstReady(const StreamGroup& group, const std::vector<RecordedTransfer>& transfers)
{
    int64_t first = RecordedTransfer::UNKNOWN;
    for (const Stream& stream : group.streams)
    {
        const int64_t ready = transfers[stream.record].ready;
        if (ready != RecordedTransfer::UNKNOWN &&
            (first == RecordedTransfer::UNKNOWN || ready < first))
        {
            first = ready;
        }
    }
    return first;
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
            SetTogether(group, GetFirstReady(group, transfers));
        }
        result.push_back(std::move(group));
    }
    return result;
}

} // namespace ns3::dml
