/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-goodput.h"

namespace ns3::dml
{

WireFormat
GetWireFormat(uint32_t mtu, bool timestamps, const MessageFraming& framing)
{
    constexpr uint32_t IPV4 = 20;
    constexpr uint32_t TCP = 20;
    constexpr uint32_t TIMESTAMPS = 12;
    constexpr uint32_t PPP = 2;
    return {mtu - IPV4 - TCP - (timestamps ? TIMESTAMPS : 0), mtu + PPP, framing};
}

double
GetGoodput(const DataRate& rate, const WireFormat& format)
{
    const double payload = format.framing.payload;
    return rate.GetBitRate() / 8.0 * format.segment / format.wire * payload /
           (payload + format.framing.header);
}

} // namespace ns3::dml
