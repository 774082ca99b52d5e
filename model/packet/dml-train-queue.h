/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRAIN_QUEUE_H
#define DML_TRAIN_QUEUE_H

#include "dml-port-queue.h"

#include "ns3/packet.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief A device's queue where packets stand for trains of segments, and are as long as these.
 *
 * The headers of all segments but the first one are added as padding, so that queue and link take
 * the train's room and time. IPv4 removes padding where it receives. A train is taken or dropped as
 * a whole, as virtual switches do with bursts.
 */
class TrainQueue : public PortQueue<Packet>
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool Enqueue(Ptr<Packet> packet) override;

  private:
    uint32_t m_segment{1448}; //!< attribute
    uint32_t m_header{54};    //!< attribute
};

} // namespace ns3::dml

#endif /* DML_TRAIN_QUEUE_H */
