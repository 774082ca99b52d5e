/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-port-queue.h"

#include "ns3/packet.h"
#include "ns3/queue-item.h"

#include <cmath>
#include <type_traits>
#include <utility>

namespace ns3::dml
{

template <typename Item>
TypeId
PortQueue<Item>::GetTypeId()
{
    static TypeId tid = TypeId(std::is_same_v<Item, Packet> ? "ns3::dml::PortQueue<Packet>"
                                                            : "ns3::dml::PortQueue<QueueDiscItem>")
                            .template SetParent<DropTailQueue<Item>>()
                            .SetGroupName("Dml")
                            .template AddConstructor<PortQueue<Item>>();
    return tid;
}

template <typename Item>
void
PortQueue<Item>::Share(std::shared_ptr<SwitchMemory> memory, double alpha)
{
    m_memory = std::move(memory);
    m_alpha = alpha;
    this->SetMaxSize(QueueSize(QueueSizeUnit::BYTES, static_cast<uint32_t>(m_memory->size)));
}

template <typename Item>
uint64_t
PortQueue<Item>::GetLimit() const
{
    if (!m_memory)
    {
        return this->GetMaxSize().GetValue();
    }
    const auto others = static_cast<double>(m_memory->used - m_counted);
    return static_cast<uint64_t>(std::floor(GetDynamicLimit(m_memory->size, m_alpha, others)));
}

template <typename Item>
void
PortQueue<Item>::Count()
{
    if (m_memory)
    {
        const uint64_t content = GetContent();
        m_memory->used += content - m_counted;
        m_counted = content;
    }
}

template <typename Item>
bool
PortQueue<Item>::Enqueue(Ptr<Item> item)
{
    if (m_memory && GetContent() + item->GetSize() > GetLimit())
    {
        this->DropBeforeEnqueue(item);
        return false;
    }
    const bool taken = DropTailQueue<Item>::Enqueue(item);
    Count();
    return taken;
}

template <typename Item>
Ptr<Item>
PortQueue<Item>::Dequeue()
{
    const Ptr<Item> item = DropTailQueue<Item>::Dequeue();
    Count();
    return item;
}

template <typename Item>
Ptr<Item>
PortQueue<Item>::Remove()
{
    const Ptr<Item> item = DropTailQueue<Item>::Remove();
    Count();
    return item;
}

template class PortQueue<Packet>;
template class PortQueue<QueueDiscItem>;

using PacketPortQueue = PortQueue<Packet>;
using DiscPortQueue = PortQueue<QueueDiscItem>;

NS_OBJECT_ENSURE_REGISTERED(PacketPortQueue);
NS_OBJECT_ENSURE_REGISTERED(DiscPortQueue);

} // namespace ns3::dml
