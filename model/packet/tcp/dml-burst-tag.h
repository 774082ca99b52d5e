/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_END_TAG_H
#define DML_BURST_END_TAG_H

#include "ns3/tag.h"

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-packet
 * @brief Marks the last packet of a burst.
 *
 * Linux sets PSH there, and receivers merge no further (GRO); of ns-3's TCP the flags cannot be set
 * from outside.
 */
class BurstEndTag : public Tag
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    TypeId GetInstanceTypeId() const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& out) const override;
};

} // namespace dml
} // namespace ns3

#endif /* DML_BURST_END_TAG_H */
