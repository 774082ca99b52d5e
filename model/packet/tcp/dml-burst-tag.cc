/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-end-tag.h"

namespace ns3
{
namespace dml
{

NS_OBJECT_ENSURE_REGISTERED(BurstEndTag);

TypeId
BurstEndTag::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BurstEndTag")
                            .SetParent<Tag>()
                            .SetGroupName("Dml")
                            .AddConstructor<BurstEndTag>();
    return tid;
}

TypeId
BurstEndTag::GetInstanceTypeId() const
{
    return GetTypeId();
}

uint32_t
BurstEndTag::GetSerializedSize() const
{
    return 0;
}

void
BurstEndTag::Serialize([[maybe_unused]] TagBuffer buffer) const
{
}

void
BurstEndTag::Deserialize([[maybe_unused]] TagBuffer buffer)
{
}

void
BurstEndTag::Print(std::ostream& out) const
{
    out << "end of a burst";
}

} // namespace dml
} // namespace ns3
