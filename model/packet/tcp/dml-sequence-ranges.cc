/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sequence-ranges.h"

#include <algorithm>
#include <iterator>

namespace ns3::dml
{

void
SequenceRanges::Add(SequenceNumber32 begin, SequenceNumber32 end)
{
    if (end <= begin)
    {
        return;
    }
    auto next = m_ends.upper_bound(begin);
    if (next != m_ends.begin() && std::prev(next)->second >= begin)
    {
        --next;
        begin = next->first;
    }
    while (next != m_ends.end() && next->first <= end)
    {
        end = std::max(end, next->second);
        next = m_ends.erase(next);
    }
    m_ends.emplace_hint(next, begin, end);
}

void
SequenceRanges::RemoveBefore(SequenceNumber32 end)
{
    while (!m_ends.empty() && m_ends.begin()->first < end)
    {
        const SequenceNumber32 last = m_ends.begin()->second;
        m_ends.erase(m_ends.begin());
        Add(end, last);
    }
}

SequenceNumber32
SequenceRanges::FindAbsent(SequenceNumber32 begin) const
{
    const auto next = m_ends.upper_bound(begin);
    return next == m_ends.begin() ? begin : std::max(begin, std::prev(next)->second);
}

} // namespace ns3::dml
