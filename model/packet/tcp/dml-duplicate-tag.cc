/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-duplicate-tag.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(DuplicateTag);

TypeId
DuplicateTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::DuplicateTag")
                            .SetParent<Tag>()
                            .SetGroupName("Dml")
                            .AddConstructor<DuplicateTag>();
    return tid;
}

DuplicateTag::DuplicateTag(SequenceNumber32 begin, uint32_t bytes)
    : m_begin(begin),
      m_bytes(bytes)
{
}

uint32_t
DuplicateTag::GetSerializedSize() const
{
    return 2 * sizeof(uint32_t);
}

void
DuplicateTag::Serialize(TagBuffer buffer) const
{
    buffer.WriteU32(m_begin.GetValue());
    buffer.WriteU32(m_bytes);
}

void
DuplicateTag::Deserialize(TagBuffer buffer)
{
    m_begin = SequenceNumber32(buffer.ReadU32());
    m_bytes = buffer.ReadU32();
}

void
DuplicateTag::Print(std::ostream& out) const
{
    out << m_bytes << " bytes from " << m_begin << " have arrived twice";
}

} // namespace ns3::dml
