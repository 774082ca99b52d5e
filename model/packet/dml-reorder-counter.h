/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REORDER_COUNTER_H
#define DML_REORDER_COUNTER_H

#include "dml-reordering.h"

#include "ns3/dml-step-application.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/sequence-number.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3::dml
{

class DeferredEffects;

/**
 * @ingroup dml-packet
 * @brief Counts packets of a connection that overtake each other, and the duplicate ACKs by which
 * TCP answers gaps.
 *
 * A packet is reordered if its IP identification, by which hosts number what they send to each
 * other, is older than that of one of its connection that came before it: the singleton
 * Type-P-Reordered of RFC 4737, section 3.3, with retransmissions numbered anew.
 */
class ReorderCounter
{
  public:
    /// @param effects where to count; null: at once
    explicit ReorderCounter(DeferredEffects* effects = nullptr);
    ~ReorderCounter();
    ReorderCounter(const ReorderCounter&) = delete;
    ReorderCounter& operator=(const ReorderCounter&) = delete;

    /// @brief Count packets. @param host that receives them; this must outlive its use
    void Watch(Ptr<Node> host);
    /// @brief Count duplicate ACKs. @param application whose connections to watch, before it starts
    void Watch(Ptr<StepApplication> application);

    /// @return what was counted so far
    const Reordering& Get() const
    {
        return m_counts;
    }

  private:
    /// One end of a connection.
    class End;

    void Deliver(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);
    void Add(Ptr<Socket> socket, uint32_t peer);
    void Count(uint64_t Reordering::*what);

    std::unordered_map<uint64_t, uint16_t> m_newest; //!< identification, by hash of the connection
    std::vector<std::unique_ptr<End>> m_ends;        //!< in order of appearance
    Reordering m_counts;                             //!< of all
    DeferredEffects* m_effects;                      //!< may be null
};

} // namespace ns3::dml

#endif /* DML_REORDER_COUNTER_H */
