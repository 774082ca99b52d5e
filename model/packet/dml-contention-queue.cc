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
                            .SetParent<PortQueue<Packet>>()
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
    m_held.clear();
    PortQueue<Packet>::DoDispose();
}

bool
ContentionQueue::Enqueue(Ptr<Packet> packet)
{
    const uint64_t size = packet->GetSize();
    const uint64_t limit = GetLimit();
    const uint64_t taken = GetContent();
    if (taken + size <= limit)
    {
        if (m_held.empty() && taken + 2 * size <= limit)
        {
            return PortQueue<Packet>::Enqueue(packet);
        }
        m_rivals = m_held.empty() ? 1 : m_rivals;
        Hold(packet);
        return true;
    }
    const bool fits = !m_held.empty() && taken - m_held[m_contended]->GetSize() + size <= limit;
    if (fits && m_random->GetValue() * ++m_rivals < 1)
    {
        const auto loser = m_held[m_contended];
        m_held.erase(m_held.begin() + m_contended);
        m_heldBytes -= loser->GetSize();
        Count();
        DropBeforeEnqueue(loser);
        Hold(packet); // behind what came before it, which may be of the same flow
        m_contended = m_held.size() - 1;
        return true;
    }
    DropBeforeEnqueue(packet);
    return false;
}

Ptr<Packet>
ContentionQueue::Dequeue()
{
    Admit();
    return PortQueue<Packet>::Dequeue();
}

Ptr<Packet>
ContentionQueue::Remove()
{
    Admit();
    return PortQueue<Packet>::Remove();
}

Ptr<const Packet>
ContentionQueue::Peek() const
{
    if (const auto first = DropTailQueue<Packet>::Peek())
    {
        return first;
    }
    return m_held.empty() ? nullptr : m_held.front();
}

void
ContentionQueue::Hold(Ptr<Packet> packet)
{
    m_held.push_back(packet);
    m_heldBytes += packet->GetSize();
    Count();
}

void
ContentionQueue::Admit()
{
    for (const auto& packet : m_held)
    {
        DropTailQueue<Packet>::Enqueue(packet); // which has its room, whatever the limit is now
    }
    m_held.clear();
    m_heldBytes = 0;
    m_contended = 0;
    Count();
}

} // namespace ns3::dml
