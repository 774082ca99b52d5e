/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-flow-probe.h"

#include "dml-interval-spread.h"

#include "ns3/dml-deferred-effects.h"
#include "ns3/dml-model-clock.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <utility>

namespace ns3::dml
{

class FlowProbe::Flow
{
  public:
    Flow(const FlowProbe& probe, uint32_t peer)
        : m_probe(probe),
          m_channel{probe.m_peers[peer], probe.m_endpoint}
    {
    }

    void Received(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        const uint32_t bytes = packet->GetSize();
        if (m_probe.m_effects)
        {
            m_probe.m_effects->Add([this, bytes](int64_t time) { Count(time, bytes); });
            return;
        }
        Count(ModelClock::Now().GetTimeStep(), bytes);
    }

    void Count(int64_t time, uint64_t bytes)
    {
        const int64_t interval = (time - m_probe.m_origin) / m_probe.m_interval;
        if (interval != m_current)
        {
            Flush();
            m_current = interval;
        }
        m_bytes += bytes;
    }

    void Flush()
    {
        if (m_bytes > 0 && m_current >= 0)
        {
            const double length = TimeStep(m_probe.m_interval).GetSeconds();
            m_probe.m_recorder.Tell(
                FlowRecord{m_channel, m_current * length, (m_current + 1) * length, m_bytes});
        }
        m_bytes = 0;
    }

  private:
    const FlowProbe& m_probe;  //!< what is common to the flows
    TransferChannel m_channel; //!< from the peer
    int64_t m_current{-1};     //!< number of the interval
    uint64_t m_bytes{0};       //!< in it
};

FlowProbe::FlowProbe(Ptr<StepApplication> application,
                     const Endpoint& endpoint,
                     std::vector<Endpoint> peers,
                     Time interval,
                     Time origin,
                     JobRecorder recorder,
                     DeferredEffects* effects)
    : m_endpoint(endpoint),
      m_peers(std::move(peers)),
      m_interval(interval.GetTimeStep()),
      m_origin(origin.GetTimeStep()),
      m_recorder(recorder),
      m_effects(effects)
{
    application->TraceConnectWithoutContext("Connection", MakeCallback(&FlowProbe::Add, this));
}

FlowProbe::~FlowProbe() = default;

void
FlowProbe::Add(Ptr<Socket> socket, uint32_t peer)
{
    while (m_flows.size() <= peer)
    {
        m_flows.push_back(std::make_unique<Flow>(*this, m_flows.size()));
    }
    socket->TraceConnectWithoutContext("Rx", MakeCallback(&Flow::Received, m_flows[peer].get()));
}

void
FlowProbe::Credit(uint32_t peer, Time from, Time to, uint64_t bytes)
{
    SpreadOverIntervals(
        from.GetTimeStep() - m_origin,
        to.GetTimeStep() - m_origin,
        m_interval,
        bytes,
        [&](int64_t time, uint64_t part) { m_flows[peer]->Count(time + m_origin, part); });
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
