/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-contention-queue.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(ContentionQueue);

TypeId
ContentionQueue::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::ContentionQueue")
                            .SetParent<DropTailQueue<Packet>>()
                            .SetGroupName("Dml")
                            .AddConstructor<ContentionQueue>();
    return tid;
}

void
ContentionQueue::AssignStream(int64_t stream)
{
    m_random->SetStream(stream);
}

void
ContentionQueue::DoDispose()
{
    m_last = nullptr;
    DropTailQueue<Packet>::DoDispose();
}

bool
ContentionQueue::Enqueue(Ptr<Packet> packet)
{
    const uint64_t size = packet->GetSize();
    const uint64_t limit = GetMaxSize().GetValue();
    const uint64_t held = m_last ? m_last->GetSize() : 0;
    if (GetNBytes() + held + size <= limit)
    {
        Admit();
        if (GetNBytes() + 2 * size <= limit)
        {
            return DropTailQueue<Packet>::Enqueue(packet);
        }
        m_last = packet;
        m_rivals = 1;
        return true;
    }
    const bool fits = m_last && GetNBytes() + size <= limit;
    if (fits && m_random->GetValue() * ++m_rivals < 1)
    {
        DropBeforeEnqueue(m_last);
        m_last = packet;
        return true;
    }
    DropBeforeEnqueue(packet);
    return false;
}

Ptr<Packet>
ContentionQueue::Dequeue()
{
    Admit();
    return DropTailQueue<Packet>::Dequeue();
}

Ptr<Packet>
ContentionQueue::Remove()
{
    Admit();
    return DropTailQueue<Packet>::Remove();
}

Ptr<const Packet>
ContentionQueue::Peek() const
{
    if (const auto first = DropTailQueue<Packet>::Peek())
    {
        return first;
    }
    return m_last;
}

void
ContentionQueue::Admit()
{
    if (m_last)
    {
        DropTailQueue<Packet>::Enqueue(m_last);
        m_last = nullptr;
    }
}

} // namespace ns3::dml
