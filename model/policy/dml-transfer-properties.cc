/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-properties.h"

#include "ns3/dml-instant.h"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Add what is not there yet, and keep the order.
void
Unite(std::vector<uint32_t>& groups, const std::vector<uint32_t>& others)
{
    std::vector<uint32_t> all;
    all.reserve(groups.size() + others.size());
    std::set_union(groups.begin(),
                   groups.end(),
                   others.begin(),
                   others.end(),
                   std::back_inserter(all));
    groups = std::move(all);
}

/// What MakeTacOrder() compares pulls by.
class TacComparison
{
  public:
    TacComparison(const TransferProperties& properties,
                  const std::vector<uint64_t>& bytes,
                  double bytesPerSecond)
        : m_properties(properties)
    {
        for (const uint64_t size : bytes)
        {
            m_seconds.push_back(size / bytesPerSecond);
        }
    }

    /// @return whether pull @p a is to go strictly before pull @p b
    bool GoesBefore(uint32_t a, uint32_t b) const
    {
        const double aLoad = m_properties.GetLoad(a);
        const double bLoad = m_properties.GetLoad(b);
        if (aLoad > 0 || bLoad > 0)
        {
            // compute of one pull that runs while the other is transferred
            const int64_t aFirst = InstantOf(std::min(aLoad, m_seconds[b]));
            const int64_t bFirst = InstantOf(std::min(bLoad, m_seconds[a]));
            if (aFirst != bFirst)
            {
                return bFirst < aFirst;
            }
        }
        return m_properties.GetImpendingCost(a) < m_properties.GetImpendingCost(b);
    }

  private:
    const TransferProperties& m_properties; //!< now
    std::vector<double> m_seconds;          //!< by pull: of its transfer
};

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

    std::map<PullSet, std::vector<OpIndex>> opsOf; // in listing order
    for (OpIndex op = 0; op < graph.GetSize(); ++op)
    {
        if (RunsOnDevice(graph.Get(op).kind) && awaited[op].any())
        {
            opsOf[awaited[op]].push_back(op);
        }
    }
    std::vector<uint32_t> groupOf(graph.GetSize(), NO_INDEX);
    for (const auto& [pulls, ops] : opsOf)
    {
        double seconds = 0;
        for (const OpIndex op : ops)
        {
            seconds += GetShortestSeconds(profile, op);
            groupOf[op] = m_groups.size();
        }
        m_groups.push_back({pulls, seconds});
    }
    for (const OpIndex pull : m_pulls)
    {
        m_predecessors.push_back(std::move(awaited[pull]));
    }
    FindFirstGroups(graph, dependentsFirst, groupOf);
}

void
TransferDependencies::FindFirstGroups(const OpGraph& graph,
                                      const std::vector<OpIndex>& dependentsFirst,
                                      const std::vector<uint32_t>& groupOf)
{
    std::vector<std::vector<uint32_t>> behind(graph.GetSize()); // by op that is no compute
    for (const OpIndex op : dependentsFirst)
    {
        std::vector<uint32_t> groups;
        for (const OpIndex dependent : graph.GetDependents(op))
        {
            if (groupOf[dependent] == NO_INDEX)
            {
                Unite(groups, behind[dependent]);
            }
            else if (groupOf[dependent] != groupOf[op])
            {
                Unite(groups, {groupOf[dependent]});
            }
        }
        groupOf[op] == NO_INDEX ? behind[op].swap(groups)
                                : Unite(m_groups[groupOf[op]].next, groups);
    }
    for (uint32_t group = 0; group < m_groups.size(); ++group)
    {
        auto& next =
            m_groups[group].next; // ops of a group may come behind others by way of no compute
        next.erase(std::remove(next.begin(), next.end(), group), next.end());
    }
    for (const OpIndex pull : m_pulls)
    {
        m_firstGroups.push_back(std::move(behind[pull]));
    }
}

std::vector<uint32_t>
TransferDependencies::RespectReadiness(std::vector<uint32_t> wanted) const
{
    std::vector<uint32_t> awaited; // by pull
    for (const PullSet& predecessors : m_predecessors)
    {
        awaited.push_back(predecessors.count());
    }
    std::vector<uint32_t> waiting;                                              // as wanted
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready; // places in wanted
    std::vector<uint32_t> placeOf(wanted.size());
    for (uint32_t place = 0; place < wanted.size(); ++place)
    {
        placeOf[wanted[place]] = place;
        if (awaited[wanted[place]] == 0)
        {
            ready.push(place);
        }
        else
        {
            waiting.push_back(wanted[place]);
        }
    }
    std::vector<uint32_t> order;
    while (!ready.empty())
    {
        const uint32_t next = wanted[ready.top()];
        ready.pop();
        order.push_back(next);
        const auto frees = [&](uint32_t pull) {
            awaited[pull] -= m_predecessors[pull].test(next) ? 1 : 0;
            return awaited[pull] == 0;
        };
        const auto freed = std::stable_partition(waiting.begin(),
                                                 waiting.end(),
                                                 [&](uint32_t pull) { return !frees(pull); });
        for (auto pull = freed; pull != waiting.end(); ++pull)
        {
            ready.push(placeOf[*pull]);
        }
        waiting.erase(freed, waiting.end());
    }
    return order;
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
    std::vector<uint32_t> single;
    for (const auto& group : dependencies.GetGroups())
    {
        Blocked blocked;
        for (auto i = group.pulls.find_first(); i != PullSet::npos; i = group.pulls.find_next(i))
        {
            blocked.cost += m_costs[i];
            blocked.sum += i;
            ++blocked.pulls;
        }
        if (blocked.pulls == 1)
        {
            single.push_back(m_blocked.size());
        }
        m_blocked.push_back(blocked);
    }
    for (uint32_t pull = 0; pull < m_costs.size(); ++pull)
    {
        m_frontiers.push_back(dependencies.GetFirstGroups(pull));
        m_awaited.push_back(dependencies.GetPredecessors(pull).count());
        if (m_awaited.back() > 0)
        {
            m_waiting.push_back(pull);
        }
    }
    Load(single);
}

