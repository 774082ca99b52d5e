/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-event-lineage.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

EventLineage::EventLineage(uint32_t root)
    : m_root(root)
{
}

EventLineage
EventLineage::MakeChild(int64_t gap) const
{
    EventLineage child = *this;
    if (m_size > 0 && m_gaps[0] == gap && m_counts[0] < std::numeric_limits<uint32_t>::max())
    {
        ++child.m_counts[0];
        return child;
    }
    const uint32_t kept = std::min(m_size, RUNS - 1);
    std::copy_n(m_gaps.begin(), kept, child.m_gaps.begin() + 1);
    std::copy_n(m_counts.begin(), kept, child.m_counts.begin() + 1);
    child.m_gaps[0] = gap;
    child.m_counts[0] = 1;
    child.m_size = kept + 1;
    return child;
}

int
EventLineage::Compare(const EventLineage& other) const
{
    uint32_t mine = 0;
    uint32_t theirs = 0;
    uint32_t myCount = m_counts[0];
    uint32_t theirCount = other.m_counts[0];
    while (mine < m_size && theirs < other.m_size)
    {
        if (m_gaps[mine] != other.m_gaps[theirs])
        {
            return m_gaps[mine] > other.m_gaps[theirs] ? -1 : 1;
        }
        const uint32_t common = std::min(myCount, theirCount);
        myCount -= common;
        theirCount -= common;
        if (myCount == 0 && ++mine < m_size)
        {
            myCount = m_counts[mine];
        }
        if (theirCount == 0 && ++theirs < other.m_size)
        {
            theirCount = other.m_counts[theirs];
        }
    }
    // a chain that is not cut off and ends here was scheduled before the simulation began
    const bool mineEnds = mine == m_size && m_size < RUNS;
    const bool theirsEnds = theirs == other.m_size && other.m_size < RUNS;
    if (mineEnds != theirsEnds)
    {
        return mineEnds ? -1 : 1;
    }
    return m_root == other.m_root ? 0 : m_root < other.m_root ? -1 : 1;
}

} // namespace ns3::dml
