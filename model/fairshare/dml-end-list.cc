/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-end-list.h"

#include "ns3/dml-instant.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

/// Two times further apart than this lie in different instants.
constexpr double TWO_INSTANTS = 2 / INSTANTS_PER_SECOND;

} // namespace

void
EndList::Add(FlowId flow, uint64_t order, double end)
{
    if (m_flows.size() == BLOCK * m_blocks.size())
    {
        m_blocks.push_back({0, true});
    }
    m_flows.push_back(flow);
    m_orders.push_back(order);
    m_ends.push_back(end);
    m_blocks.back().stale = true;
}

void
EndList::Remove(std::size_t place)
{
    m_flows[place] = m_flows.back();
    m_orders[place] = m_orders.back();
    Set(place, m_ends.back());
    m_flows.pop_back();
    m_orders.pop_back();
    m_ends.pop_back();
    m_blocks.back().stale = true;
    if (m_flows.size() <= BLOCK * (m_blocks.size() - 1))
    {
        m_blocks.pop_back();
    }
}

void
EndList::Refresh(std::size_t block)
{
    const auto begin = m_ends.begin() + block * BLOCK;
    const auto end = m_ends.begin() + std::min((block + 1) * BLOCK, m_ends.size());
    double first = std::numeric_limits<double>::infinity();
    for (auto time = begin; time != end; ++time)
    {
        first = std::min(first, *time);
    }
    m_blocks[block] = {first, false};
}

FlowEnd
EndList::FindFirst()
{
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t block = 0; block < m_blocks.size(); ++block)
    {
        if (m_blocks[block].stale)
        {
            Refresh(block);
        }
        first = std::min(first, m_blocks[block].first);
    }
    FlowEnd next;
    if (std::isinf(first))
    {
        return next;
    }
    // of the others that end in the same instant one may go first
    const double last = first + TWO_INSTANTS;
    for (std::size_t block = 0; block < m_blocks.size(); ++block)
    {
        if (m_blocks[block].first > last)
        {
            continue;
        }
        const std::size_t end = std::min((block + 1) * BLOCK, m_ends.size());
        for (std::size_t place = block * BLOCK; place < end; ++place)
        {
            if (m_ends[place] > last)
            {
                continue;
            }
            FlowEnd candidate;
            candidate.time = m_ends[place];
            candidate.instant = InstantOf(candidate.time);
            candidate.order = m_orders[place];
            candidate.flow = m_flows[place];
            next = std::min(next, candidate);
        }
    }
    return next;
}

} // namespace dml
} // namespace ns3
