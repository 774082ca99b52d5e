/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_GRAPH_H
#define DML_STEP_GRAPH_H

#include "dml-global-graph.h"

#include "ns3/dml-step-plan.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dml
{

/// A graph and how long each of its ops takes.
struct TimedGraph
{
    GlobalGraph graph;           //!< ops and devices
    std::vector<double> seconds; //!< by op
};

/**
 * @ingroup dml-replay
 * @brief One step of one worker as a graph to be replayed: op i is the plan's op i.
 *
 * A resource of the plan is a device of the same number, so that each channel serves one transfer
 * at a time, whole, first in first out: no transfer policy, no window, no links that channels
 * share. Ops that only join others get devices of their own behind those.
 *
 * @param plan of a whole step with parameter servers (not what RestrictStepPlan() leaves of it)
 * @param sample number of the profiled step whose times the ops take
 * @param transferSeconds how long a transfer of so many bytes takes on a resource
 * @return the graph
 * @throws InputError if the plan has what such a graph cannot say: collectives, steps that overlap,
 * resources with several slots
 */
TimedGraph MakeStepGraph(
    const StepPlan& plan,
    uint32_t sample,
    const std::function<double(const PlannedResource& channel, uint64_t bytes)>& transferSeconds);

} // namespace ns3::dml

#endif /* DML_STEP_GRAPH_H */
