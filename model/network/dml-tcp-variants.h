/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TCP_VARIANTS_H
#define DML_TCP_VARIANTS_H

#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// @return the names that `network.tcp` accepts, such as "cubic"
std::vector<std::string> TcpVariantNames();

/**
 * @brief The ns-3 class behind a name of `network.tcp`.
 * @param name one of TcpVariantNames()
 * @return TypeId name of a TcpCongestionOps, such as "ns3::TcpCubic"
 * @throws InputError if the name is unknown
 */
std::string TcpVariantTypeId(const std::string& name);

/**
 * @brief How long a receiver may wait with an ACK unless the scenario says so.
 * @param variant name of a TCP variant
 * @return 40 ms as in Linux, except for bbr: that of ns-3.37 takes the delayed ACKs of small
 * messages for a slow path, and never sends fast again
 */
Time DefaultDelayedAckTimeout(const std::string& variant);

} // namespace ns3::dml

#endif /* DML_TCP_VARIANTS_H */
