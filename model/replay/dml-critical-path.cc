/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-critical-path.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return the op that ended last, with the lowest number of several
GlobalOp
FindLast(const ExecutionGraph& execution)
{
    const auto last =
        std::max_element(execution.ops.begin(),
                         execution.ops.end(),
                         [](const ReplayedOp& a, const ReplayedOp& b) { return a.end < b.end; });
    return last == execution.ops.end() ? NO_GLOBAL_OP : last - execution.ops.begin();
}

} // namespace

std::vector<CriticalOp>
FindCriticalPath(const ExecutionGraph& execution, GlobalOp last, double since)
{
    std::vector<CriticalOp> path;
    for (GlobalOp op = last == NO_GLOBAL_OP ? FindLast(execution) : last; op != NO_GLOBAL_OP;)
    {
        const auto& replayed = execution.ops[op];
        const bool queued = replayed.previous != NO_GLOBAL_OP &&
                            (replayed.released == NO_GLOBAL_OP ||
                             execution.ops[replayed.previous].end > replayed.ready);
        const GlobalOp before = queued ? replayed.previous : replayed.released;
        path.push_back({op,
                        before == NO_GLOBAL_OP ? CriticalLink::NOTHING
                        : queued               ? CriticalLink::DEVICE
                                               : CriticalLink::DEPENDENCY,
                        before == NO_GLOBAL_OP ? 0 : replayed.start - execution.ops[before].end});
        op = replayed.start <= since ? NO_GLOBAL_OP : before;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<double>
GetSlack(const GlobalGraph& graph, const ExecutionGraph& execution)
{
    // by op: how much later what follows it may begin. Distances between an end and a start, not
    // differences of latest times, so that there is exactly nothing left on the critical path.
    std::vector<double> slack(graph.GetSize());
    for (GlobalOp op = 0; op < graph.GetSize(); ++op)
    {
        slack[op] = execution.seconds - execution.ops[op].end;
    }
    for (auto at = execution.order.rbegin(); at != execution.order.rend(); ++at)
    {
        const auto& replayed = execution.ops[*at];
        for (const GlobalOp dependent : graph.GetDependents(*at))
        {
            slack[*at] = std::min(slack[*at],
                                  slack[dependent] + execution.ops[dependent].start - replayed.end);
        }
        // its own successors on the device came before in this loop and have told it already
        if (replayed.previous != NO_GLOBAL_OP)
        {
            auto& previous = slack[replayed.previous];
            previous = std::min(previous,
                                slack[*at] + replayed.start - execution.ops[replayed.previous].end);
        }
    }
    return slack;
}

} // namespace ns3::dml
