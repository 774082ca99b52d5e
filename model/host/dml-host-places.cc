/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-places.h"

#include <unistd.h>

namespace ns3::dml
{

LoopbackPlaces::LoopbackPlaces()
    : m_first(0x7f000001 | (getpid() & 0xffff) << 8) // 127.x.y.1, of this process alone
{
}

void
LoopbackPlaces::Enter([[maybe_unused]] uint32_t node) const
{
}

Ipv4Address
LoopbackPlaces::GetAddress(uint32_t node) const
{
    return Ipv4Address(m_first + node);
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

std::vector<HostLinkCount>
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

} // namespace ns3::dml
