/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_RECEIVER_H
#define DML_BURST_RECEIVER_H

#include "dml-ring-queue.h"

#include <algorithm>
#include <cstdint>
#include <map>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The receiving side of a connection of bursts: what has arrived, and what its ACKs report.
 *
 * An ACK reports all that has arrived since the one before, so that a lost ACK costs nothing but
 * time.
 */
class BurstReceiver
{
  public:
    /// @brief A burst has arrived. @param number of the burst @param begin its first byte in the
    /// stream @param bytes how many
    void Take(uint64_t number, uint64_t begin, uint32_t bytes)
    {
        bursts.push_back(number);
        ++m_taken;
        if (begin > m_received)
        {
            uint64_t& end = m_apart[begin];
            end = std::max(end, begin + bytes);
            return;
        }
        m_received = std::max(m_received, begin + bytes);
        while (!m_apart.empty() && m_apart.begin()->first <= m_received)
        {
            m_received = std::max(m_received, m_apart.begin()->second);
            m_apart.erase(m_apart.begin());
        }
    }

    /// @return bytes that have arrived without a gap
    uint64_t GetReceived() const
    {
        return m_received;
    }

    /// @return whether something has arrived behind a gap
    bool HasGap() const
    {
        return !m_apart.empty();
    }

    /// @return bursts that have arrived, from the start of the connection
    uint64_t GetTaken() const
    {
        return m_taken;
    }

    RingQueue<uint64_t> bursts; //!< arrived, but in no ACK that the sender has got, oldest first

  private:
    uint64_t m_received{0};               //!< see GetReceived()
    uint64_t m_taken{0};                  //!< see GetTaken()
    std::map<uint64_t, uint64_t> m_apart; //!< pieces behind a gap: the end of each by its begin
};

} // namespace ns3::dml

#endif /* DML_BURST_RECEIVER_H */
