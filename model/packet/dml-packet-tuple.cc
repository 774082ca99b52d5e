/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-tuple.h"

#include <array>
#include <cstdint>

namespace ns3::dml
{

FiveTuple
ReadFiveTuple(const Packet& packet, const Ipv4Header& header)
{
    FiveTuple tuple{header.GetSource().Get(),
                    header.GetDestination().Get(),
                    0,
                    0,
                    header.GetProtocol()};
    std::array<uint8_t, 4> ports{};
    const bool has = (tuple.protocol == FiveTuple::TCP || tuple.protocol == FiveTuple::UDP) &&
                     header.GetFragmentOffset() == 0 && header.IsLastFragment();
    if (has && packet.CopyData(ports.data(), ports.size()) == ports.size())
    {
        tuple.sourcePort = ports[0] << 8 | ports[1];
        tuple.destinationPort = ports[2] << 8 | ports[3];
    }
    return tuple;
}

} // namespace ns3::dml
