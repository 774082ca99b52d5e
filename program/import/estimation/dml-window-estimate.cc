/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-window-estimate.h"

#include <algorithm>
#include <fmt/core.h>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

namespace ns3::dml
{

namespace
{

/// With every-window, windows are tried that are a stream's size through 1 to this.
constexpr uint64_t MAX_PARTS = 16;
/// ... and that need at most this many turns for the bytes of a group.
constexpr uint64_t MAX_TRIED_TURNS = 10000;
/// Candidates that are tried first, and between neighbours of the best one then, about.
constexpr std::size_t TRIED_FIRST = 200;
constexpr std::size_t TRIED_NEXT = 8;

/// @param first, last values, sorted afterwards; @param spare as long; @return pairs out of order
std::size_t
SortCountingInversions(double* first, double* last, double* spare)
{
    const std::ptrdiff_t size = last - first;
    if (size < 2)
    {
        return 0;
    }
    double* const middle = first + size / 2;
    std::size_t inversions =
        SortCountingInversions(first, middle, spare) + SortCountingInversions(middle, last, spare);
    double* left = first;
    double* right = middle;
    for (double* out = spare; out != spare + size; ++out)
    {
        const bool takeRight = left == middle || (right != last && *right < *left);
        inversions += takeRight ? middle - left : 0;
        *out = takeRight ? *right++ : *left++;
    }
    std::copy(spare, spare + size, first);
    return inversions;
}

/// @return pairs of streams whose recorded ends are in the other order than the predicted ones
std::size_t
CountWrongPairs(const std::vector<StreamGroup>& groups, const LinkModel& link)
{
    std::size_t wrong = 0;
    std::vector<std::size_t> order;
    std::vector<double> ends;
    std::vector<double> spare;
    for (const StreamGroup& group : groups)
    {
        const std::vector<StreamTimes> times = PredictStreams(group, link);
        order.resize(times.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return times[a].end < times[b].end;
        });
        ends.clear();
        for (const std::size_t stream : order)
        {
            ends.push_back(group.streams[stream].end);
        }
        spare.resize(ends.size());
        wrong += SortCountingInversions(ends.data(), ends.data() + ends.size(), spare.data());
    }
    return wrong;
}

/// @return windows that may lead to different orders, in rising order
std::vector<uint64_t>
GetCandidates(const std::vector<StreamGroup>& groups, StreamWindowModel::Rule rule)
{
    const uint64_t parts = rule == StreamWindowModel::Rule::EVERY_WINDOW ? MAX_PARTS : 1;
    std::set<uint64_t> candidates{1};
    uint64_t mostBytes = 0;
    for (const StreamGroup& group : groups)
    {
        uint64_t bytes = 0;
        for (const Stream& stream : group.streams)
        {
            bytes = std::max(bytes, bytes + stream.bytes); // stays if it would overflow
            for (uint64_t part = 1; part <= parts; ++part)
            {
                // rounded up: with this window the stream takes `part` turns
                candidates.insert(
                    std::max<uint64_t>(1, stream.bytes / part + (stream.bytes % part > 0 ? 1 : 0)));
            }
        }
        mostBytes = std::max(mostBytes, bytes);
    }
    if (parts > 1)
    {
        candidates.erase(candidates.begin(), candidates.lower_bound(mostBytes / MAX_TRIED_TURNS));
    }
    return {candidates.begin(), candidates.end()};
}

/// @return size of the largest stream that was sent whole while others waited, at least 1
uint64_t
GetLargestWaitedFor(const std::vector<StreamGroup>& groups, const LinkModel& link)
{
    uint64_t largest = 1;
    for (const StreamGroup& group : groups)
    {
        const std::vector<StreamTimes> times = PredictStreams(group, link);
        for (std::size_t i = 0; i + 1 < times.size(); ++i)
        {
            if (group.streams[i + 1].request < times[i].last)
            {
                largest = std::max(largest, group.streams[i].bytes);
            }
        }
    }
    return largest;
}

} // namespace

std::string
WindowEstimate::GetText() const
{
    return upper
               ? fmt::format("window: {} to {} bytes predict the order of ends best ({} pairs of "
                             "streams ended in the other order than requested, {} in the other "
                             "order than predicted)",
                             lower,
                             *upper - 1,
                             overtakings,
                             unexplained)
               : fmt::format("window: no evidence, every stream was sent whole or its interruption "
                             "makes no difference; it is at least {} bytes if others waited behind "
                             "the largest stream ({} pairs of streams ended in the other order "
                             "than requested, no window explains more of them)",
                             lower,
                             overtakings);
}

WindowEstimate
EstimateWindow(const std::vector<StreamGroup>& groups, LinkModel link)
{
    WindowEstimate estimate;
    link.window = LinkModel::NO_WINDOW;
    estimate.overtakings = CountWrongPairs(groups, link);
    estimate.unexplained = estimate.overtakings;
    estimate.lower = GetLargestWaitedFor(groups, link);

    const std::vector<uint64_t> candidates = GetCandidates(groups, link.rule);
    if (candidates.empty())
    {
        return estimate;
    }
    std::map<std::size_t, std::size_t> wrong; // pairs, by place of the candidate
    const auto tryBetween = [&](std::size_t first, std::size_t last, std::size_t parts) {
        const std::size_t step = std::max<std::size_t>(1, (last - first) / parts);
        for (std::size_t place = first; place <= last; place += step)
        {
            link.window = candidates[place];
            if (wrong.count(place) == 0)
            {
                wrong[place] = CountWrongPairs(groups, link);
            }
        }
    };
    const std::size_t last = candidates.size() - 1;
    tryBetween(last, last, 1);
    tryBetween(0, last, TRIED_FIRST);
    while (true)
    {
        const auto best =
            std::min_element(wrong.rbegin(), wrong.rend(), [](const auto& a, const auto& b) {
                return a.second < b.second;
            });
        if (best->second >= estimate.overtakings)
        {
            return estimate;
        }
        auto first = std::prev(best.base());
        const auto next = std::next(first); // the last one is no better than whole streams
        while (first != wrong.begin() && std::prev(first)->second == best->second)
        {
            --first;
        }
        const std::size_t before = first == wrong.begin() ? first->first : std::prev(first)->first;
        if (next->first - best->first > 1)
        {
            tryBetween(best->first, next->first, TRIED_NEXT);
        }
        else if (first->first - before > 1)
        {
            tryBetween(before, first->first, TRIED_NEXT);
        }
        else
        {
            estimate.upper = candidates[next->first];
            estimate.lower = candidates[first->first];
            estimate.unexplained = best->second;
            return estimate;
        }
    }
}

} // namespace ns3::dml
