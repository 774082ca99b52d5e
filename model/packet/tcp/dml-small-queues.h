/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SMALL_QUEUES_H
#define DML_SMALL_QUEUES_H

#include "ns3/callback.h"
#include "ns3/ipv4-address.h"
#include "ns3/object.h"
#include "ns3/packet.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

class NetDevice;
class Node;
class QueueDiscItem;

namespace dml
{

/**
 * @ingroup dml-packet
 * @brief Knows how much of each socket waits in the queues of its own host.
 *
 * Linux counts these bytes to keep the queues short (TCP small queues, tcp_small_queue_check()).
 * Aggregated to a node, it watches the node's point-to-point devices.
 */
class SmallQueues : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Get the one of a node, made and aggregated where there is none yet.
     * @param node with all its devices and queue discs
     * @return it
     */
    static Ptr<SmallQueues> Of(Ptr<Node> node);

    /**
     * @param peer address of a node
     * @return whether it sees what leaves this node for that one: not what stays here, unless the
     * node has a LocalLink, nor where there are devices of other kinds
     */
    bool Sees(Ipv4Address peer) const;

    /**
     * @brief Add a socket.
     * @param left called whenever something of it has left the host
     * @return its number
     */
    uint32_t Add(Callback<void> left);

    /**
     * @brief Forget a socket.
     * @param socket its number
     */
    void Remove(uint32_t socket);

    /**
     * @brief Count a packet that a socket sends.
     * @param socket its number
     * @param packet payload
     */
    void Count(uint32_t socket, const Packet& packet);

    /**
     * @param socket its number
     * @return payload that waits in this host, in bytes
     */
    uint32_t GetBacklog(uint32_t socket) const
    {
        return m_senders[socket].backlog;
    }

  protected:
    void DoDispose() override;

  private:
    /// Of packets with one number; pieces of a packet have the number of the whole.
    struct Pieces
    {
        uint32_t socket; //!< number of the socket that sent them
        uint32_t count;  //!< how many wait
        uint32_t bytes;  //!< of their payload
    };

    /// A socket, and what waits of it.
    struct Sender
    {
        Callback<void> left; //!< null: it is gone
        uint32_t backlog{0}; //!< bytes
    };

    /// Watch all devices. @param node their node
    void Watch(Ptr<Node> node);
    /// Watch a device that is not point-to-point. @param device of the node
    void WatchOther(Ptr<NetDevice> device);
    /// A packet is no longer here. @param packet with its headers
    void HandleLeft(Ptr<const Packet> packet);
    /// A packet was dropped here. @param item with it
    void HandleDropped(Ptr<const QueueDiscItem> item);

    Ptr<Node> m_node;                               //!< watched
    bool m_seesAll{true};                           //!< its devices are point-to-point or loopback
    bool m_seesLocal{false};                        //!< its loopback device takes time
    std::vector<Sender> m_senders;                  //!< by number
    std::unordered_map<uint64_t, Pieces> m_waiting; //!< by the packet's number
};

} // namespace dml
} // namespace ns3

#endif /* DML_SMALL_QUEUES_H */
