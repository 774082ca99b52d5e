/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Solving no more than what can have changed.

#include "dml-max-min-solver.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

/// Levels that differ by less may come in another order when everything is solved, by rounding.
constexpr double CLOSE = 1 + 1e-11;

/// Share of a link from which on it counts as one that could become full.
constexpr double NEARLY_FULL = 1 - 1e-9;

/// How often an area may grow before everything is solved.
constexpr uint32_t MOST_TRIES = 4;

/// After so many areas in a row that came to nothing, the next ones are not tried.
constexpr uint32_t MOST_FAILURES = 4;

/// How many of the next changes are solved without an area then.
constexpr uint32_t PAUSE = 200;

} // namespace

void
MaxMinSolver::Enter(FlowId flow)
{
    for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
    {
        auto& hops = m_links[m_routes[hop]].hops;
        m_places[hop] = hops.size();
        hops.push_back(hop);
        m_links[m_routes[hop]].bareShare = UNKNOWN_SHARE;
    }
}

void
MaxMinSolver::Leave(FlowId flow)
{
    for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
    {
        auto& hops = m_links[m_routes[hop]].hops;
        m_places[hops.back()] = m_places[hop];
        hops[m_places[hop]] = hops.back();
        hops.pop_back();
        m_links[m_routes[hop]].bareShare = UNKNOWN_SHARE;
    }
}

void
MaxMinSolver::AddToArea(LinkId link)
{
    if (!m_links[link].inArea)
    {
        m_links[link].inArea = true;
        m_area.push_back(link);
    }
}

void
MaxMinSolver::AddRouteToArea(FlowId flow)
{
    for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
    {
        AddToArea(m_routes[hop]);
    }
}

void
MaxMinSolver::FindLeastShares()
{
    std::vector<uint32_t> flows(m_links.size(), 0);
    for (const LinkId link : m_routes)
    {
        ++flows[link];
    }
    for (Link& link : m_links)
    {
        link.others = NO_LIMIT;
    }
    for (std::size_t flow = 0; flow + 1 < m_firstLink.size(); ++flow)
    {
        for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
        {
            Link& link = m_links[m_routes[hop]];
            for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
            {
                const LinkId other = m_routes[i];
                const double share = m_links[other].capacity / flows[other];
                link.others = i == hop ? link.others : std::min(link.others, share);
            }
        }
    }
}

bool
MaxMinSolver::SolveOneLink(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    if (active.empty())
    {
        return false;
    }
    const FlowId first = active.front();
    for (uint32_t hop = m_firstLink[first]; hop < m_firstLink[first + 1]; ++hop)
    {
        const Link& link = m_links[m_routes[hop]];
        // as FindLevel() has it
        const double level =
            std::max(link.capacity / link.hops.size(), LEAST_SHARE * link.capacity);
        if (link.hops.size() == active.size() && level <= link.others)
        {
            for (const FlowId flow : active)
            {
                rates[flow] = level;
            }
            return true;
        }
    }
    return false;
}

void
MaxMinSolver::SetStale(FlowId flow, bool stale)
{
    Domain& domain = m_state[m_domains[flow]];
    m_stale += (stale ? 1 : 0) - (domain.stale ? 1 : 0);
    domain.stale = stale;
}

bool
MaxMinSolver::HasStale(const std::vector<FlowId>& flows) const
{
    return m_stale > 0 && std::any_of(flows.begin(), flows.end(), [this](FlowId flow) {
               return m_state[m_domains[flow]].stale;
           });
}

void
MaxMinSolver::ForgetStaleLinks()
{
    // those that nobody uses now, too, which nothing else would set
    for (FlowId flow = 0; flow < m_domains.size(); ++flow)
    {
        for (uint32_t hop = m_firstLink[flow];
             hop < m_firstLink[flow + 1] && m_state[m_domains[flow]].stale;
             ++hop)
        {
            m_links[m_routes[hop]].level = NO_LIMIT;
            m_links[m_routes[hop]].load = 0;
        }
    }
}

