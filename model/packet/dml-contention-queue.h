/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONTENTION_QUEUE_H
#define DML_CONTENTION_QUEUE_H

#include "dml-port-queue.h"

#include "ns3/packet.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief A drop-tail queue whose last room goes to a random one of the packets that come for it.
 *
 * A full port has room for one packet each time that one leaves. In a simulation links have exactly
 * the same rate, so that of two senders one comes first each time, and the other one loses all that
 * it sends (phase effects, Floyd and Jacobson: On Traffic Phase Effects in Packet-Switched
 * Gateways, 1991). In reality processing times that vary by about as much as a packet takes decide.
 * So the packet that takes the last room stands back until the next one leaves: of n that come
 * until then, each gets the room with probability 1/n. Smaller ones that fit beside it wait behind
 * it. Nothing is late, and where nothing is dropped nothing differs from PortQueue. The limit is
 * that of PortQueue, in bytes.
 */
class ContentionQueue : public PortQueue<Packet>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool Enqueue(Ptr<Packet> packet) override;
    Ptr<Packet> Dequeue() override;
    Ptr<Packet> Remove() override;
    Ptr<const Packet> Peek() const override;

    /// @param stream number of the random stream
    void AssignStream(int64_t stream);

  private:
    void DoDispose() override;

    uint64_t GetReserved() const override
    {
        return m_heldBytes;
    }

    /// Have the packets that stand back wait behind the others.
    void Admit();
    /// Have a packet stand back.
    void Hold(Ptr<Packet> packet);

    Ptr<UniformRandomVariable> m_random{CreateObject<UniformRandomVariable>()}; //!< who gets it
    std::vector<Ptr<Packet>> m_held; //!< the one that has the last room, and what fits beside it
    std::size_t m_contended{0};      //!< index of the former
    uint64_t m_heldBytes{0};         //!< of all these
    uint32_t m_rivals{0};            //!< that have come for the room, the one that has it included
};

} // namespace ns3::dml

#endif /* DML_CONTENTION_QUEUE_H */
