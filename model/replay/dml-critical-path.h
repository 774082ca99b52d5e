/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CRITICAL_PATH_H
#define DML_CRITICAL_PATH_H

#include "dml-graph-replay.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace ns3::dml
{

/// Why an op of a critical path did not begin earlier.
enum class CriticalLink : uint8_t
{
    NOTHING,    //!< it began at the start
    DEPENDENCY, //!< it waited for the op before it on the path
    DEVICE,     //!< it was ready earlier, and its device served the op before it on the path
};

/// An op of a critical path.
struct CriticalOp
{
    GlobalOp op{0};                           //!< which
    CriticalLink link{CriticalLink::NOTHING}; //!< to the op before it on the path
    /// Seconds between the end of the op before it and its start: 0 in a replay; what was measured
    /// may have waited for more than the graph knows.
    double wait{0};
};

/**
 * @ingroup dml-replay
 * @brief The critical path of an execution graph (Hu et al., MLSys 2022, section 4.3).
 *
 * Each op of it begins when the one before it ends, or CriticalOp::wait later, so that durations
 * and waits add up to the execution's. Where a dependency and the device let an op begin at the
 * same instant, the path goes through the dependency; of several ops that end last, it ends with
 * the lowest number.
 *
 * @param execution what ran
 * @param last op with which the path ends; none: the op that ended last
 * @param since the path ends there on its way back: the first op is the last one to begin by then
 * @return ops from the first to the last one; empty if nothing ran
 */
std::vector<CriticalOp> FindCriticalPath(const ExecutionGraph& execution,
                                         GlobalOp last = NO_GLOBAL_OP,
                                         double since = -std::numeric_limits<double>::infinity());

/**
 * @ingroup dml-replay
 * @brief By how much the end of each op could be delayed without delaying the execution's, with
 * the order of ops on every device as it was.
 * @param graph that was run
 * @param execution what ran
 * @return by op: seconds, 0 on the critical path
 */
std::vector<double> GetSlack(const GlobalGraph& graph, const ExecutionGraph& execution);

} // namespace ns3::dml

#endif /* DML_CRITICAL_PATH_H */
