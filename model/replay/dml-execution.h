/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EXECUTION_H
#define DML_EXECUTION_H

#include "dml-graph-replay.h"

#include <vector>

namespace ns3::dml
{

/// When an op ran, in seconds.
struct OpTimes
{
    double start{0}; //!< it began
    double end{0};   //!< it ended
};

/**
 * @ingroup dml-replay
 * @brief The execution graph of what was measured: each device served its ops in the order in which
 * they began, and dependencies before what waits for them where clocks disagree.
 *
 * Unlike in a replay, an op may begin later than all that it waits for has ended: it waited for
 * what the graph does not know, such as a message's way.
 *
 * @param graph that ran
 * @param times by op
 * @return when everything ran; ReplayedOp::ready is the latest end of a dependency
 * @throws InputError if there is not one time for each op, one is not a number, or an op ends
 * before it begins
 */
ExecutionGraph MakeExecution(const GlobalGraph& graph, const std::vector<OpTimes>& times);

/**
 * @brief When everything would end if ops took other times, with the order of ops on every device
 * and what an op waited for beside the graph as they were.
 * @param graph that ran
 * @param execution what ran
 * @param seconds by op: how long it takes
 * @return by op: its end
 */
std::vector<double> Reschedule(const GlobalGraph& graph,
                               const ExecutionGraph& execution,
                               const std::vector<double>& seconds);

} // namespace ns3::dml

#endif /* DML_EXECUTION_H */
