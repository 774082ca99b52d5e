/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_REQUESTS_H
#define DML_GRPC_REQUESTS_H

#include "dml-transport.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/// @param ends of the conversation @param name of a transfer, which both ends know
/// @param step number of the step @return the message of RecvTensor that asks for it
std::string MakeRecvTensorMessage(const TransportEnds& ends,
                                  const std::string& name,
                                  uint32_t step);

/// What handles the requests of a peer, whose numbers it gives back with the answers.
class GrpcRequestHandler
{
  public:
    virtual ~GrpcRequestHandler() = default;

    /// @param call number @param transfer that the peer asks for, and may @param message of the
    /// call
    virtual void HandleTensor(int32_t call, OpIndex transfer, const std::string& message) = 0;
};

/**
 * @ingroup dml-transport
 * @brief Understand a request of a peer; a wrong one is told as a failure.
 * @param call its number
 * @param path of the RPC
 * @param message of the call
 * @param listener told of graphs and failures
 * @param handler told of tensors
 */
void HandleGrpcRequest(int32_t call,
                       const std::string& path,
                       const std::string& message,
                       TransportListener& listener,
                       GrpcRequestHandler& handler);

} // namespace ns3::dml

#endif /* DML_GRPC_REQUESTS_H */
