/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-speed-process.h"

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

} // namespace ns3::dml
