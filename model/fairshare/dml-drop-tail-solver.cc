/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-drop-tail-solver.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace ns3::dml
{

namespace
{

/// Rate of a flow before it has one.
constexpr double NOT_FIXED = -1;

} // namespace

DropTailSolver::DropTailSolver(const FlowNetwork& network, const Shares& shares)
    : m_weights(network, shares),
      m_offers(network.flows.size())
{
    for (LinkId link = 0; link < network.capacities.size(); ++link)
    {
        m_links.push_back({network.capacities[link], network.IsDropTail(link)});
    }
    for (const auto& flow : network.flows)
    {
        m_routes.push_back(flow.forward);
        if (flow.cap > 0)
        {
            m_routes.back().push_back(m_links.size());
            m_links.push_back({flow.cap});
        }
    }
}

bool
DropTailSolver::SharesByWeight(const std::vector<LinkId>& links,
                               [[maybe_unused]] const std::vector<FlowId>& flows) const
{
    return std::all_of(links.begin(), links.end(), [&](LinkId link) {
        return m_links[link].dropTail == m_links[links.front()].dropTail;
    });
}

const std::vector<FlowId>&
DropTailSolver::ChangeWeights(const FlowChanges& changes)
{
    return m_weights.Change(changes);
}

double
DropTailSolver::GetWeight(LinkId link, FlowId flow) const
{
    return m_links[link].dropTail ? m_weights.Get(flow) : 1;
}

double
DropTailSolver::GetNextChange(uint32_t domain) const
{
    return m_weights.GetNextChange(domain);
}

void
DropTailSolver::SetCapacity(LinkId link, double bytesPerSecond)
{
    m_links[link].capacity = bytesPerSecond;
    m_weights.SetCapacity(link, bytesPerSecond);
}

const std::vector<FlowId>&
DropTailSolver::SolveChanges(const FlowChanges& changes,
                             const std::vector<FlowId>& active,
                             std::vector<double>& rates)
{
    m_weights.Change(changes);
    Solve(active, rates);
    return active;
}

void
DropTailSolver::Solve(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    m_used.clear();
    for (const FlowId flow : active)
    {
        rates[flow] = NOT_FIXED;
        Use(flow);
    }
    m_open = active;
    while (!m_open.empty())
    {
        const bool certain = Fill(rates);
        m_open.clear();
        if (!certain)
        {
            // a flow may have been fixed before others left it more
            std::copy_if(active.begin(),
                         active.end(),
                         std::back_inserter(m_open),
                         [&](FlowId flow) { return !IsLimited(flow); });
            for (const FlowId flow : m_open)
            {
                Fix(flow, rates[flow], -1);
                rates[flow] = NOT_FIXED;
            }
        }
    }
    for (const LinkId link : m_used)
    {
        m_links[link].flows.clear();
    }
}

bool
DropTailSolver::Fill(std::vector<double>& rates)
{
    bool certain = true;
    while (!m_open.empty())
    {
        for (const LinkId link : m_used)
        {
            m_links[link].limits = 0;
        }
        FlowId slowest = m_open.front();
        for (const FlowId flow : m_open)
        {
            m_offers[flow] = FindOffer(flow);
            ++m_links[m_offers[flow].link].limits;
            slowest = m_offers[flow].rate < m_offers[slowest].rate ? flow : slowest;
        }
        if (!FixAcrossLimits(rates))
        {
            // two links each want the other one to be full first
            certain = false;
            rates[slowest] = m_offers[slowest].rate;
            Fix(slowest, rates[slowest], 1);
        }
        m_open.erase(std::remove_if(m_open.begin(),
                                    m_open.end(),
                                    [&rates](FlowId flow) { return rates[flow] != NOT_FIXED; }),
                     m_open.end());
    }
    return certain;
}

bool
DropTailSolver::IsLimited(FlowId flow) const
{
    return std::any_of(m_routes[flow].begin(), m_routes[flow].end(), [this](LinkId link) {
        return m_links[link].left <= NEARLY_FULL * m_links[link].capacity;
    });
}

void
DropTailSolver::Use(FlowId flow)
{
    for (const LinkId id : m_routes[flow])
    {
        Link& link = m_links[id];
        if (link.flows.empty())
        {
            m_used.push_back(id);
            link.left = link.capacity;
            link.weight = 0;
            link.open = 0;
        }
        link.flows.push_back(flow);
        link.weight += GetWeight(id, flow);
        ++link.open;
    }
}

DropTailSolver::Offer
DropTailSolver::FindOffer(FlowId flow) const
{
    Offer least{0, std::numeric_limits<double>::infinity()};
    for (const LinkId id : m_routes[flow])
    {
        const Link& link = m_links[id];
        const double left = std::max(link.left, LEAST_SHARE * link.capacity);
        const double rate = link.open == 1 ? left : left * (GetWeight(id, flow) / link.weight);
        if (rate < least.rate)
        {
            least = {id, rate};
        }
    }
    return least;
}

bool
DropTailSolver::FixAcrossLimits(std::vector<double>& rates)
{
    // first all of them: fixing the flows of one changes what others have left
    m_full.clear();
    for (const LinkId id : m_used)
    {
        if (m_links[id].open > 0 && m_links[id].limits == m_links[id].open)
        {
            m_full.push_back(id);
        }
    }
    for (const LinkId id : m_full)
    {
        for (const FlowId flow : m_links[id].flows)
        {
            if (rates[flow] == NOT_FIXED)
            {
                rates[flow] = m_offers[flow].rate;
                Fix(flow, rates[flow], 1);
            }
        }
    }
    return !m_full.empty();
}

void
DropTailSolver::Fix(FlowId flow, double rate, int32_t sign)
{
    for (const LinkId id : m_routes[flow])
    {
        Link& link = m_links[id];
        link.left -= sign * rate;
        link.weight -= sign * GetWeight(id, flow);
        link.open -= sign;
    }
}

} // namespace ns3::dml
