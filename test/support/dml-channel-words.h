/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Channels and resources of parameter servers, by the words that reports have for them.

#ifndef DML_CHANNEL_WORDS_H
#define DML_CHANNEL_WORDS_H

#include "ns3/dml-channel-label.h"

namespace ns3::dml
{

constexpr auto DOWN = Direction::DOWNLINK; //!< to a worker
constexpr auto UP = Direction::UPLINK;     //!< from a worker

/// @param direction of the channel @param server at it @param worker at it @return the channel
inline TransferChannel
MakeChannel(Direction direction, uint32_t server, uint32_t worker)
{
    const Endpoint at{Role::WORKER, worker};
    const Endpoint other{direction == Direction::PEER ? Role::WORKER : Role::SERVER, server};
    return direction == Direction::UPLINK ? TransferChannel{at, other} : TransferChannel{other, at};
}

/// @param direction of what it carries @param server whose link it is @return the link
inline AccessLink
MakeServerLink(Direction direction, uint32_t server)
{
    return {{Role::SERVER, server},
            direction == Direction::DOWNLINK ? AccessLink::Way::OUT : AccessLink::Way::IN};
}

/// @param label of a resource @param index as GetLabelIndex() @param worker whose step uses it
/// @return the resource
inline Resource
MakeResource(ResourceLabel label, uint32_t index, uint32_t worker)
{
    const Endpoint self{Role::WORKER, worker};
    switch (label)
    {
    case ResourceLabel::DOWNLINK:
        return {ResourceKind::CHANNEL, {Role::SERVER, index}, self, 0};
    case ResourceLabel::UPLINK:
        return {ResourceKind::CHANNEL, self, {Role::SERVER, index}, 0};
    case ResourceLabel::PEER:
        return {ResourceKind::CHANNEL, self, {Role::WORKER, index}, 0};
    case ResourceLabel::SERVER:
        return {ResourceKind::DEVICE, {Role::SERVER, index}, {}, 0};
    case ResourceLabel::DEVICE:
        return {ResourceKind::DEVICE, self, {}, index};
    case ResourceLabel::COLLECTIVE:
        return {ResourceKind::COLLECTIVE, self, {}, 0};
    case ResourceLabel::REDUCER:
        return {ResourceKind::REDUCER, self, {}, 0};
    case ResourceLabel::PARSER:
        break;
    }
    return {ResourceKind::PARSER, index == 0 ? self : Endpoint{Role::SERVER, index - 1}, {}, 0};
}

} // namespace ns3::dml

#endif /* DML_CHANNEL_WORDS_H */
