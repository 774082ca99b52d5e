/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REORDERING_H
#define DML_REORDERING_H

#include <cstdint>

namespace ns3::dml
{

/// What came in another order than it was sent.
struct Reordering
{
    uint64_t packets{0};       //!< that hosts received; 0 where nothing is counted
    uint64_t reordered{0};     //!< of these, such that came after one sent later (RFC 4737)
    uint64_t duplicateAcks{0}; //!< ACKs of nothing new while data was on its way (RFC 5681)
};

} // namespace ns3::dml

#endif /* DML_REORDERING_H */
