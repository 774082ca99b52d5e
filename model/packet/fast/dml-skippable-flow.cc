/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-skippable-flow.h"

#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

namespace ns3::dml
{

namespace
{

/// Part of a link's rate with which it is full; the rest is headers, and ACKs of others.
constexpr double FULL = 0.9;

} // namespace

bool
AreWindowsSettled(const std::vector<SkippableFlow*>& senders)
{
    struct Load
    {
        uint32_t senders{0}; //!< senders that use it
        double rate{0};      //!< of all of them
    };

    std::map<uint32_t, Load> loads; // by link
    for (const SkippableFlow* flow : senders)
    {
        for (const LinkOnWay& on : flow->links)
        {
            ++loads[on.link].senders;
            loads[on.link].rate += flow->rate;
        }
    }
    return std::all_of(senders.begin(), senders.end(), [&](const SkippableFlow* flow) {
        const auto& links = flow->links;
        const bool alone = std::all_of(links.begin(), links.end(), [&](const LinkOnWay& on) {
            return !on.fifo || loads[on.link].senders == 1;
        });
        const bool held = std::any_of(links.begin(), links.end(), [&](const LinkOnWay& on) {
            return loads[on.link].rate >= FULL * on.rate;
        });
        return (alone && held) || flow->IsClosed();
    });
}

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

} // namespace ns3::dml
