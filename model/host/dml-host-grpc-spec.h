/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_GRPC_SPEC_H
#define DML_HOST_GRPC_SPEC_H

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// Who speaks gRPC in the host engine, and how (`host.grpc`).
struct HostGrpcSpec
{
    /// "library": Google's; "dml": the session of the packet engine.
    std::string speaker{"library"};
    bool bdpProbe{true};   //!< whether the library measures how large its windows should be
    uint64_t lookahead{0}; //!< bytes of a stream that it lets the peer send ahead; 0: its own
};

} // namespace ns3::dml

#endif /* DML_HOST_GRPC_SPEC_H */
