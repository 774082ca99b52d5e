/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_POOL_H
#define DML_BURST_POOL_H

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// Index of a burst in BurstPool.
using BurstId = uint32_t;

/// A burst, an ACK or a datagram on its way; it fills one line of the caches.
struct alignas(64) NetworkBurst
{
    uint32_t connection; //!< of which it is
    uint32_t hop;        //!< index of the hop at which it is, among those of all routes
    uint64_t begin;      //!< first byte in the stream; of an ACK: bytes that have arrived
    uint64_t number;     //!< of the burst; of an ACK: bursts that it reports, from the start
    double size;         //!< bytes on the link
    uint32_t bytes;      //!< payload; 0: it is an ACK
    uint32_t life;       //!< of the connection, which may have been opened anew since
    double spread;       //!< seconds from the arrival of the first to that of the last segment
    double since;        //!< when it came to the port in which it waits, seconds
    uint16_t segments;   //!< of it
    uint16_t marked;     //!< segments of it (ECN)
    BurstId next;        //!< the one behind it in its queue, if there is one
};

/**
 * @ingroup dml-fairshare
 * @brief Where bursts are while they are on their way.
 */
class BurstPool
{
  public:
    /// @return index of a new burst, which is to be filled in place
    BurstId Add()
    {
        if (m_free.empty())
        {
            m_bursts.emplace_back();
            return m_bursts.size() - 1;
        }
        const BurstId id = m_free.back();
        m_free.pop_back();
        m_bursts[id] = {};
        return id;
    }

    /// @param id of a burst @return it
    NetworkBurst& operator[](BurstId id)
    {
        return m_bursts[id];
    }

    /// @param id of a burst that is at its end; what is known of it stays until the next Add()
    void Remove(BurstId id)
    {
        m_free.push_back(id);
    }

    /// @param seconds by which the origin of times is later
    void MoveOrigin(double seconds)
    {
        for (auto& burst : m_bursts)
        {
            burst.since -= seconds;
        }
    }

  private:
    std::vector<NetworkBurst> m_bursts; //!< all, and free places
    std::vector<BurstId> m_free;        //!< these
};

} // namespace ns3::dml

#endif /* DML_BURST_POOL_H */
