/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-resource-changes.h"

namespace ns3::dml
{

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

} // namespace ns3::dml