const std::vector<FlowId>&
MaxMinSolver::SolveChanges(const FlowChanges& changes,
                           const std::vector<FlowId>& active,
                           std::vector<double>& rates)
{
    for (const FlowId flow : changes.ended)
    {
        Leave(flow);
        AddRouteToArea(flow);
    }
    for (const FlowId flow : changes.started)
    {
        Enter(flow);
        AddRouteToArea(flow);
    }
    if (SolveOneLink(active, rates))
    {
        SetStale(active.front(), true);
        for (const LinkId id : m_area)
        {
            Link& link = m_links[id];
            link.level = link.hops.empty() ? NO_LIMIT : link.level; // of other domains, too
            link.load = link.hops.empty() ? 0 : link.load;
        }
        LeaveArea();
        return active;
    }
    if (active.empty())
    {
        TakeAll(active, rates);
        LeaveArea();
        return active;
    }
    Domain& domain = m_state[m_domains[active.front()]];
    if (domain.pause > 0)
    {
        --domain.pause;
        SetStale(active.front(), true);
        Fill(active, rates);
        LeaveArea();
        return active;
    }
    const bool stale = HasStale(active);
    const bool anew = changes.capacities || stale;
    for (uint32_t tries = 0; tries < MOST_TRIES && !anew; ++tries)
    {
        ListFlowsOfArea();
        if (2 * m_areaFlows.size() > active.size() || !SolveArea())
        {
            break;
        }
        if (!GrowArea(rates))
        {
            domain.failures = 0;
            TakeArea(rates);
            LeaveArea();
            return m_areaFlows;
        }
    }
    if (!anew && ++domain.failures == MOST_FAILURES)
    {
        domain.failures = 0;
        domain.pause = PAUSE;
    }
    if (stale)
    {
        ForgetStaleLinks();
        for (const FlowId flow : active)
        {
            SetStale(flow, false);
        }
    }
    Fill(active, rates);
    TakeAll(active, rates);
    LeaveArea();
    return active;
}

void
MaxMinSolver::ListFlowsOfArea()
{
    m_areaFlows.clear();
    for (const LinkId link : m_area)
    {
        for (const uint32_t hop : m_links[link].hops)
        {
            const FlowId flow = m_flowOfHop[hop];
            if (!m_isInArea[flow])
            {
                m_isInArea[flow] = true;
                m_areaFlows.push_back(flow);
            }
        }
    }
    for (const FlowId flow : m_areaFlows)
    {
        m_isInArea[flow] = false;
    }
}

bool
MaxMinSolver::SolveArea()
{
    for (const LinkId id : m_area)
    {
        Link& link = m_links[id];
        link.left = link.capacity;
        link.open = link.hops.size();
        link.nextLevel = NO_LIMIT;
    }
    m_limited.clear();
    for (const FlowId flow : m_areaFlows)
    {
        m_areaRates[flow] = -1;
        double limit = NO_LIMIT;
        for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
        {
            const Link& link = m_links[m_routes[hop]];
            limit = link.inArea ? limit : std::min(limit, link.level);
        }
        if (limit < NO_LIMIT)
        {
            m_limited.push_back({limit, flow});
        }
    }
    std::sort(m_limited.begin(), m_limited.end());
    std::size_t limited = 0;
    double last = 0;
    for (;;)
    {
        while (limited < m_limited.size() && m_areaRates[m_limited[limited].flow] >= 0)
        {
            ++limited;
        }
        const double level = FindLevelOfArea(limited);
        if (level == NO_LIMIT)
        {
            return true;
        }
        if (!IsClear(level, last, limited))
        {
            return false;
        }
        last = level;
        for (; limited < m_limited.size() && m_limited[limited].limit <= level; ++limited)
        {
            FixInArea(m_limited[limited].flow, level);
        }
        for (const LinkId id : m_area)
        {
            Link& link = m_links[id];
            if (link.nextLevel != level || link.open == 0)
            {
                continue;
            }
            for (const uint32_t hop : link.hops)
            {
                FixInArea(m_flowOfHop[hop], level);
            }
        }
    }
}

double
MaxMinSolver::FindLevelOfArea(std::size_t nextLimited)
{
    double level = nextLimited < m_limited.size() ? m_limited[nextLimited].limit : NO_LIMIT;
    for (const LinkId id : m_area)
    {
        Link& link = m_links[id];
        if (link.open > 0)
        {
            link.share = link.GetShare();
            level = std::min(level, link.share);
        }
    }
    for (const LinkId id : m_area)
    {
        Link& link = m_links[id];
        if (link.open > 0 && link.share <= level)
        {
            link.nextLevel = level;
        }
    }
    return level;
}

