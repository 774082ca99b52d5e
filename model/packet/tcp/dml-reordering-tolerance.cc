/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-reordering-tolerance.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

// the names in the comments are the kernel's
constexpr uint32_t MAX_DEGREE = 300; //!< net.ipv4.tcp_max_reordering
constexpr uint32_t MAX_STEPS = 255;  //!< in tcp_rack_update_reo_wnd()
constexpr uint32_t RECOVERIES = 16;  //!< TCP_RACK_RECOVERY_THRESH

} // namespace

void
ReorderingTolerance::NoteLate(uint32_t overtakers)
{
    m_seen = true;
    m_degree = std::clamp(overtakers, m_degree, MAX_DEGREE);
}

uint32_t
ReorderingTolerance::GetThreshold(bool recovers) const
{
    return m_seen && !recovers ? MAX_DEGREE : m_degree;
}

void
ReorderingTolerance::NoteDuplicate(SequenceNumber32 acknowledged, SequenceNumber32 sent)
{
    if (m_steps > 1 && acknowledged < m_stepsEnd)
    {
        return; // it was sent before the last step
    }
    m_steps = std::min(m_steps + 1, MAX_STEPS);
    m_kept = RECOVERIES;
    m_stepsEnd = sent;
}

void
ReorderingTolerance::NoteRecovered()
{
    if (m_kept > 0 && --m_kept == 0)
    {
        m_steps = 1;
    }
}

Time
ReorderingTolerance::GetWindow(const Time& shortest, const Time& smoothed) const
{
    const Time step = shortest / int64_t(4);
    return Max(step, Min(step * int64_t(m_steps), smoothed));
}

} // namespace ns3::dml
