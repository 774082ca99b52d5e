/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Libraries that a run of the host engine may use, and that its processes load when they need them.

#ifndef DML_HOST_LIBRARIES_H
#define DML_HOST_LIBRARIES_H

#include "dml-host-grpc-spec.h"
#include "dml-shared-board.h"

#include "ns3/dml-collective-service.h"
#include "ns3/dml-transfer-spec.h"
#include "ns3/object-factory.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Check that this build has gRPC's library if it is wanted.
 * @param spec what is wanted
 * @param transfer transport of transfers
 * @throws KeyError with the key if it has not
 */
void CheckGrpcLibrary(const HostGrpcSpec& spec, const TransferSpec& transfer);

/// What transports of gRPC's library need to know.
struct GrpcLibrarySettings
{
    HostGrpcSpec spec;        //!< how it speaks
    bool ordered{false};      //!< a policy decides which tensor goes first, instead of the library
    bool acknowledged{false}; //!< a sender is to learn of arrivals
    bool windows{false};      //!< find out which windows are announced, from what the library logs
};

/**
 * @ingroup dml-host
 * @brief Find out who speaks gRPC in a run.
 * @param spec what is wanted
 * @param transfer transport and order of transfers
 * @param policy makes the policy of a connection
 * @return settings of the library, without windows; nothing if it is not wanted
 */
std::optional<GrpcLibrarySettings> ChooseGrpcLibrary(const HostGrpcSpec& spec,
                                                     const TransferSpec& transfer,
                                                     const ObjectFactory& policy);

/**
 * @ingroup dml-host
 * @brief Load gRPC's library into this process, for the rest of it; it must not be forked any more.
 * @param settings of the transports
 * @return makes them
 * @throws RunError if it cannot be loaded
 */
ObjectFactory MakeGrpcLibraryTransport(const GrpcLibrarySettings& settings);

/// Bytes that a rank of Gloo leaves for the others: its addresses for each of them.
/// @param ranks number of ranks @return most bytes
std::size_t GetGlooBoardSize(uint32_t ranks);

/// A rank of Gloo among those that reduce together.
struct GlooRank
{
    uint32_t rank{0};            //!< number
    uint32_t ranks{1};           //!< how many there are
    std::string address;         //!< IPv4 address of its own
    SharedBoard* board{nullptr}; //!< where ranks find each other; a slot for each
    /// Told what has gone wrong, in the thread of the WallClockSimulator.
    std::function<void(const std::string&)> failed;
};

/// @param algorithm of the scenario @throws KeyError if Gloo is not there, or does not have it
void CheckGlooLibrary(const std::string& algorithm);

/// @param rank of this process @return its collectives by Gloo
/// @throws RunError if the library cannot be loaded
std::unique_ptr<CollectiveService> MakeGlooCollectives(const GlooRank& rank);

} // namespace ns3::dml

#endif /* DML_HOST_LIBRARIES_H */
