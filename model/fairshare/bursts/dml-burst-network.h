/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_NETWORK_H
#define DML_BURST_NETWORK_H

#include "dml-burst-memory.h"
#include "dml-burst-port.h"

#include "ns3/dml-fair-share-network.h"
#include "ns3/rng-stream.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The ports of a run, the routes of its connections through them, and what is on its way.
 */
class BurstNetwork
{
  public:
    /// One link of a route, and the queue at its port.
    struct Hop
    {
        LinkId link;    //!< the link; NO_LINK: the route has ended
        uint32_t queue; //!< index that BurstPort::AddQueue() returned
        /// Bursts leave the ports before this one in the order in which they come to it, so what
        /// happens here can be computed when they leave there.
        bool ordered;
    };

    /// Behind the last link of a route.
    static constexpr LinkId NO_LINK = UINT32_MAX;

    /**
     * @param network a prepared network with ports
     * @param linkRatio bytes on a link for a byte of a tensor
     * @param random draws what RED drops; outlives this
     */
    BurstNetwork(const FairShareNetwork& network, double linkRatio, RngStream& random);
    BurstNetwork(const BurstNetwork&) = delete;
    BurstNetwork& operator=(const BurstNetwork&) = delete;

    /// @param links of a route, in order; may be empty @return index of its first hop
    uint32_t AddRoute(const std::vector<LinkId>& links);

    /// @brief Find Hop::ordered. All routes are known.
    void FindOrderedPorts();

    /// @param index of a hop @return it; the next one of its route follows
    const Hop& GetHop(uint32_t index) const
    {
        return m_hops[index];
    }

    /// @param seconds any @param hop index of a route's first hop @param bytes on a link
    /// @return the seconds and those that so many bytes take on the route without waiting
    double AddDelay(double seconds, uint32_t hop, double bytes) const;

    /// @param hop index of a route's first hop @param now seconds
    /// @return how long something small has to wait on it, seconds, as queues are now
    double GetWait(uint32_t hop, double now) const;

    /// @param link any @return its port
    BurstPort& GetPort(LinkId link)
    {
        return m_ports[link];
    }

    /// @return all ports, by link
    const std::vector<BurstPort>& GetPorts() const
    {
        return m_ports;
    }

    /// @return what is on its way
    BurstPool& GetBursts()
    {
        return m_bursts;
    }

    /// @param seconds by which the origin of times is later
    void MoveOrigin(double seconds);

  private:
    BurstPool m_bursts;             //!< all that is on its way
    std::vector<BurstPort> m_ports; //!< by link
    /// Memories that ports share, by switch, and the links of these ports.
    std::map<uint32_t, BurstMemory> m_memories;
    std::map<uint32_t, std::vector<LinkId>> m_sharing;
    std::vector<Hop> m_hops; //!< routes one after the other, each with an end
};

} // namespace ns3::dml

#endif /* DML_BURST_NETWORK_H */
