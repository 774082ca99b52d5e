/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grpc-connection.h"

#include <utility>

namespace ns3::dml
{

GrpcConnection::GrpcConnection(const Http2Config& config,
                               std::unique_ptr<GrantRule> grantRule,
                               Http2Listener& listener,
                               Ptr<Socket> socket)
    : SocketStream(std::move(socket)),
      m_session(config, std::move(grantRule), listener)
{
}

Http2Session&
GrpcConnection::GetSession()
{
    return m_session;
}

const Http2Session&
GrpcConnection::GetSession() const
{
    return m_session;
}

bool
GrpcConnection::HasOutput() const
{
    return m_session.HasOutput();
}

void
GrpcConnection::Fill(ByteSink& sink)
{
    m_session.Pump(sink);
}

void
GrpcConnection::Take(const uint8_t* data, size_t n)
{
    m_session.Receive(data, n);
}

} // namespace ns3::dml
