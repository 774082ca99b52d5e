/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-label.h"

#include <array>
#include <cstddef>

namespace ns3::dml
{

static_assert(static_cast<int>(Direction::PEER) == static_cast<int>(ResourceLabel::PEER),
              "labels begin with the directions of channels, in their order");

ResourceLabel
GetLabel(const Resource& resource)
{
    switch (resource.kind)
    {
    case ResourceKind::CHANNEL:
        return static_cast<ResourceLabel>(GetDirection(resource.GetChannel()));
    case ResourceKind::PARSER:
        return ResourceLabel::PARSER;
    case ResourceKind::COLLECTIVE:
        return ResourceLabel::COLLECTIVE;
    case ResourceKind::REDUCER:
        return ResourceLabel::REDUCER;
    case ResourceKind::DEVICE:
        break;
    }
    return resource.at.role == Role::SERVER ? ResourceLabel::SERVER : ResourceLabel::DEVICE;
}

uint32_t
GetLabelIndex(const Resource& resource)
{
    const bool atServer = resource.at.role == Role::SERVER;
    switch (resource.kind)
    {
    case ResourceKind::CHANNEL:
        return atServer ? resource.at.index : resource.to.index;
    case ResourceKind::PARSER:
        return atServer ? 1 + resource.at.index : 0;
    case ResourceKind::COLLECTIVE:
    case ResourceKind::REDUCER:
        return 0;
    case ResourceKind::DEVICE:
        break;
    }
    return atServer ? resource.at.index : resource.index;
}

std::string
ToString(Direction direction)
{
    return ToString(static_cast<ResourceLabel>(direction));
}

std::string
ToString(ResourceLabel label)
{
    constexpr std::array<const char*, 8>
        NAMES{"downlink", "uplink", "peer", "server", "device", "parser", "collective", "reducer"};
    return NAMES[static_cast<std::size_t>(label)];
}

} // namespace ns3::dml