void
TransferProperties::ListGroups()
{
    const auto& groups = m_dependencies.GetGroups();
    m_groupsOf.assign(m_costs.size(), PullSet(groups.size()));
    for (std::size_t group = 0; group < groups.size(); ++group)
    {
        const PullSet& pulls = groups[group].pulls;
        for (auto i = pulls.find_first(); i != PullSet::npos; i = pulls.find_next(i))
        {
            m_groupsOf[i].set(group);
        }
    }
}

const std::vector<uint32_t>&
TransferProperties::Complete(uint32_t pull)
{
    if (m_groupsOf.empty())
    {
        ListGroups();
    }
    std::vector<uint32_t> single;
    const PullSet& groups = m_groupsOf[pull];
    for (auto group = groups.find_first(); group != PullSet::npos; group = groups.find_next(group))
    {
        Blocked& blocked = m_blocked[group];
        blocked.cost -= m_costs[pull];
        blocked.sum -= pull;
        if (--blocked.pulls == 1)
        {
            single.push_back(group);
        }
        ++m_steps;
    }
    m_outstanding.reset(pull);
    Load(single);
    m_completed.push_back(pull);

    m_freed.clear();
    m_steps += m_waiting.size();
    m_waiting.erase(std::remove_if(m_waiting.begin(),
                                   m_waiting.end(),
                                   [&](uint32_t other) {
                                       const PullSet& before =
                                           m_dependencies.GetPredecessors(other);
                                       m_awaited[other] -= before.test(pull) ? 1 : 0;
                                       if (m_awaited[other] == 0)
                                       {
                                           m_freed.push_back(other);
                                       }
                                       return m_awaited[other] == 0;
                                   }),
                    m_waiting.end());
    return m_freed;
}

void
TransferProperties::Load(std::vector<uint32_t>& single)
{
    // Several groups may have the same pull left. Sums depend on their order: cheaper ones first,
    // as they became equal.
    std::stable_sort(single.begin(), single.end(), [this](uint32_t a, uint32_t b) {
        return m_blocked[a].sum != m_blocked[b].sum ? m_blocked[a].sum < m_blocked[b].sum
                                                    : WasFirst(a, b);
    });
    for (const uint32_t group : single)
    {
        m_loads[m_blocked[group].sum] += m_dependencies.GetGroups()[group].seconds;
        AdvanceFrontier(m_blocked[group].sum);
    }
}

bool
TransferProperties::WasFirst(uint32_t a, uint32_t b) const
{
    const auto& groups = m_dependencies.GetGroups();
    for (auto pull = m_completed.rbegin(); pull != m_completed.rend(); ++pull)
    {
        const bool waited = groups[a].pulls.test(*pull);
        if (waited != groups[b].pulls.test(*pull) && m_costs[*pull] > 0)
        {
            return !waited;
        }
    }
    return a < b;
}

void
TransferProperties::AdvanceFrontier(uint32_t pull)
{
    auto& frontier = m_frontiers[pull];
    for (std::size_t i = 0; i < frontier.size();)
    {
        const uint32_t group = frontier[i];
        if (m_blocked[group].pulls > 1)
        {
            ++i;
            continue;
        }
        ++m_steps;
        frontier.erase(frontier.begin() + i);
        Unite(frontier, m_dependencies.GetGroups()[group].next);
        i = 0;
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
    const TacComparison comparison(properties, bytes, bytesPerSecond);
    std::vector<uint32_t> ready; // as listed
    for (uint32_t pull = 0; pull < pulls.size(); ++pull)
    {
        if (properties.IsReady(pull))
        {
            ready.push_back(pull);
        }
    }
    std::vector<RankedPull> order;
    while (!ready.empty())
    {
        auto best = ready.begin();
        for (auto pull = best + 1; pull != ready.end(); ++pull)
        {
            best = comparison.GoesBefore(*pull, *best) ? pull : best;
        }
        const uint32_t next = *best;
        ready.erase(best);
        order.push_back({next, properties.GetLoad(next), properties.GetImpendingCost(next)});
        for (const uint32_t freed : properties.Complete(next))
        {
            ready.insert(std::lower_bound(ready.begin(), ready.end(), freed), freed);
        }
    }
    return order;
}

} // namespace ns3::dml
