/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-tag.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BurstTag);

TypeId
BurstTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BurstTag")
                            .SetParent<Tag>()
                            .SetGroupName("Dml")
                            .AddConstructor<BurstTag>();
    return tid;
}

BurstTag::BurstTag(uint64_t flow, uint32_t burst, uint32_t following)
    : m_flow(flow),
      m_burst(burst),
      m_following(following)
{
}

uint32_t
BurstTag::GetSerializedSize() const
{
    return sizeof(m_flow) + sizeof(m_burst) + sizeof(m_following);
}

void
BurstTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU64(m_flow);
    buffer.WriteU32(m_burst);
    buffer.WriteU32(m_following);
}

void
BurstTag::Deserialize(TagBuffer buffer)
{
    m_flow = buffer.ReadU64();
    m_burst = buffer.ReadU32();
    m_following = buffer.ReadU32();
}

void
BurstTag::Print(std::ostream& out) const
{
    out << "burst " << m_burst << " of flow " << m_flow << ", " << m_following << " follow";
}

} // namespace ns3::dml
