/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_LIBRARY_H
#define DML_GRPC_LIBRARY_H

#include "dml-host-grpc-spec.h"

#include "ns3/dml-transfer-spec.h"
#include "ns3/object-factory.h"

#include <optional>

namespace ns3::dml
{

/// What transports of the library need to know.
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
 * @brief Check that this build has the library if it is wanted.
 * @param spec what is wanted
 * @param transfer transport of transfers
 * @throws KeyError with the key if it has not
 */
void CheckGrpcLibrary(const HostGrpcSpec& spec, const TransferSpec& transfer);

/**
 * @ingroup dml-host
 * @brief Load gRPC's library into this process, for the rest of it; it must not be forked any more.
 * @param settings of the transports
 * @return makes them
 * @throws RunError if it cannot be loaded
 */
ObjectFactory MakeGrpcLibraryTransport(const GrpcLibrarySettings& settings);

} // namespace ns3::dml

#endif /* DML_GRPC_LIBRARY_H */
