/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_TAG_H
#define DML_BURST_TAG_H

#include "ns3/tag.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Says of which burst a packet is, and how much of it follows.
 *
 * Linux' hosts and virtual switches move such a burst as one large packet (GSO); where it ends, PSH
 * is set, and receivers merge no further (GRO). Of ns-3's TCP the flags cannot be set from outside.
 */
class BurstTag : public Tag
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    BurstTag() = default;
    /**
     * @param flow of the packets, another one for each connection and direction
     * @param burst number of the burst among the flow's
     * @param following packets of the burst that come after this one
     */
    BurstTag(uint64_t flow, uint32_t burst, uint32_t following);

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& out) const override;

    /// @return the flow
    uint64_t GetFlow() const
    {
        return m_flow;
    }

    /// @return the burst's number
    uint32_t GetBurst() const
    {
        return m_burst;
    }

    /// @return packets of the burst that come after this one; 0: it is the last
    uint32_t GetFollowing() const
    {
        return m_following;
    }

  private:
    uint64_t m_flow{0};
    uint32_t m_burst{0};
    uint32_t m_following{0};
};

} // namespace ns3::dml

#endif /* DML_BURST_TAG_H */
