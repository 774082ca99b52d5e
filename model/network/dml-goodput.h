/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GOODPUT_H
#define DML_GOODPUT_H

#include "dml-message-framing.h"

#include "ns3/data-rate.h"

#include <cstdint>

namespace ns3::dml
{

/// What one segment of a tensor costs on the wire of an ns-3 point-to-point link.
struct WireFormat
{
    uint32_t segment;         //!< payload of a full TCP segment, bytes
    uint32_t wire;            //!< bytes of the packet that carries it, link-layer header included
    MessageFraming framing{}; //!< what is in the payload besides the tensor
};

/**
 * @brief Segment and packet size that an MTU and TCP options give.
 * @param mtu bytes of an IP packet; of a network, the smallest of its links
 * @param timestamps whether segments carry TCP timestamps
 * @param framing of the transport
 * @return sizes: 20 bytes of IPv4, 20 of TCP, 12 of timestamps if on, 2 of PPP
 */
WireFormat GetWireFormat(uint32_t mtu,
                         bool timestamps,
                         const MessageFraming& framing = MessageFraming());

/**
 * @brief Rate at which a link carries tensor bytes: what the fair-share engine uses as link rate.
 *
 * rate / 8 * segment / wire * 16384 / (16384 + 9): full segments, and HTTP/2 frames of 16 KiB with
 * 9 bytes of header each; with plain TCP pieces and headers as GetMessageFraming() says. Not in it:
 * ACKs of the data that flows the other way (one of 42 bytes for every two segments: up to 1.4 % at
 * MTU 1500 while both directions are busy), requests, and the few bytes of gRPC around each tensor.
 * @param rate of the link
 * @param format of its packets
 * @return bytes per second
 */
double GetGoodput(const DataRate& rate, const WireFormat& format);

} // namespace ns3::dml

#endif /* DML_GOODPUT_H */
