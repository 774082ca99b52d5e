/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GSO_SIZE_H
#define DML_GSO_SIZE_H

#include "dml-network-spec.h"

#include <cstdint>

namespace ns3::dml
{

/// Bytes of a frame of Ethernet besides the IP packet, as Linux' shapers count them.
inline constexpr uint32_t ETHERNET_HEADER = 14;

/**
 * @param rate of a host's link
 * @return bytes of the largest burst in which segments leave a Linux host
 */
uint32_t GetUsualGsoSize(const DataRate& rate);

/**
 * @param tcp of the network
 * @param rate of a host's link
 * @return bytes of the largest burst in which segments leave the host; 0: they leave one by one
 */
uint32_t GetGsoSize(const TcpSpec& tcp, const DataRate& rate);

/**
 * @brief How much a link sends at once after a pause that a token bucket keeps at its rate (`tbf`,
 * `htb`), as links of the host engine are.
 * @param rate of the link
 * @param gso bytes of the largest burst that comes
 * @param mtu bytes of an IP packet
 * @return bytes: two bursts, but not more than a millisecond's, and at least a quarter of these
 */
uint64_t GetTokenBucket(const DataRate& rate, uint64_t gso, uint32_t mtu);

} // namespace ns3::dml

#endif /* DML_GSO_SIZE_H */
