/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-flow-probe.h"

#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <utility>

namespace ns3::dml
{

namespace
{

/// Trace sink: a socket has got a segment.
void
CountSegment(IntervalCounter* flow,
             Ptr<const Packet> packet,
             const TcpHeader&,
             Ptr<const TcpSocketBase>)
{
    flow->Count(packet->GetSize());
}

} // namespace

FlowProbe::FlowProbe(Ptr<StepApplication> application,
                     const Endpoint& endpoint,
                     std::vector<Endpoint> peers,
                     Time interval,
                     Time origin,
                     JobRecorder recorder,
                     DeferredEffects* effects)
    : m_endpoint(endpoint),
      m_peers(std::move(peers)),
      m_interval(interval),
      m_origin(origin),
      m_recorder(recorder),
      m_effects(effects)
{
    application->TraceConnectWithoutContext("Connection", MakeCallback(&FlowProbe::Add, this));
}

void
FlowProbe::Add(Ptr<Socket> socket, uint32_t peer)
{
    while (m_flows.size() <= peer)
    {
        const TransferChannel channel{m_peers[m_flows.size()], m_endpoint};
        m_flows.push_back(std::make_unique<IntervalCounter>(
            m_interval,
            m_origin,
            m_effects,
            [recorder = m_recorder, channel](double from, double to, uint64_t bytes) {
                recorder.Tell(FlowRecord{channel, from, to, bytes});
            }));
    }
    socket->TraceConnectWithoutContext("Rx", MakeBoundCallback(&CountSegment, m_flows[peer].get()));
}

void
FlowProbe::Credit(uint32_t peer, Time from, Time to, uint64_t bytes)
{
    m_flows[peer]->Credit(from, to, bytes);
}

void
FlowProbe::Flush()
{
    for (const auto& flow : m_flows)
    {
        flow->Flush();
    }
}

} // namespace ns3::dml
