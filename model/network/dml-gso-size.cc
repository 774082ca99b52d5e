/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-gso-size.h"

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

} // namespace ns3::dml