bool
MaxMinSolver::IsClear(double level, double last, std::size_t nextLimited) const
{
    const auto isClose = [level](double other) { return other > level && other <= level * CLOSE; };
    if (level < last || (last > 0 && level <= last * CLOSE))
    {
        return false;
    }
    for (const LinkId id : m_area)
    {
        if (m_links[id].open > 0 && isClose(m_links[id].share))
        {
            return false;
        }
    }
    for (; nextLimited < m_limited.size() && m_limited[nextLimited].limit <= level * CLOSE;
         ++nextLimited)
    {
        if (isClose(m_limited[nextLimited].limit))
        {
            return false;
        }
    }
    return true;
}

void
MaxMinSolver::FixInArea(FlowId flow, double rate)
{
    if (m_areaRates[flow] >= 0)
    {
        return;
    }
    m_areaRates[flow] = rate;
    for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
    {
        Link& link = m_links[m_routes[hop]];
        if (link.inArea)
        {
            link.left -= rate;
            --link.open;
        }
    }
}

bool
MaxMinSolver::GrowArea(const std::vector<double>& rates)
{
    const std::size_t size = m_area.size();
    for (const FlowId flow : m_areaFlows)
    {
        for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
        {
            const Link& link = m_links[m_routes[hop]];
            if (!link.inArea && link.level < NO_LIMIT && m_areaRates[flow] != rates[flow])
            {
                AddToArea(m_routes[hop]);
            }
        }
    }
    if (m_area.size() > size)
    {
        return true;
    }
    m_loaded.clear();
    AddLoads(rates, 1);
    const auto fits = [this](LinkId id) {
        return m_links[id].load <= NEARLY_FULL * m_links[id].capacity;
    };
    m_loaded.erase(std::remove_if(m_loaded.begin(), m_loaded.end(), fits), m_loaded.end());
    if (m_loaded.empty())
    {
        return false;
    }
    AddLoads(rates, -1);
    for (const LinkId id : m_loaded)
    {
        AddToArea(id);
    }
    return true;
}

void
MaxMinSolver::AddLoads(const std::vector<double>& rates, double sign)
{
    for (const FlowId flow : m_areaFlows)
    {
        const double change = m_areaRates[flow] - rates[flow];
        for (uint32_t hop = m_firstLink[flow]; change != 0 && hop < m_firstLink[flow + 1]; ++hop)
        {
            Link& link = m_links[m_routes[hop]];
            if (!link.inArea)
            {
                link.load += sign * change;
                if (sign > 0)
                {
                    m_loaded.push_back(m_routes[hop]);
                }
            }
        }
    }
}

void
MaxMinSolver::TakeArea(std::vector<double>& rates)
{
    for (const FlowId flow : m_areaFlows)
    {
        rates[flow] = m_areaRates[flow];
    }
    for (const LinkId id : m_area)
    {
        Link& link = m_links[id];
        link.level = link.nextLevel;
        link.load = 0;
        for (const uint32_t hop : link.hops)
        {
            link.load += rates[m_flowOfHop[hop]];
        }
        NS_ASSERT_MSG(link.IsWithinCapacity(), "a link carries more than it can");
    }
}

void
MaxMinSolver::TakeAll(const std::vector<FlowId>& active, const std::vector<double>& rates)
{
    for (const LinkId id : m_area)
    {
        Link& link = m_links[id];
        link.level = link.hops.empty() ? NO_LIMIT : link.level; // Fill() has not seen it
        link.load = 0;
    }
    for (const double sign : {0.0, 1.0})
    {
        for (const FlowId flow : active)
        {
            for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
            {
                Link& link = m_links[m_routes[hop]];
                link.load = sign * (link.load + rates[flow]);
                NS_ASSERT_MSG(link.IsWithinCapacity(), "a link carries more than it can");
            }
        }
    }
}

void
MaxMinSolver::LeaveArea()
{
    for (const LinkId id : m_area)
    {
        m_links[id].inArea = false;
    }
    m_area.clear();
}

} // namespace dml
} // namespace ns3
