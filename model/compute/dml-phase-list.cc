/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-list.h"

#include <algorithm>

namespace ns3::dml
{

void
PhaseList::Append(const SpeedPhase& phase)
{
    m_phases.push_back(phase);
}

double
PhaseList::GetEnd() const
{
    return m_phases.empty() ? 0 : m_phases.back().end;
}

const SpeedPhase&
PhaseList::Find(double time) const
{
    if (!Covers(m_place, time) && !Covers(++m_place, time))
    {
        const auto endsLater = [](double moment, const SpeedPhase& phase) {
            return moment < phase.end;
        };
        m_place =
            std::upper_bound(m_phases.begin(), m_phases.end(), time, endsLater) - m_phases.begin();
    }
    return m_phases[m_place];
}

bool
PhaseList::Covers(std::size_t index, double time) const
{
    return index < m_phases.size() && time < m_phases[index].end &&
           (index == 0 || m_phases[index - 1].end <= time);
}

} // namespace ns3::dml
