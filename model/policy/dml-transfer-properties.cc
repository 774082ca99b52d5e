/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-properties.h"

#include "ns3/dml-instant.h"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Whether pull @p a is to go strictly before pull @p b.
bool
GoesBefore(const TransferProperties& properties, double bytesPerSecond, uint32_t a, uint32_t b)
{
    // compute of one pull that runs while the other is transferred
    const auto overlap = [&](uint32_t first, uint32_t second) {
        return InstantOf(
            std::min(properties.GetLoad(first), properties.GetCost(second) / bytesPerSecond));
    };
    const int64_t aFirst = overlap(a, b);
    const int64_t bFirst = overlap(b, a);
    return aFirst != bFirst ? bFirst < aFirst
                            : properties.GetImpendingCost(a) < properties.GetImpendingCost(b);
}

} // namespace

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

TransferProperties::TransferProperties(const TransferDependencies& dependencies,
                                       std::vector<uint64_t> costs)
    : m_dependencies(dependencies),
      m_costs(std::move(costs)),
      m_loads(m_costs.size(), 0),
      m_outstanding(m_costs.size())
{
    m_outstanding.set();
    for (const auto& group : dependencies.GetGroups())
    {
        Blocked blocked{group.pulls, 0, group.seconds};
        for (auto i = group.pulls.find_first(); i != PullSet::npos; i = group.pulls.find_next(i))
        {
            blocked.cost += m_costs[i];
        }
        m_blocked.push_back(std::move(blocked));
    }
    Update();
}

void
TransferProperties::Complete(uint32_t pull)
{
    m_outstanding.reset(pull);
    for (auto& blocked : m_blocked)
    {
        if (blocked.pulls.test(pull))
        {
            blocked.pulls.reset(pull);
            blocked.cost -= m_costs[pull];
        }
    }
    Update();
}

void
TransferProperties::Update()
{
    // a group that waits for one pull is that pull's load from now on, and nothing else
    const auto single =
        std::stable_partition(m_blocked.begin(), m_blocked.end(), [](const auto& blocked) {
            return blocked.pulls.count() > 1;
        });
    for (auto blocked = single; blocked != m_blocked.end(); ++blocked)
    {
        m_loads[blocked->pulls.find_first()] += blocked->seconds;
    }
    m_blocked.erase(single, m_blocked.end());

    // the cheapest groups first, so that the first group with a pull gives its M+
    std::stable_sort(m_blocked.begin(), m_blocked.end(), [](const auto& a, const auto& b) {
        return a.cost < b.cost;
    });
    m_impending.assign(m_costs.size(), INFINITE_COST);
    PullSet open = m_outstanding;
    for (const auto& blocked : m_blocked)
    {
        const PullSet reached = open & blocked.pulls;
        for (auto i = reached.find_first(); i != PullSet::npos; i = reached.find_next(i))
        {
            m_impending[i] = blocked.cost;
        }
        open -= reached;
    }
}

std::vector<RankedPull>
MakeTicOrder(const TransferDependencies& dependencies)
{
    const std::size_t size = dependencies.GetPulls().size();
    const TransferProperties properties(dependencies, std::vector<uint64_t>(size, 1));
    std::vector<uint32_t> wanted(size);
    std::iota(wanted.begin(), wanted.end(), 0);
    std::stable_sort(wanted.begin(), wanted.end(), [&](uint32_t a, uint32_t b) {
        return properties.GetImpendingCost(a) < properties.GetImpendingCost(b);
    });
    std::vector<RankedPull> order;
    for (const uint32_t pull : dependencies.RespectReadiness(std::move(wanted)))
    {
        order.push_back({pull, 0, properties.GetImpendingCost(pull)});
    }
    return order;
}

std::vector<RankedPull>
MakeTacOrder(const Profile& profile,
             const TransferDependencies& dependencies,
             double bytesPerSecond)
{
    const auto& pulls = dependencies.GetPulls();
    std::vector<uint64_t> bytes;
    for (const OpIndex op : pulls)
    {
        bytes.push_back(profile.tensors[profile.graph.Get(op).tensor].bytes);
    }
    TransferProperties properties(dependencies, bytes);
    std::vector<RankedPull> order;
    while (order.size() < pulls.size())
    {
        uint32_t best = NO_INDEX;
        for (uint32_t pull = 0; pull < pulls.size(); ++pull)
        {
            if (properties.IsReady(pull) &&
                (best == NO_INDEX || GoesBefore(properties, bytesPerSecond, pull, best)))
            {
                best = pull;
            }
        }
        order.push_back({best, properties.GetLoad(best), properties.GetImpendingCost(best)});
        properties.Complete(best);
    }
    return order;
}

} // namespace ns3::dml
