/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_CONNECTION_H
#define DML_GRPC_CONNECTION_H

#include "dml-socket-stream.h"

#include "ns3/dml-http2-session.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3::dml
{

/**
 * @ingroup dml-transport
 * @brief One gRPC connection of a node: an HTTP/2 session on an ns-3 TCP socket.
 */
class GrpcConnection : public SocketStream
{
  public:
    /**
     * @param config role and windows of the session
     * @param grantRule by which the session grants window; may be null
     * @param listener told what happens; must outlive the connection
     * @param socket a connected or connecting TCP socket, not used by anyone else
     */
    GrpcConnection(const Http2Config& config,
                   std::unique_ptr<GrantRule> grantRule,
                   Http2Listener& listener,
                   Ptr<Socket> socket);

    /// @return the session; after any call that may make output, call Pump()
    Http2Session& GetSession();
    /// @return the session
    const Http2Session& GetSession() const;

  private:
    bool HasOutput() const override;
    void Fill(ByteSink& sink) override;
    void Take(const uint8_t* data, size_t n) override;

    Http2Session m_session; //!< HTTP/2 and gRPC
};

} // namespace ns3::dml

#endif /* DML_GRPC_CONNECTION_H */
