/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-assignment.h"

#include <algorithm>
#include <map>
#include <string>

namespace ns3::dml
{

namespace
{

/// A node that has no rank yet.
constexpr uint32_t NO_RANK = UINT32_MAX;

} // namespace

RankAssignment::RankAssignment(const ClusterNetwork& network, uint32_t ranks)
{
    if (ranks > 1)
    {
        m_rank.assign(network.GetNodes().size(), NO_RANK);
        PlaceHosts(network, ranks);
        PlaceOthers(network);
        CheckDelays(network);
    }
}

uint32_t
RankAssignment::GetRank(uint32_t node) const
{
    return m_rank.empty() ? 0 : m_rank[node];
}

bool
RankAssignment::IsCrossed(const NetworkLink& link) const
{
    return GetRank(link.ends[0]) != GetRank(link.ends[1]);
}

void
RankAssignment::PlaceHosts(const ClusterNetwork& network, uint32_t ranks)
{
    const auto& jobs = network.GetJobs();
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t server = 0; server < jobs[job].servers; ++server)
        {
            m_rank[network.FindHost(ServerName(job, server))] = 0;
        }
    }
    std::vector<uint32_t> hosts; // of workers alone
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            const uint32_t host = network.FindHost(WorkerName(job, worker));
            if (m_rank[host] == NO_RANK &&
                std::find(hosts.begin(), hosts.end(), host) == hosts.end())
            {
                hosts.push_back(host);
            }
        }
    }
    m_ranks = 1 + std::min<std::size_t>(ranks - 1, hosts.size());
    for (std::size_t i = 0; i < hosts.size(); ++i)
    {
        m_rank[hosts[i]] = 1 + i * (m_ranks - 1) / hosts.size();
    }
}

void
RankAssignment::PlaceOthers(const ClusterNetwork& network)
{
    const auto& nodes = network.GetNodes();
    for (const bool switches : {true, false})
    {
        // a round sees the rounds before it only, so that the order of the nodes does not matter
        for (bool placed = true; placed;)
        {
            placed = false;
            std::vector<uint32_t> next = m_rank;
            for (uint32_t node = 0; node < nodes.size(); ++node)
            {
                if (m_rank[node] == NO_RANK && nodes[node].isSwitch == switches)
                {
                    next[node] = FindCommonRank(network, node);
                    placed = placed || next[node] != NO_RANK;
                }
            }
            m_rank = std::move(next);
        }
    }
    std::replace(m_rank.begin(),
                 m_rank.end(),
                 NO_RANK,
                 0u); // not connected with a worker or server
}

uint32_t
RankAssignment::FindCommonRank(const ClusterNetwork& network, uint32_t node) const
{
    std::map<uint32_t, uint32_t> neighbours; // by rank
    for (const auto& link : network.GetLinks())
    {
        for (uint32_t side = 0; side < 2; ++side)
        {
            const uint32_t rank = m_rank[link.ends[1 - side]];
            if (link.ends[side] == node && rank != NO_RANK)
            {
                ++neighbours[rank];
            }
        }
    }
    uint32_t best = NO_RANK;
    for (const auto& [rank, count] : neighbours)
    {
        best = best == NO_RANK || count > neighbours[best] ? rank : best;
    }
    return best;
}

void
RankAssignment::CheckDelays(const ClusterNetwork& network)
{
    for (const auto& link : network.GetLinks())
    {
        if (!IsCrossed(link))
        {
            continue;
        }
        if (link.delay < NanoSeconds(SHORTEST_DELAY))
        {
            throw NetworkError("delay",
                               std::to_string(link.delay.GetNanoSeconds()) + "ns between " +
                                   network.GetNodes()[link.ends[0]].name + " and " +
                                   network.GetNodes()[link.ends[1]].name +
                                   ", which --ranks puts on different ranks",
                               "at least " + std::to_string(SHORTEST_DELAY) +
                                   "ns there: ranks may be apart in time by no more than it, or "
                                   "a run without --ranks");
        }
        m_longest = Max(m_longest, link.delay);
    }
}

} // namespace ns3::dml
