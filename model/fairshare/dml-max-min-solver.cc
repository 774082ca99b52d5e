/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-max-min-solver.h"

#include <algorithm>
#include <iterator>

namespace ns3::dml
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
    }
    m_levels.resize(m_links.size(), NO_LIMIT);
    m_places.resize(m_routes.size(), 0);
    m_active.resize(m_routes.size());
    ListCrossings();
    FindLeastShares();
}

void
MaxMinSolver::ListCrossings()
{
    for (FlowId flow = 0; flow + 1 < m_firstLink.size(); ++flow)
    {
        for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
        {
            const auto begin = static_cast<uint32_t>(m_others.size());
            std::copy_if(m_routes.begin() + m_firstLink[flow],
                         m_routes.begin() + m_firstLink[flow + 1],
                         std::back_inserter(m_others),
                         [link = m_routes[hop]](LinkId other) { return other != link; });
            m_crossings.push_back({flow, hop, begin, static_cast<uint32_t>(m_others.size())});
        }
    }
}

void
MaxMinSolver::SetCapacity(LinkId link, double bytesPerSecond)
{
    m_links[link].capacity = bytesPerSecond;
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
        m_levels[id] = NO_LIMIT;
        link.left = link.capacity;
        link.open = link.flows;
        link.place = m_used.size();
        m_used.push_back({link.GetShare(), id});
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
    m_levels[id] = level;
    m_most = std::max(m_most, level);
    std::size_t fixed = 0;
    for (uint32_t place = 0; place < m_links[id].flows; ++place)
    {
        const FlowId flow = m_active[m_links[id].first + place].flow;
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

} // namespace ns3::dml
