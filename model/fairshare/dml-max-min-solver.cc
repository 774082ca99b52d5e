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

namespace
{

/// What rounding must not take away from a flow: less would stop it for ever.
constexpr double LEAST_SHARE = 1e-12;

} // namespace

MaxMinSolver::MaxMinSolver(std::vector<double> capacities)
{
    for (const double capacity : capacities)
    {
        m_links.push_back({capacity, 0, 0, {}});
    }
}

void
MaxMinSolver::Clear()
{
    for (const uint32_t link : m_used)
    {
        m_links[link].flows.clear();
    }
    m_used.clear();
    m_routes.clear();
    m_firstLink.resize(1);
}

void
MaxMinSolver::AddFlow(const std::vector<uint32_t>& links)
{
    const uint32_t flow = m_firstLink.size() - 1;
    for (const uint32_t link : links)
    {
        if (m_links[link].flows.empty())
        {
            m_used.push_back(link);
        }
        m_links[link].flows.push_back(flow);
        m_routes.push_back(link);
    }
    m_firstLink.push_back(m_routes.size());
}

void
MaxMinSolver::AddFlow(uint32_t first, uint32_t second)
{
    for (const uint32_t link : {first, second})
    {
        if (m_links[link].flows.empty())
        {
            m_used.push_back(link);
        }
        m_links[link].flows.push_back(m_firstLink.size() - 1);
        m_routes.push_back(link);
    }
    m_firstLink.push_back(m_routes.size());
}

void
MaxMinSolver::Fix(uint32_t flow, double rate)
{
    m_rates[flow] = rate;
    for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
    {
        Link& link = m_links[m_routes[i]];
        link.left -= rate;
        --link.open;
    }
}

const std::vector<double>&
MaxMinSolver::Solve()
{
    const uint32_t flows = m_firstLink.size() - 1;
    m_rates.assign(flows, -1);
    for (const uint32_t index : m_used)
    {
        m_links[index].left = m_links[index].capacity;
        m_links[index].open = m_links[index].flows.size();
    }
    for (uint32_t fixed = 0; fixed < flows;)
    {
        double level = std::numeric_limits<double>::infinity();
        Link* bottleneck = nullptr;
        for (const uint32_t index : m_used)
        {
            Link& link = m_links[index];
            if (link.open > 0 && link.left / link.open < level)
            {
                level = link.left / link.open;
                bottleneck = &link;
            }
        }
        for (const uint32_t flow : bottleneck->flows)
        {
            if (m_rates[flow] < 0)
            {
                Fix(flow, std::max(level, LEAST_SHARE * bottleneck->capacity));
                ++fixed;
            }
        }
    }
    return m_rates;
}

} // namespace dml
} // namespace ns3
