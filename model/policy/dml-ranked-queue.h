/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANKED_QUEUE_H
#define DML_RANKED_QUEUE_H

#include "dml-transfer-policy.h"

#include <cstdint>
#include <queue>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-policy
 * @brief Transfers that are ready, the one of the lowest rank first, equal ranks first come first
 * served. Transfers without a rank come last.
 */
class RankedQueue
{
  public:
    /// @param transfers all that may come, with their ranks
    void Prepare(const std::vector<TransferInfo>& transfers)
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

    /// @param transfer a transfer that has become ready @param bytes its size
    void Push(OpIndex transfer, uint64_t bytes)
    {
        const uint32_t rank = transfer < m_ranks.size() ? m_ranks[transfer] : NO_INDEX;
        m_queue.push({rank, m_arrivals++, {transfer, bytes}});
    }

    /// @return the first transfer and all its bytes; the queue is not empty
    const Turn& GetFirst() const
    {
        return m_queue.top().turn;
    }

    /// @brief Take the first transfer out. @return it; the queue is not empty before
    Turn Pop()
    {
        const Turn first = m_queue.top().turn;
        m_queue.pop();
        return first;
    }

    /// @return rank of the first transfer; the queue is not empty
    uint32_t GetFirstRank() const
    {
        return m_queue.top().rank;
    }

    /// @return number of transfers in it
    uint32_t GetSize() const
    {
        return m_queue.size();
    }

    /// @return whether there are none
    bool IsEmpty() const
    {
        return m_queue.empty();
    }

  private:
    /// A transfer in its place.
    struct Entry
    {
        uint32_t rank;    //!< lower goes first
        uint64_t arrival; //!< number of transfers that came before
        Turn turn;        //!< the transfer

        /// @param other another entry @return whether this one goes after it
        bool operator<(const Entry& other) const
        {
            return rank != other.rank ? rank > other.rank : arrival > other.arrival;
        }
    };

    std::vector<uint32_t> m_ranks;      //!< by transfer
    std::priority_queue<Entry> m_queue; //!< the greatest on top is the one that goes after no other
    uint64_t m_arrivals{0};             //!< transfers that have come
};

} // namespace ns3::dml

#endif /* DML_RANKED_QUEUE_H */
