/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_QUEUE_H
#define DML_BURST_QUEUE_H

#include "dml-port-queue.h"

#include "ns3/packet.h"

#include <cstdint>
#include <unordered_map>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief A FIFO that takes or drops the bursts of GSO hosts as a whole, as virtual switches do.
 *
 * A bridge or a veth pair moves a burst as one large packet, which Linux' queues take if it fits,
 * and drop if not (bfifo_enqueue()). Here it comes packet by packet: what the first one meets holds
 * for all, and what is still to come counts as if it were there. Packets without a BurstTag are
 * bursts of one. The limit is that of PortQueue, in bytes.
 */
class BurstQueue : public PortQueue<Packet>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool Enqueue(Ptr<Packet> packet) override;

  private:
    /// What a flow sends now.
    struct Burst
    {
        uint32_t number{0};   //!< of the burst
        bool isTaken{false};  //!< it fitted
        uint64_t expected{0}; //!< bytes of it that are still to come, if it is taken
    };

    uint64_t GetReserved() const override
    {
        return m_expected;
    }

    /// @param packet that arrives @return whether its burst is taken
    bool IsTaken(const Packet& packet);
    /// @param bytes of a burst @return whether there is room for them
    bool HasRoom(uint64_t bytes) const;

    std::unordered_map<uint64_t, Burst> m_bursts; //!< the last one of each flow
    uint64_t m_expected{0};                       //!< bytes still to come of all that are taken
};

} // namespace ns3::dml

#endif /* DML_BURST_QUEUE_H */
