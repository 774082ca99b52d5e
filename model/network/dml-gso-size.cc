/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gso-size.h"

#include <algorithm>

namespace ns3::dml
{

uint32_t
GetUsualGsoSize(const DataRate& rate)
{
    constexpr uint64_t FAST = 1500000000; // bit/s above which bursts of 64 KiB are needed
    return rate.GetBitRate() > FAST ? 65536 : 15000;
}

uint32_t
GetGsoSize(const TcpSpec& tcp, const DataRate& rate)
{
    return tcp.gso.value_or(GetUsualGsoSize(rate));
}

uint64_t
GetTokenBucket(const DataRate& rate, uint64_t gso, uint32_t mtu)
{
    const uint64_t millisecond = rate.GetBitRate() / 8000; // bytes
    const uint64_t pieces = std::max<uint64_t>(32768, 2 * gso + 4096);
    return std::max(
        {std::min(pieces, millisecond), millisecond / 4, uint64_t(2) * (mtu + ETHERNET_HEADER)});
}

} // namespace ns3::dml
