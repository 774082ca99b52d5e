/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-process.h"

#include "dml-resource-changes.h"
#include "dml-transient-spikes.h"

#include <cmath>

namespace ns3::dml
{

SpeedProcess::SpeedProcess(const RngStream& random)
    : m_random(random)
{
}

SpeedPhase
SpeedProcess::At(double time) const
{
    while (m_phases.GetEnd() <= time)
    {
        m_phases.Append(DrawPhase(m_phases.GetEnd()));
    }
    return m_phases.Find(time);
}

double
SpeedProcess::DrawDuration(double mean) const
{
    return -mean * std::log(m_random.RandU01()); // which is above 0
}

double
SpeedProcess::DrawSpeed(const SpeedRange& range) const
{
    return range.min + (range.max - range.min) * m_random.RandU01();
}

bool
SpeedProcess::DrawSide() const
{
    return m_random.RandU01() < 0.5;
}

ResourceChanges::ResourceChanges(double mean, const SpeedRange& speed, const RngStream& random)
    : SpeedProcess(random),
      m_mean(mean),
      m_speed(speed)
{
}

SpeedPhase
ResourceChanges::DrawPhase(double start) const
{
    SpeedPhase phase;
    phase.end = start + DrawDuration(m_mean);
    phase.speed = DrawSpeed(m_speed);
    (DrawSide() ? phase.cpu : phase.memory) = phase.speed;
    return phase;
}

TransientSpikes::TransientSpikes(double gap,
                                 double length,
                                 const SpeedRange& speed,
                                 const RngStream& random)
    : SpeedProcess(random),
      m_gap(gap),
      m_length(length),
      m_speed(speed)
{
}

SpeedPhase
TransientSpikes::DrawPhase(double start) const
{
    const bool isSpike = m_isSpike;
    m_isSpike = !isSpike;
    SpeedPhase phase;
    phase.end = start + (isSpike ? m_length : DrawDuration(m_gap));
    phase.speed = isSpike ? DrawSpeed(m_speed) : 1;
    return phase;
}

} // namespace ns3::dml
