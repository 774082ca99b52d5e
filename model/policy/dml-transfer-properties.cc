/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-properties.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

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

bool
TransferProperties::IsReady(uint32_t pull) const
{
    return m_outstanding.test(pull) &&
           !m_dependencies.GetPredecessors(pull).intersects(m_outstanding);
}

uint64_t
TransferProperties::GetCost(uint32_t pull) const
{
    return m_costs[pull];
}

double
TransferProperties::GetLoad(uint32_t pull) const
{
    return m_loads[pull];
}

uint64_t
TransferProperties::GetImpendingCost(uint32_t pull) const
{
    return m_impending[pull];
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

} // namespace ns3::dml
