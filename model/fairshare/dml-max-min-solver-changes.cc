/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Solving no more than what can have changed.

#include "dml-max-min-solver.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// Levels that differ by less may come in another order when everything is solved, by rounding.
constexpr double CLOSE = 1 + 1e-11;

/// A link counts as one that cannot become full if its share is above any level by this factor.
constexpr double CLEARLY = 1 + 1e-9;

/// A link whose flows take less than this share of it is not full, whatever rounding does.
constexpr double NEARLY_FULL = 1 - 1e-9;

/// The highest level is found again after so many flows for each link have been looked at in vain.
constexpr std::size_t RETRY = 4;

/// So often each active flow may be looked at, on average, before everything is solved.
constexpr std::size_t MOST_LOOKS = 3;

/// After so many times in a row the next changes are not tried to be solved in parts.
constexpr uint32_t MOST_FAILURES = 4;

/// How many these are.
constexpr uint32_t PAUSE = 200;

/// @return whether a link of level @p other may get another one when the level of another link on
/// the way of one of its flows goes from @p old to @p level; infinite: that one is not full
bool
Matters(double old, double level, double other)
{
    const bool fits = std::isinf(other) && level <= old; // and did so before
    const bool later = old >= other && (level == other || level > other * CLOSE);
    return !fits && !later;
}

} // namespace

inline double
MaxMinSolver::GetLimit(const Crossing& crossing) const
{
    double limit = NO_LIMIT;
    for (uint32_t i = crossing.begin; i < crossing.end; ++i)
    {
        limit = std::min(limit, m_levels[m_others[i]]);
    }
    return limit;
}

void
MaxMinSolver::Enter(FlowId flow)
{
    for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
    {
        Link& link = m_links[m_routes[hop]];
        m_places[hop] = link.first + link.flows++;
        m_active[m_places[hop]] = m_crossings[hop];
    }
}

