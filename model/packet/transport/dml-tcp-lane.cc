/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tcp-lane.h"

#include <utility>

namespace ns3::dml
{

TcpLane::TcpLane(Ptr<Socket> socket, const Handlers& handlers)
    : SocketStream(std::move(socket)),
      m_reader(handlers.message, handlers.failed),
      m_progress(handlers.progress)
{
}

void
TcpLane::SetWriter(TcpMessageWriter& writer)
{
    m_output = &writer;
}

bool
TcpLane::HasOutput() const
{
    return m_output && m_output->HasOutput();
}

void
TcpLane::Fill(ByteSink& sink)
{
    m_output->Fill(sink);
}

void
TcpLane::Take(const uint8_t* data, size_t n)
{
    m_reader.Receive(data, n);
}

void
TcpLane::Progress()
{
    m_progress();
}

} // namespace ns3::dml
