/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transient-spikes.h"

namespace ns3::dml
{

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
