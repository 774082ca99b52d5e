/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The words in which reports tell people of channels and resources: those of parameter servers.

#ifndef DML_CHANNEL_LABEL_H
#define DML_CHANNEL_LABEL_H

#include "dml-endpoint.h"

#include <string>

namespace ns3::dml
{

/// Direction of a transfer, seen from the worker.
enum class Direction : uint8_t
{
    DOWNLINK, //!< parameter server to worker
    UPLINK,   //!< worker to parameter server
    PEER,     //!< between workers, or with an aggregator
};

/// What a resource is to a worker and its parameter servers.
enum class ResourceLabel : uint8_t
{
    DOWNLINK,   //!< index: parameter server
    UPLINK,     //!< index: parameter server
    PEER,       //!< index: worker or aggregator that receives
    SERVER,     //!< compute of a parameter server; index: parameter server
    DEVICE,     //!< compute device of the worker; index: device
    PARSER,     //!< parallel parsing; index: 0 worker, 1 + i parameter server i
    COLLECTIVE, //!< a worker's collectives
    REDUCER,    //!< where a worker adds up what it receives
};

/// @return direction of a channel
inline Direction
GetDirection(const TransferChannel& channel)
{
    return channel.from.role == Role::SERVER ? Direction::DOWNLINK
           : channel.to.role == Role::SERVER ? Direction::UPLINK
                                             : Direction::PEER;
}

/// @return direction of what a server's link carries
inline Direction
GetDirection(const AccessLink& link)
{
    return link.way == AccessLink::Way::OUT ? Direction::DOWNLINK : Direction::UPLINK;
}

/// No worker is at a channel between aggregators.
constexpr uint32_t NO_WORKER = UINT32_MAX;

/// @return index of the worker at a channel, the receiving one of two; NO_WORKER: there is none
inline uint32_t
GetWorker(const TransferChannel& channel)
{
    return channel.to.role == Role::WORKER     ? channel.to.index
           : channel.from.role == Role::WORKER ? channel.from.index
                                               : NO_WORKER;
}

/// @return index of the parameter server at a channel; where there is none, of the sender
inline uint32_t
GetServer(const TransferChannel& channel)
{
    return channel.to.role == Role::SERVER ? channel.to.index : channel.from.index;
}

/// @return what a resource is to a worker
ResourceLabel GetLabel(const Resource& resource);
/// @return which one it is of those with its label
uint32_t GetLabelIndex(const Resource& resource);
/// @return "downlink", "uplink" or "peer"
std::string ToString(Direction direction);
/// @return "downlink", "uplink", "peer", "server", "device" or "parser"
std::string ToString(ResourceLabel label);

} // namespace ns3::dml

#endif /* DML_CHANNEL_LABEL_H */
