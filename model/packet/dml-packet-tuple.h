/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PACKET_TUPLE_H
#define DML_PACKET_TUPLE_H

#include "ns3/dml-five-tuple.h"
#include "ns3/ipv4-header.h"
#include "ns3/packet.h"

namespace ns3::dml
{

/// @param packet that begins after its IPv4 header @param header that header @return what a switch
/// sees of its connection
FiveTuple ReadFiveTuple(const Packet& packet, const Ipv4Header& header);

} // namespace ns3::dml

#endif /* DML_PACKET_TUPLE_H */
