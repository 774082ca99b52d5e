/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DUPLICATE_TAG_H
#define DML_DUPLICATE_TAG_H

#include "ns3/sequence-number.h"
#include "ns3/tag.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Says in an ACK which bytes have arrived twice (D-SACK, RFC 2883).
 *
 * The RFC has the first SACK block say it, which ns-3's scoreboard does not understand. So the ACK
 * is 8 bytes shorter than it would be.
 */
class DuplicateTag : public Tag
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    DuplicateTag() = default;
    /// @param begin sequence number of the first byte @param bytes number of them
    DuplicateTag(SequenceNumber32 begin, uint32_t bytes);

    TypeId GetInstanceTypeId() const override
    {
        return GetTypeId();
    }

    uint32_t GetSerializedSize() const override;
    void Serialize(TagBuffer buffer) const override;
    void Deserialize(TagBuffer buffer) override;
    void Print(std::ostream& out) const override;

    /// @return sequence number of the first byte
    SequenceNumber32 GetBegin() const
    {
        return m_begin;
    }

    /// @return number of bytes
    uint32_t GetBytes() const
    {
        return m_bytes;
    }

  private:
    SequenceNumber32 m_begin; //!< see GetBegin()
    uint32_t m_bytes{0};      //!< see GetBytes()
};

} // namespace ns3::dml

#endif /* DML_DUPLICATE_TAG_H */
