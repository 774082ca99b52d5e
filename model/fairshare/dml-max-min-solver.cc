/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-max-min-solver.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

/// Rate of a flow before it has one.
constexpr double NOT_FIXED = -1;

} // namespace

MaxMinSolver::MaxMinSolver(const FlowNetwork& network)
{
    for (const double capacity : network.capacities)
    {
        m_links.push_back({capacity});
    }
    m_firstLink.push_back(0);
    for (const auto& flow : network.flows)
    {
        m_routes.insert(m_routes.end(), flow.forward.begin(), flow.forward.end());
        if (flow.cap > 0)
        {
            m_routes.push_back(m_links.size());
            m_links.push_back({flow.cap});
        }
        m_firstLink.push_back(m_routes.size());
        m_flowOfHop.resize(m_routes.size(), m_firstLink.size() - 2);
    }
    m_places.resize(m_routes.size(), 0);
    m_areaRates.resize(network.flows.size(), 0);
    m_isInArea.resize(network.flows.size(), false);
    m_domains = FindFlowDomains(network, false);
    m_state.resize(network.flows.size());
    FindLeastShares();
}

void
MaxMinSolver::SetCapacity(LinkId link, double bytesPerSecond)
{
    m_links[link].capacity = bytesPerSecond;
    m_links[link].bareShare = UNKNOWN_SHARE;
    FindLeastShares();
}

void
MaxMinSolver::Solve(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    for (const FlowId flow : active)
    {
        Enter(flow);
    }
    Fill(active, rates);
    for (const FlowId flow : active)
    {
        Leave(flow);
    }
}

void
MaxMinSolver::Fill(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    m_used.clear();
    for (const FlowId flow : active)
    {
        rates[flow] = NOT_FIXED;
        for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
        {
            Use(m_routes[i]);
        }
    }
    std::size_t open = active.size();
    while (open > 0)
    {
        // all links that are full at this level at once: their shares do not change by that
        const double level = FindLevel();
        for (const LinkId link : m_full)
        {
            open -= FixAcross(link, level, rates);
        }
        UpdateShares();
    }
}

void
MaxMinSolver::Use(LinkId id)
{
    Link& link = m_links[id];
    if (link.place == NO_PLACE)
    {
        link.left = link.capacity;
        link.open = link.hops.size();
        link.level = NO_LIMIT;
        link.place = m_used.size();
        if (link.bareShare == UNKNOWN_SHARE)
        {
            link.bareShare = link.GetShare();
        }
        m_used.push_back({link.bareShare, id});
    }
}

double
MaxMinSolver::FindLevel()
{
    double level = NO_LIMIT;
    for (const Used& used : m_used)
    {
        level = std::min(level, used.share);
    }
    m_full.clear();
    for (const Used& used : m_used)
    {
        if (used.share <= level)
        {
            m_full.push_back(used.link);
        }
    }
    return level;
}

std::size_t
MaxMinSolver::FixAcross(LinkId id, double level, std::vector<double>& rates)
{
    m_links[id].level = level;
    std::size_t fixed = 0;
    for (const uint32_t hop : m_links[id].hops)
    {
        const FlowId flow = m_flowOfHop[hop];
        if (rates[flow] != NOT_FIXED)
        {
            continue;
        }
        rates[flow] = level;
        ++fixed;
        for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
        {
            Link& link = m_links[m_routes[i]];
            link.left -= level;
            --link.open;
            if (!link.changed)
            {
                link.changed = true;
                m_changed.push_back(m_routes[i]);
            }
        }
    }
    return fixed;
}

void
MaxMinSolver::UpdateShares()
{
    for (const LinkId id : m_changed)
    {
        Link& link = m_links[id];
        link.changed = false;
        if (link.open > 0)
        {
            m_used[link.place].share = link.GetShare();
            continue;
        }
        m_links[m_used.back().link].place = link.place;
        m_used[link.place] = m_used.back();
        m_used.pop_back();
        link.place = NO_PLACE;
    }
    m_changed.clear();
}

} // namespace dml
} // namespace ns3
