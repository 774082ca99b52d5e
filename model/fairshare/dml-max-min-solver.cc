/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-max-min-solver.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dml
{

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
    m_isStale.resize(network.flows.size(), false);
    FindLeastShares();
}

void
MaxMinSolver::SetCapacity(LinkId link, double bytesPerSecond)
{
    m_links[link].capacity = bytesPerSecond;
    FindLeastShares();
}

void
MaxMinSolver::Fix(FlowId flow, double rate)
{
    for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
    {
        Link& link = m_links[m_routes[i]];
        link.left -= rate;
        --link.open;
    }
}

double
MaxMinSolver::FindLevel()
{
    double level = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < m_used.size();)
    {
        Link& link = m_links[m_used[i]];
        if (link.open == 0)
        {
            m_used[i] = m_used.back();
            m_used.pop_back();
            continue;
        }
        link.share = std::max(link.left / link.open, LEAST_SHARE * link.capacity);
        level = std::min(level, link.share);
        ++i;
    }
    return level;
}

void
MaxMinSolver::Solve(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    m_used.clear();
    m_open.assign(active.begin(), active.end());
    for (const FlowId flow : active)
    {
        for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
        {
            Link& link = m_links[m_routes[i]];
            if (link.open++ == 0)
            {
                link.left = link.capacity;
                link.level = NO_LIMIT;
                m_used.push_back(m_routes[i]);
            }
        }
    }
    while (!m_open.empty())
    {
        // all links that are full at this level at once: their shares do not change by that
        const double level = FindLevel();
        for (const LinkId link : m_used)
        {
            m_links[link].level = m_links[link].share <= level ? level : NO_LIMIT;
        }
        const auto isFull = [this, level](FlowId flow) {
            for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
            {
                if (m_links[m_routes[i]].share <= level)
                {
                    return true;
                }
            }
            return false;
        };
        std::size_t stillOpen = 0;
        for (const FlowId flow : m_open)
        {
            if (isFull(flow))
            {
                rates[flow] = level;
                Fix(flow, level);
            }
            else
            {
                m_open[stillOpen++] = flow;
            }
        }
        m_open.resize(stillOpen);
    }
}

} // namespace dml
} // namespace ns3