void
MaxMinSolver::Leave(FlowId flow)
{
    for (uint32_t hop = m_firstLink[flow]; hop < m_firstLink[flow + 1]; ++hop)
    {
        Link& link = m_links[m_routes[hop]];
        const Crossing& last = m_active[link.first + --link.flows];
        m_places[last.hop] = m_places[hop];
        m_active[m_places[hop]] = last;
        if (link.flows == 0)
        {
            m_levels[m_routes[hop]] = NO_LIMIT;
        }
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
    m_limits.resize(*std::max_element(flows.begin(), flows.end()));
    uint32_t first = 0;
    for (LinkId id = 0; id < m_links.size(); ++id)
    {
        m_links[id].first = first;
        first += flows[id];
        m_links[id].others = NO_LIMIT;
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

const std::vector<FlowId>&
MaxMinSolver::SolveChanges(const FlowChanges& changes,
                           const std::vector<FlowId>& active,
                           std::vector<double>& rates)
{
    for (const FlowId flow : changes.ended)
    {
        Leave(flow);
        Await(flow);
    }
    for (const FlowId flow : changes.started)
    {
        Enter(flow);
        Await(flow);
    }
    if (changes.capacities || m_pause > 0 || !FindLevels(MOST_LOOKS * (active.size() + 1)))
    {
        m_pause -= m_pause > 0 ? 1 : 0;
        Forget();
        Fill(active, rates);
        return active;
    }
    m_solved.clear();
    for (const FlowId flow : changes.started)
    {
        const uint32_t hop = m_firstLink[flow];
        rates[flow] = std::min(m_levels[m_routes[hop]], GetLimit(m_crossings[hop]));
        m_solved.push_back(flow);
    }
    TakeRates(rates);
    return m_solved;
}

void
MaxMinSolver::Await(FlowId flow)
{
    for (uint32_t i = m_firstLink[flow]; i < m_firstLink[flow + 1]; ++i)
    {
        AwaitLink(m_routes[i]);
    }
}

void
MaxMinSolver::AwaitLink(LinkId id)
{
    if (!m_links[id].waits)
    {
        m_links[id].waits = true;
        m_waiting.push_back(id);
    }
}

bool
MaxMinSolver::FindLevels(std::size_t most)
{
    std::size_t looks = 0;
    for (std::size_t next = 0; next < m_waiting.size(); ++next)
    {
        const LinkId id = m_waiting[next];
        m_links[id].waits = false;
        const double level = FindLevelOf(id);
        looks += m_links[id].flows;
        if (level == UNCLEAR || looks > most)
        {
            m_failures = (m_failures + 1) % MOST_FAILURES;
            m_pause = m_failures == 0 ? PAUSE : 0;
            return false;
        }
        if (level != m_levels[id])
        {
            SetLevel(id, level);
        }
    }
    m_waiting.clear();
    m_failures = 0;
    return true;
}

bool
MaxMinSolver::LimitsAlone(const Link& link)
{
    if (m_most * CLEARLY < link.others)
    {
        return true;
    }
    m_missed += link.flows;
    if (m_missed < RETRY * m_links.size())
    {
        return false;
    }
    m_missed = 0;
    m_most = 0;
    for (const double level : m_levels)
    {
        m_most = level < NO_LIMIT ? std::max(m_most, level) : m_most;
    }
    return m_most * CLEARLY < link.others;
}

double
MaxMinSolver::FindLevelOf(LinkId id)
{
    const Link& link = m_links[id];
    if (link.flows == 0)
    {
        return NO_LIMIT;
    }
    double least = NO_LIMIT;
    double sum = NO_LIMIT;
    if (!LimitsAlone(link))
    {
        sum = 0;
        for (uint32_t i = 0; i < link.flows; ++i)
        {
            const double limit = GetLimit(m_active[link.first + i]);
            m_limits[i] = limit;
            least = std::min(least, limit);
            sum += limit;
        }
    }
    if (sum < NEARLY_FULL * link.capacity)
    {
        return NO_LIMIT;
    }
    const double share = link.capacity / link.flows;
    return least == share || least > share * CLOSE ? share : FillLink(link);
}

double
MaxMinSolver::FillLink(const Link& link)
{
    std::sort(m_limits.begin(), m_limits.begin() + link.flows);
    double left = link.capacity;
    for (uint32_t i = 0; i < link.flows; ++i)
    {
        const double limit = m_limits[i];
        const double share = left / (link.flows - i);
        if (limit == share || limit > share * CLOSE)
        {
            return share > 2 * LEAST_SHARE * link.capacity ? share : UNCLEAR;
        }
        if (limit * CLOSE >= share)
        {
            return UNCLEAR;
        }
        left -= limit;
    }
    return NO_LIMIT;
}

void
MaxMinSolver::SetLevel(LinkId id, double level)
{
    const double old = m_levels[id];
    m_levels[id] = level;
    m_most = level < NO_LIMIT ? std::max(m_most, level) : m_most;
    Link& link = m_links[id];
    if (!link.moved)
    {
        link.moved = true;
        m_moved.push_back(id);
    }
    if (LimitsAlone(link))
    {
        return;
    }
    for (uint32_t place = link.first; place < link.first + link.flows; ++place)
    {
        for (uint32_t i = m_active[place].begin; i < m_active[place].end; ++i)
        {
            if (Matters(old, level, m_levels[m_others[i]]))
            {
                AwaitLink(m_others[i]);
            }
        }
    }
}

void
MaxMinSolver::TakeRates(std::vector<double>& rates)
{
    for (const LinkId id : m_moved)
    {
        Link& link = m_links[id];
        link.moved = false;
        const bool alone = LimitsAlone(link);
        const double level = m_levels[id];
        for (uint32_t place = link.first; place < link.first + link.flows; ++place)
        {
            const Crossing& crossing = m_active[place];
            const double rate = alone ? level : std::min(level, GetLimit(crossing));
            if (rates[crossing.flow] != rate)
            {
                rates[crossing.flow] = rate;
                m_solved.push_back(crossing.flow);
            }
        }
    }
    m_moved.clear();
}

void
MaxMinSolver::Forget()
{
    for (const LinkId id : m_waiting)
    {
        m_links[id].waits = false;
    }
    for (const LinkId id : m_moved)
    {
        m_links[id].moved = false;
    }
    m_waiting.clear();
    m_moved.clear();
}

} // namespace ns3::dml
