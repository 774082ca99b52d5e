/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PEER_H
#define DML_PEER_H

#include "ns3/dml-endpoint.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Who takes part in collectives has a number: workers first, aggregators behind them.
 * @param number of a participant
 * @param workers number of workers
 * @return the endpoint
 */
inline Endpoint
GetParticipant(uint32_t number, uint32_t workers)
{
    return number < workers ? Endpoint{Role::WORKER, number}
                            : Endpoint{Role::AGGREGATOR, number - workers};
}

/// @param endpoint a worker or aggregator @param workers number of workers @return its number, see
/// GetParticipant()
inline uint32_t
GetParticipantNumber(const Endpoint& endpoint, uint32_t workers)
{
    return endpoint.role == Role::AGGREGATOR ? workers + endpoint.index : endpoint.index;
}

/**
 * @ingroup dml-protocol
 * @brief An endpoint as the worker sees it whose step a plan is: one plan does for all workers.
 */
struct Peer
{
    /// Kind of peer.
    enum class Kind : uint8_t
    {
        SELF,   //!< the worker itself
        SERVER, //!< a parameter server; index: its own
        WORKER, //!< another worker; index: how many places further, the
                //!< first following the last; below 0: before
        LISTED, //!< another participant, or for some nobody: as the list says
    };

    Kind kind{Kind::SELF}; //!< kind
    int32_t index{0};      //!< as the kind says; of LISTED: number of the list
    /// Of LISTED: number of a participant by that of another; its own: there is nobody.
    std::shared_ptr<const std::vector<uint32_t>> list{};

    /// @param index of a parameter server @return the server
    static Peer Server(uint32_t index)
    {
        return {Kind::SERVER, static_cast<int32_t>(index)};
    }

    /// @param number of the list among those of a plan @param list number of a participant, by
    /// that of another @return the participant that the list says
    static Peer Listed(uint32_t number, std::vector<uint32_t> list)
    {
        return {Kind::LISTED,
                static_cast<int32_t>(number),
                std::make_shared<const std::vector<uint32_t>>(std::move(list))};
    }

    /// @param worker number of the participant whose step it is @param workers number of workers
    /// @return the endpoint
    Endpoint Resolve(uint32_t worker, uint32_t workers) const
    {
        switch (kind)
        {
        case Kind::SERVER:
            return {Role::SERVER, static_cast<uint32_t>(index)};
        case Kind::WORKER: {
            const int64_t place = (int64_t{worker} + index) % workers;
            return {Role::WORKER, static_cast<uint32_t>(place < 0 ? place + workers : place)};
        }
        case Kind::LISTED:
            return GetParticipant((*list)[worker], workers);
        case Kind::SELF:
            break;
        }
        return GetParticipant(worker, workers);
    }
};

/// The worker itself.
inline const Peer SELF{};

/// @return whether both are the same
inline bool
operator==(const Peer& a, const Peer& b)
{
    return a.kind == b.kind && a.index == b.index;
}

/// @return whether both are different
inline bool
operator!=(const Peer& a, const Peer& b)
{
    return !(a == b);
}

/// A channel as that worker sees it.
struct PeerChannel
{
    Peer from; //!< sends
    Peer to;   //!< receives

    /// @param worker number of the participant @param workers number of workers @return the channel
    TransferChannel Resolve(uint32_t worker, uint32_t workers) const
    {
        return {from.Resolve(worker, workers), to.Resolve(worker, workers)};
    }
};

} // namespace ns3::dml

#endif /* DML_PEER_H */
