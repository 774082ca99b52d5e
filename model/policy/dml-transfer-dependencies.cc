/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-dependencies.h"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <map>

namespace ns3::dml
{

TransferDependencies::TransferDependencies(const Profile& profile)
{
    const OpGraph& graph = profile.graph;
    std::vector<uint32_t> pullOf(graph.GetSize(), NO_INDEX); // index into m_pulls of a pull
    for (OpIndex op = 0; op < graph.GetSize(); ++op)
    {
        if (graph.Get(op).kind == OpKind::PULL)
        {
            pullOf[op] = m_pulls.size();
            m_pulls.push_back(op);
        }
    }

    std::vector<OpIndex> dependentsFirst;
    boost::topological_sort(graph.GetBoostGraph(), std::back_inserter(dependentsFirst));
    std::vector<PullSet> awaited(graph.GetSize(), PullSet(m_pulls.size())); // by op, itself apart
    for (auto op = dependentsFirst.rbegin(); op != dependentsFirst.rend(); ++op)
    {
        for (const OpIndex before : graph.GetDependencies(*op))
        {
            awaited[*op] |= awaited[before];
            if (pullOf[before] != NO_INDEX)
            {
                awaited[*op].set(pullOf[before]);
            }
        }
    }

    std::map<PullSet, double> secondsOf; // sums in listing order
    for (OpIndex op = 0; op < graph.GetSize(); ++op)
    {
        if (RunsOnDevice(graph.Get(op).kind) && awaited[op].any())
        {
            secondsOf[awaited[op]] += GetShortestSeconds(profile, op);
        }
    }
    for (const auto& [pulls, seconds] : secondsOf)
    {
        m_groups.push_back({pulls, seconds});
    }
    for (const OpIndex pull : m_pulls)
    {
        m_predecessors.push_back(std::move(awaited[pull]));
    }
}

std::vector<uint32_t>
TransferDependencies::RespectReadiness(std::vector<uint32_t> wanted) const
{
    PullSet waiting(m_pulls.size());
    waiting.set();
    for (auto place = wanted.begin(); place != wanted.end(); ++place)
    {
        const auto first = std::find_if(place, wanted.end(), [&](uint32_t pull) {
            return !m_predecessors[pull].intersects(waiting);
        });
        waiting.reset(*first);
        std::rotate(place, first, first + 1);
    }
    return wanted;
}

double
GetShortestSeconds(const Profile& profile, OpIndex op)
{
    const auto& samples = profile.samples[op];
    return samples.empty() ? 0 : *std::min_element(samples.begin(), samples.end());
}

} // namespace ns3::dml
