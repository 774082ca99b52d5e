/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GRPC_CONNECTION_H
#define DML_GRPC_CONNECTION_H

#include "dml-segment-writer.h"

#include "ns3/dml-http2-session.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <memory>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-transport
 * @brief One gRPC connection of a node: an HTTP/2 session on an ns-3 TCP socket.
 *
 * Moves bytes between the two and nothing else. The payload of tensors goes to the socket as
 * virtual packets. The socket may still be connecting; what is sent before goes out when it is
 * connected.
 */
class GrpcConnection
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
    ~GrpcConnection();
    GrpcConnection(const GrpcConnection&) = delete;
    GrpcConnection& operator=(const GrpcConnection&) = delete;

    /// @return the session; after any call that may make output, call Pump()
    Http2Session& GetSession();

    /// @brief Write out what there is, as far as the socket has room.
    void Pump();

    /// @brief Close the socket, as the end of a process does: TCP still sends what it has taken.
    void Close();

    /// @brief Tell the connection that its socket is connected.
    void SetConnected();

  private:
    void HandleReceive(Ptr<Socket> socket);
    void HandleRoom(Ptr<Socket> socket, uint32_t room);

    Ptr<Socket> m_socket;          //!< TCP
    SegmentWriter m_writer;        //!< to the socket
    Http2Session m_session;        //!< HTTP/2 and gRPC
    bool m_connected{false};       //!< whether bytes may be sent
    uint32_t m_refillAt;           //!< room in the socket's buffer that is worth filling, in bytes
    std::vector<uint8_t> m_buffer; //!< received bytes on their way to the session
};

} // namespace dml
} // namespace ns3

#endif /* DML_GRPC_CONNECTION_H */
