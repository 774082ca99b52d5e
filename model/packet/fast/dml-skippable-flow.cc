/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-skippable-flow.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace dml
{

void
SkippableTcpFlow::Watch(Ptr<TcpSocketBase> socket)
{
    m_socket = socket;
    m_window = 0;
    socket->TraceConnectWithoutContext("CongestionWindow",
                                       MakeCallback(&SkippableTcpFlow::WindowChanged, this));
    socket->TraceConnectWithoutContext("RTT",
                                       MakeCallback(&SkippableTcpFlow::RoundTripChanged, this));
    socket->TraceConnectWithoutContext("HighestRxAck",
                                       MakeCallback(&SkippableTcpFlow::Acknowledged, this));
}

bool
SkippableTcpFlow::IsClosed() const
{
    UintegerValue buffer;
    m_socket->GetAttribute("SndBufSize", buffer);
    return m_window >= buffer.Get();
}

Time
SkippableTcpFlow::GetRoundTrip() const
{
    return m_roundTrip;
}

void
SkippableTcpFlow::WindowChanged(uint32_t, uint32_t now)
{
    m_window = now;
}

void
SkippableTcpFlow::RoundTripChanged(Time, Time now)
{
    m_roundTrip = now;
}

void
SkippableTcpFlow::Acknowledged(SequenceNumber32 before, SequenceNumber32 now)
{
    const double time = Simulator::Now().GetSeconds();
    meter.Count(now - before, time);
    acks.Count(1, time);
}

} // namespace dml
} // namespace ns3
