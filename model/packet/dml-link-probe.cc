/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-link-probe.h"

#include "dml-interval-spread.h"

#include "ns3/callback.h"
#include "ns3/dml-deferred-effects.h"
#include "ns3/dml-model-clock.h"

namespace ns3::dml
{

LinkProbe::LinkProbe(Ptr<PointToPointNetDevice> device,
                     const AccessLink& link,
                     Time interval,
                     Time origin,
                     JobRecorder recorder,
                     DeferredEffects* effects)
    : m_link(link),
      m_interval(interval.GetTimeStep()),
      m_origin(origin.GetTimeStep()),
      m_recorder(recorder),
      m_effects(effects)
{
    device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&LinkProbe::Transmitted, this));
}

void
LinkProbe::Transmitted(Ptr<const Packet> packet)
{
    const uint32_t bytes = packet->GetSize();
    if (m_effects)
    {
        m_effects->Add([this, bytes](int64_t time) { Count(time, bytes); });
        return;
    }
    Count(ModelClock::Now().GetTimeStep(), bytes);
}

void
LinkProbe::Count(int64_t time, uint64_t bytes)
{
    m_total += bytes;
    const int64_t interval = (time - m_origin) / m_interval;
    if (interval != m_current)
    {
        Flush();
        m_current = interval;
    }
    m_inInterval += bytes;
}

void
LinkProbe::Credit(Time from, Time to, uint64_t bytes)
{
    SpreadOverIntervals(from.GetTimeStep() - m_origin,
                        to.GetTimeStep() - m_origin,
                        m_interval,
                        bytes,
                        [this](int64_t time, uint64_t part) { Count(time + m_origin, part); });
}

void
LinkProbe::Flush()
{
    if (m_recorder && m_inInterval > 0 && m_current >= 0)
    {
        const double length = TimeStep(m_interval).GetSeconds();
        m_recorder.Tell(LinkRecord{m_link,
                                   m_current * length,
                                   (m_current + 1) * length,
                                   m_inInterval / length});
    }
    m_inInterval = 0;
}

uint64_t
LinkProbe::GetBytes() const
{
    return m_total;
}

} // namespace ns3::dml
