/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ENDPOINT_H
#define DML_ENDPOINT_H

#include <cstdint>

namespace ns3::dml
{

/// What an endpoint does in training.
enum class Role : uint8_t
{
    WORKER,     //!< computes gradients
    SERVER,     //!< holds parameters
    AGGREGATOR, //!< adds up, on a switch, what comes from below, and hands the sum down
};

/// A process that takes part in a training job.
struct Endpoint
{
    Role role{Role::WORKER}; //!< what it does
    uint32_t index{0};       //!< among those of its role
};

/// @return whether both are the same endpoint
inline bool
operator==(const Endpoint& a, const Endpoint& b)
{
    return a.role == b.role && a.index == b.index;
}

/// An ordered pair of endpoints: transfers go from one to the other.
struct TransferChannel
{
    Endpoint from; //!< sends
    Endpoint to;   //!< receives
};

/// @return whether both are the same channel
inline bool
operator==(const TransferChannel& a, const TransferChannel& b)
{
    return a.from == b.from && a.to == b.to;
}

/// One direction of the link between an endpoint's host and the network.
struct AccessLink
{
    /// Seen from the host.
    enum class Way : uint8_t
    {
        OUT, //!< to the network
        IN,  //!< from the network
    };

    Endpoint endpoint; //!< endpoint on the host
    Way way{Way::OUT}; //!< direction
};

/// Kind of resource that an op occupies.
enum class ResourceKind : uint8_t
{
    CHANNEL,    //!< a turn on it
    DEVICE,     //!< what an endpoint computes on
    PARSER,     //!< what an endpoint parses on, where that is parallel
    COLLECTIVE, //!< where a worker's collectives queue
    REDUCER,    //!< what adds up what a worker receives
};

/// What an op occupies.
struct Resource
{
    ResourceKind kind{ResourceKind::CHANNEL}; //!< what it is
    Endpoint at;                              //!< whose; of a channel: its sender
    Endpoint to;                              //!< receiver of a channel
    uint32_t index{0};                        //!< number of the device

    /// @return the channel that it is
    TransferChannel GetChannel() const
    {
        return {at, to};
    }
};

} // namespace ns3::dml

#endif /* DML_ENDPOINT_H */
