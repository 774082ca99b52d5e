/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-train-queue.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(TrainQueue);

TypeId
TrainQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::TrainQueue")
                            .SetParent<PortQueue<Packet>>()
                            .SetGroupName("Dml")
                            .AddConstructor<TrainQueue>()
                            .AddAttribute("SegmentSize",
                                          "Payload of a full segment, bytes.",
                                          UintegerValue(1448),
                                          MakeUintegerAccessor(&TrainQueue::m_segment),
                                          MakeUintegerChecker<uint32_t>(1))
                            .AddAttribute("HeaderSize",
                                          "Bytes of a segment's headers on the link.",
                                          UintegerValue(54),
                                          MakeUintegerAccessor(&TrainQueue::m_header),
                                          MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
TrainQueue::Enqueue(Ptr<Packet> packet)
{
    if (packet->GetSize() > m_header + m_segment)
    {
        const uint32_t payload = packet->GetSize() - m_header;
        // of AddPaddingAtEnd() the packet's metadata (Packet::EnablePrinting()) would not know
        packet->AddAtEnd(Create<Packet>((payload - 1) / m_segment * m_header));
    }
    return PortQueue<Packet>::Enqueue(packet);
}

} // namespace ns3::dml
