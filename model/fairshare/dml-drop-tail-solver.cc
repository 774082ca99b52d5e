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

/// When a flow began that has not.
constexpr double NEVER = std::numeric_limits<double>::infinity();

} // namespace

DropTailSolver::DropTailSolver(const FlowNetwork& network, const Shares& shares)
    : m_shares(shares),
      m_random(shares.seed, STREAM, shares.replication),
      m_logarithms(network.flows.size()),
      m_weights(network.flows.size(), 1),
      m_begun(network.flows.size(), NEVER),
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
    for (auto& logarithm : m_logarithms)
    {
        logarithm = m_shares.spread * DrawNormal();
    }
}

double
DropTailSolver::DrawNormal()
{
    // Box and Muller
    const double radius = std::sqrt(-2 * std::log1p(-m_random.RandU01()));
    return radius * std::cos(2 * M_PI * m_random.RandU01());
}

void
DropTailSolver::DrawWeight(FlowId flow)
{
    const double fresh = m_shares.spread * std::sqrt(1 - m_shares.memory * m_shares.memory);
    double& logarithm = m_logarithms[flow];
    logarithm = m_shares.memory * logarithm + fresh * DrawNormal();
    m_weights[flow] = std::exp(logarithm);
}

double
DropTailSolver::GetWeight(const Link& link, FlowId flow) const
{
    return link.dropTail ? m_weights[flow] : 1;
}

void
DropTailSolver::SetCapacity(LinkId link, double bytesPerSecond)
{
    m_links[link].capacity = bytesPerSecond;
}

const std::vector<FlowId>&
DropTailSolver::SolveChanges(const FlowChanges& changes,
                             const std::vector<FlowId>& active,
                             std::vector<double>& rates)
{
    for (const FlowId flow : changes.started)
    {
        DrawWeight(flow);
    }
    if (m_shares.newcomer < 1)
    {
        FindNewcomers(changes, active);
    }
    Solve(active, rates);
    return active;
}

void
DropTailSolver::FindNewcomers(const FlowChanges& changes, const std::vector<FlowId>& active)
{
    const auto contains = [](const std::vector<FlowId>& flows, FlowId flow) {
        return std::find(flows.begin(), flows.end(), flow) != flows.end();
    };
    const std::vector<FlowId> before = m_newcomers;
    m_newcomers.clear();
    for (const FlowId flow : before)
    {
        const bool paused = contains(changes.ended, flow);
        // those that are neither are elsewhere: links that share no flow are solved apart
        const bool here = paused || contains(active, flow);
        const bool young = changes.now - m_begun[flow] < GROWN;
        if (!here || (!paused && young && MeetsOthers(flow, active, changes.now)))
        {
            m_newcomers.push_back(flow);
        }
        else
        {
            m_weights[flow] = std::exp(m_logarithms[flow]);
        }
    }
    for (const FlowId flow : changes.started)
    {
        if (m_begun[flow] == NEVER && MeetsOthers(flow, active, changes.now))
        {
            m_newcomers.push_back(flow);
            m_weights[flow] *= m_shares.newcomer;
        }
    }
    for (const FlowId flow : changes.started)
    {
        m_begun[flow] = std::min(m_begun[flow], changes.now);
    }
}

bool
DropTailSolver::MeetsOthers(FlowId flow, const std::vector<FlowId>& active, double now) const
{
    return std::any_of(active.begin(), active.end(), [&](FlowId other) {
        const auto& route = m_routes[other];
        return other != flow && now - m_begun[other] >= ESTABLISHED &&
               std::any_of(m_routes[flow].begin(), m_routes[flow].end(), [&](LinkId link) {
                   return m_links[link].dropTail &&
                          std::find(route.begin(), route.end(), link) != route.end();
               });
    });
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
        link.weight += GetWeight(link, flow);
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
        const double rate = link.open == 1 ? left : left * (GetWeight(link, flow) / link.weight);
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
        link.weight -= sign * GetWeight(link, flow);
        link.open -= sign;
    }
}

} // namespace ns3::dml
