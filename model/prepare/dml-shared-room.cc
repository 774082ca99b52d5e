/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shared-room.h"

#include "ns3/dml-error.h"
#include "ns3/dml-max-min-solver.h"
#include "ns3/dml-shared-buffer.h"

#include <algorithm>
#include <set>

namespace ns3::dml
{

namespace
{

/// A link with less than this part of its rate left is full.
constexpr double FULL = 1e-9;

/// @return links before which something waits if all flows send at once: the first full one on the
/// way of each flow
std::set<LinkId>
FindBottlenecks(const FlowNetwork& links)
{
    std::vector<FlowId> active;
    for (FlowId flow = 0; flow < links.flows.size(); ++flow)
    {
        if (!links.flows[flow].forward.empty())
        {
            active.push_back(flow);
        }
    }
    std::vector<double> rates(links.flows.size());
    MaxMinSolver(links).Solve(active, rates);
    std::vector<double> left = links.capacities;
    for (const FlowId flow : active)
    {
        for (const LinkId link : links.flows[flow].forward)
        {
            left[link] -= rates[flow];
        }
    }
    std::set<LinkId> found;
    for (const FlowId flow : active)
    {
        const auto& route = links.flows[flow].forward;
        const auto first = std::find_if(route.begin(), route.end(), [&](LinkId link) {
            return left[link] <= FULL * links.capacities[link];
        });
        if (first != route.end())
        {
            found.insert(*first);
        }
    }
    return found;
}

} // namespace

void
SetSharedRoom(const ClusterNetwork& cluster, FlowNetwork& links)
{
    const auto buffers = FindSharedBuffers(cluster);
    if (buffers.empty())
    {
        return;
    }
    if (cluster.SpreadsConnections())
    {
        throw KeyError("network.multipath",
                       "found " + cluster.GetMultipath().policy +
                           " beside ports that share a buffer, which the fair-share engine "
                           "cannot express; accepted: none or ecmp, or --engine=packet");
    }
    const std::set<LinkId> bottlenecks = FindBottlenecks(links);
    const auto spec = [&](DirectedLink port) -> const QueueSpec& {
        return cluster.GetLinks()[port / 2].queues[port % 2];
    };
    for (const auto& buffer : buffers)
    {
        double sum = 0;
        for (const DirectedLink port : buffer.ports)
        {
            sum += bottlenecks.count(port) > 0 ? spec(port).alpha : 0;
        }
        for (const DirectedLink port : buffer.ports)
        {
            const double own = bottlenecks.count(port) > 0 ? 0 : spec(port).alpha;
            links.dropTail[port] =
                spec(port).DropsTail()
                    ? GetSteadyLimit(static_cast<double>(buffer.bytes), spec(port).alpha, sum + own)
                    : 0;
        }
    }
}

} // namespace ns3::dml
