/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LOCAL_LINK_H
#define DML_LOCAL_LINK_H

#include "dml-ns3-compat.h"

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/dml-cluster-network.h"
#include "ns3/loopback-net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <unordered_map>

namespace ns3::dml
{

class LocalLink;

/// What LocalLink derives from, with its own name in all releases of ns-3.
using LocalLinkParent = Ns3Parent<LocalLink, LoopbackNetDevice>;

/**
 * @ingroup dml-packet
 * @brief A loopback device that takes time: what carries packets between the workers and servers of
 * a host, such as NVLink.
 *
 * Each of them has a full-duplex port to it. A packet waits in FIFO order at the port of who sends
 * and then at the port of who receives, takes its length over the rate at each, and travels half of
 * the delay behind each, as on a star of point-to-point links whose queues never drop. Whose packet
 * it is, the TCP ports tell.
 */
class LocalLink : public LocalLinkParent
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @brief Count trains of segments with the headers of all their segments.
    /// @param segment payload of a full segment, bytes @param header on the link, bytes
    void SetTrains(uint32_t segment, uint32_t header);

    /**
     * @brief Give a worker or server a port.
     * @param link the direction in which it sends; the reverse is this ^ 1
     * @param rate of each direction
     * @param delay behind each port
     * @param listening TCP port on which it listens
     */
    void AddPort(DirectedLink link, const DataRate& rate, const Time& delay, uint16_t listening);

    /// @brief Tell whose a connection is. @param link of AddPort() @param tcpPort from which it is
    /// opened
    void AddConnection(DirectedLink link, uint16_t tcpPort)
    {
        m_owners[tcpPort] = link;
    }

    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;

    /// Callback of the trace source Sent. @param link on which a packet has been sent @param bytes
    /// of it, headers included
    using SentCallback = void (*)(DirectedLink link, uint32_t bytes);

  protected:
    void DoDispose() override;

  private:
    /// One direction of a port.
    struct Port
    {
        DataRate rate; //!< at which it sends
        Time delay;    //!< behind it
        Time free;     //!< when it has sent all that waits
    };

    /// A packet on its way.
    struct Passage
    {
        Ptr<Packet> packet;       //!< with its headers
        Address destination;      //!< as Send() got it
        uint16_t protocol{0};     //!< likewise
        uint32_t bytes{0};        //!< on the link
        DirectedLink receiver{0}; //!< to the port of who receives it
    };

    /// @return when a port will have sent so much more
    Time Occupy(DirectedLink link, uint32_t bytes);
    /// It has left the port of its sender.
    void Left(DirectedLink link, Passage passage);
    /// It has come to the port of its receiver.
    void Arrived(Passage passage);
    /// It has left that port, too.
    void Deliver(Passage passage);
    /// @return bytes on the link
    uint32_t GetLength(const Packet& packet) const;

    uint32_t m_segment{0};                               //!< of trains; 0: packets are segments
    uint32_t m_header{0};                                //!< of each segment of a train
    std::map<DirectedLink, Port> m_ports;                //!< by direction
    std::unordered_map<uint16_t, DirectedLink> m_owners; //!< by TCP port: direction of the sender
    TracedCallback<Ptr<const Packet>> m_left;            //!< trace source
    TracedCallback<DirectedLink, uint32_t> m_sent;       //!< trace source
};

} // namespace ns3::dml

#endif /* DML_LOCAL_LINK_H */
