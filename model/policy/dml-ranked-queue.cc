/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-ranked-queue.h"

namespace ns3::dml
{

bool
RankedQueue::Entry::operator<(const Entry& other) const
{
    return rank != other.rank ? rank > other.rank : arrival > other.arrival;
}

void
RankedQueue::Prepare(const std::vector<TransferInfo>& transfers)
{
    for (const auto& info : transfers)
    {
        if (info.transfer >= m_ranks.size())
        {
            m_ranks.resize(info.transfer + 1, NO_INDEX);
        }
        m_ranks[info.transfer] = info.rank;
    }
}

void
RankedQueue::Push(OpIndex transfer, uint64_t bytes)
{
    const uint32_t rank = transfer < m_ranks.size() ? m_ranks[transfer] : NO_INDEX;
    m_queue.push({rank, m_arrivals++, {transfer, bytes}});
}

const Turn&
RankedQueue::GetFirst() const
{
    return m_queue.top().turn;
}

Turn
RankedQueue::Pop()
{
    const Turn first = m_queue.top().turn;
    m_queue.pop();
    return first;
}

uint32_t
RankedQueue::GetFirstRank() const
{
    return m_queue.top().rank;
}

uint32_t
RankedQueue::GetSize() const
{
    return m_queue.size();
}

bool
RankedQueue::IsEmpty() const
{
    return m_queue.empty();
}

} // namespace ns3::dml
