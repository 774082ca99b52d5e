/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-channel-label.h"

namespace ns3::dml
{

ResourceLabel
GetLabel(const Resource& resource)
{
    switch (resource.kind)
    {
    case ResourceKind::CHANNEL:
        switch (GetDirection(resource.GetChannel()))
        {
        case Direction::DOWNLINK:
            return ResourceLabel::DOWNLINK;
        case Direction::UPLINK:
            return ResourceLabel::UPLINK;
        case Direction::PEER:
            break;
        }
        return ResourceLabel::PEER;
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
    switch (direction)
    {
    case Direction::DOWNLINK:
        return "downlink";
    case Direction::UPLINK:
        return "uplink";
    case Direction::PEER:
        break;
    }
    return "peer";
}

std::string
ToString(ResourceLabel label)
{
    switch (label)
    {
    case ResourceLabel::DOWNLINK:
        return "downlink";
    case ResourceLabel::UPLINK:
        return "uplink";
    case ResourceLabel::PEER:
        return "peer";
    case ResourceLabel::SERVER:
        return "server";
    case ResourceLabel::DEVICE:
        return "device";
    case ResourceLabel::COLLECTIVE:
        return "collective";
    case ResourceLabel::REDUCER:
        return "reducer";
    case ResourceLabel::PARSER:
        break;
    }
    return "parser";
}

} // namespace ns3::dml
