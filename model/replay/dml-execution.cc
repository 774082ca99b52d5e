/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-execution.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

void
CheckTimes(const GlobalGraph& graph, const std::vector<OpTimes>& times)
{
    if (times.size() != graph.GetSize())
    {
        throw InputError("a graph of " + std::to_string(graph.GetSize()) + " ops has " +
                         std::to_string(times.size()) + " measured times");
    }
    for (GlobalOp op = 0; op < times.size(); ++op)
    {
        // !(start <= end) holds for NaN, too
        if (!(times[op].start <= times[op].end) || std::isinf(times[op].start) ||
            std::isinf(times[op].end))
        {
            throw InputError("op " + std::to_string(op) + " lasts from " +
                             std::to_string(times[op].start) + " to " +
                             std::to_string(times[op].end) + " s, which is no time");
        }
    }
}

/// What an op had to wait for at least: the later one of a dependency and of its device's last op.
double
GetCauseEnd(const ExecutionGraph& execution, const ReplayedOp& op)
{
    const bool waits = op.released != NO_GLOBAL_OP;
    if (op.previous == NO_GLOBAL_OP)
    {
        return waits ? op.ready : op.start;
    }
    const double freed = execution.ops[op.previous].end;
    return waits ? std::max(op.ready, freed) : freed;
}

} // namespace

ExecutionGraph
MakeExecution(const GlobalGraph& graph, const std::vector<OpTimes>& times)
{
    CheckTimes(graph, times);
    ExecutionGraph execution;
    execution.ops.resize(graph.GetSize());
    execution.order.reserve(graph.GetSize());
    std::vector<uint32_t> waits = graph.GetWaits();
    std::vector<GlobalOp> last(graph.CountDevices(), NO_GLOBAL_OP);
    // the earliest start, of equal ones the earliest end, so that what takes no time goes first
    using Turn = std::tuple<double, double, GlobalOp>;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    const auto offer = [&](GlobalOp op) { turns.emplace(times[op].start, times[op].end, op); };
    for (GlobalOp op = 0; op < graph.GetSize(); ++op)
    {
        if (waits[op] == 0)
        {
            offer(op);
        }
    }
    while (!turns.empty())
    {
        const GlobalOp op = std::get<GlobalOp>(turns.top());
        turns.pop();
        auto& replayed = execution.ops[op];
        replayed.start = times[op].start;
        replayed.end = times[op].end;
        replayed.previous = std::exchange(last[graph.GetDevice(op)], op);
        execution.order.push_back(op);
        execution.seconds = std::max(execution.seconds, replayed.end);
        for (const GlobalOp dependent : graph.GetDependents(op))
        {
            auto& waiting = execution.ops[dependent];
            if (waiting.released == NO_GLOBAL_OP || replayed.end > waiting.ready)
            {
                waiting.ready = replayed.end;
                waiting.released = op;
            }
            if (--waits[dependent] == 0)
            {
                offer(dependent);
            }
        }
    }
    return execution;
}

std::vector<double>
Reschedule(const GlobalGraph& graph,
           const ExecutionGraph& execution,
           const std::vector<double>& seconds)
{
    constexpr double NEVER = -std::numeric_limits<double>::infinity();
    std::vector<double> ready(graph.GetSize(), NEVER); // latest end of what has run
    std::vector<double> ends(graph.GetSize());
    for (const GlobalOp op : execution.order)
    {
        const auto& replayed = execution.ops[op];
        double cause = ready[op];
        if (replayed.previous != NO_GLOBAL_OP)
        {
            cause = std::max(cause, ends[replayed.previous]);
        }
        // negative where clocks disagree: kept, so that the same times give the same ends
        const double wait = replayed.start - GetCauseEnd(execution, replayed);
        ends[op] = (cause == NEVER ? replayed.start : cause + wait) + seconds[op];
        for (const GlobalOp dependent : graph.GetDependents(op))
        {
            ready[dependent] = std::max(ready[dependent], ends[op]);
        }
    }
    return ends;
}

} // namespace ns3::dml
