/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SEQUENCE_RANGES_H
#define DML_SEQUENCE_RANGES_H

#include "ns3/sequence-number.h"

#include <map>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief A set of bytes of a TCP connection, by their sequence numbers, which may wrap around as
 * long as all lie within half of their range.
 */
class SequenceRanges
{
  public:
    /// Add bytes. @param begin the first @param end behind the last; begin or before: none
    void Add(SequenceNumber32 begin, SequenceNumber32 end);

    /// Remove bytes. @param end behind the last
    void RemoveBefore(SequenceNumber32 end);

    /// @param begin a byte @return the first one from there on that is not in the set
    SequenceNumber32 FindAbsent(SequenceNumber32 begin) const;

  private:
    std::map<SequenceNumber32, SequenceNumber32> m_ends; //!< by begin; ranges do not touch
};

} // namespace ns3::dml

#endif /* DML_SEQUENCE_RANGES_H */
