/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-places.h"

namespace ns3
{
namespace dml
{

void
LoopbackPlaces::Enter([[maybe_unused]] uint32_t node) const
{
}

Ipv4Address
LoopbackPlaces::GetAddress(uint32_t node) const
{
    constexpr uint32_t FIRST = 0x7f010001; // 127.1.0.1
    return Ipv4Address(FIRST + node);
}

bool
LoopbackPlaces::SharesAddresses() const
{
    return true;
}

std::string
LoopbackPlaces::GetCongestionControl() const
{
    return "";
}

std::vector<LinkTotals>
LoopbackPlaces::ReadLinks() const
{
    return {};
}

uint64_t
LoopbackPlaces::CountBytes([[maybe_unused]] DirectedLink link)
{
    return 0;
}

std::vector<std::string>
LoopbackPlaces::GetNotes() const
{
    return {"no network: all processes use the loopback interface"};
}

} // namespace dml
} // namespace ns3
