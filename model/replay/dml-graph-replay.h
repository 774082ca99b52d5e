/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRAPH_REPLAY_H
#define DML_GRAPH_REPLAY_H

#include "dml-global-graph.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// A graph and how long each of its ops takes.
struct TimedGraph
{
    GlobalGraph graph;           //!< ops and devices
    std::vector<double> seconds; //!< by op
};

/// In which order a replay serves the ops.
enum class ReplayOrder : uint8_t
{
    /// A device serves ops in the order in which they get ready; of those that get ready at the
    /// same instant, first what ended first, then by number. What a FIFO queue does.
    READY_TIME,
    /// dPRO's modified Kahn's algorithm (Hu et al., MLSys 2022, section 4.3): again and again the
    /// device with the smallest device time (end of its last op) serves the head of its queue,
    /// though another op of it, not released yet, may get ready earlier. Ties: lower device number.
    DEVICE_TIME,
};

/// How a replay served one op. Times in seconds from the start.
struct ReplayedOp
{
    double ready{0}; //!< all that it waits for had ended
    double start{0}; //!< its device began it; later than ready: it waited in the device's queue
    double end{0};   //!< its device ended it
    GlobalOp released{NO_GLOBAL_OP}; //!< dependency that ended last; none: it waits for nothing
    GlobalOp previous{NO_GLOBAL_OP}; //!< what its device served before it; none: it was the first
};

/**
 * @ingroup dml-replay
 * @brief An execution graph: a global DFG and the order in which the devices served its ops.
 */
struct ExecutionGraph
{
    std::vector<ReplayedOp> ops; //!< by op
    std::vector<GlobalOp> order; //!< in which they began; dependencies and previous ones first
    double seconds{0};           //!< until the last op ended
};

/**
 * @ingroup dml-replay
 * @brief Run a global DFG: each device serves one op at a time, without interruption.
 * @param graph what to run
 * @param seconds by op: how long it takes; not negative
 * @param order of ops on a device
 * @return when everything ran
 * @throws InputError if there is not one time for each op, or one is negative or not a
 * number
 */
ExecutionGraph Replay(const GlobalGraph& graph,
                      const std::vector<double>& seconds,
                      ReplayOrder order = ReplayOrder::READY_TIME);

} // namespace ns3::dml

#endif /* DML_GRAPH_REPLAY_H */
