/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-aqm.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// CoDel's target, in seconds; RED's thresholds follow from the same delay.
constexpr double TARGET = 5e-3;
/// A queue above the target for so many seconds is a standing one (CoDel).
constexpr double INTERVAL = 0.1;
/// CoDel forgets how fast it dropped after so many intervals (RFC 8289, section 5.5).
constexpr uint32_t RECENT = 16;
/// A packet counts so much in RED's average (RedQueueDisc::QW).
constexpr double WEIGHT = 0.002;
/// RED drops with this probability at its upper threshold (1 / RedQueueDisc::LInterm).
constexpr double HIGHEST = 0.02;
/// RED's lower threshold is at least so many packets.
constexpr double LEAST_PACKETS = 5;
/// RED's upper threshold is so many times the lower one.
constexpr double THRESHOLDS = 3;

/// @return when CoDel acts again, seconds
double
FindNext(double time, uint32_t count)
{
    return time + INTERVAL / std::sqrt(count);
}

} // namespace

bool
BurstCodel::IsLate(double now, double sojourn, bool last)
{
    if (sojourn < TARGET || last)
    {
        m_above = false;
        return false;
    }
    if (!m_above)
    {
        m_above = true;
        m_aboveFrom = now + INTERVAL;
        return false;
    }
    return now >= m_aboveFrom;
}

uint32_t
BurstCodel::CountActions(double now, double sojourn, bool last, uint32_t segments)
{
    if (!IsLate(now, sojourn, last))
    {
        m_acts = false;
        return 0;
    }
    if (!m_acts)
    {
        m_acts = true;
        const uint32_t row = m_count - m_lastCount;
        m_count = row > 1 && now - m_next < RECENT * INTERVAL ? row : 1;
        m_next = FindNext(now, m_count);
        m_lastCount = m_count;
        return 1;
    }
    uint32_t actions = 0;
    for (; actions < segments && now >= m_next; ++actions)
    {
        ++m_count;
        m_next = FindNext(m_next, m_count);
    }
    return actions;
}

BurstRed::BurstRed(double rate, double packet)
    : m_packet(packet),
      m_least(packet * std::max(LEAST_PACKETS, TARGET * rate / packet / 2)),
      m_most(THRESHOLDS * m_least)
{
}

double
BurstRed::GetProbability() const
{
    if (m_average >= m_most) // gentle
    {
        return (1 - HIGHEST) / m_most * m_average + 2 * HIGHEST - 1;
    }
    return HIGHEST * (m_average - m_least) / (m_most - m_least);
}

uint32_t
BurstRed::CountActions(double waiting, uint32_t segments, RngStream& random)
{
    if (waiting < 0) // packets of an empty queue might have come since
    {
        m_average *= std::pow(1 - WEIGHT, -waiting / m_packet);
        waiting = 0;
    }
    uint32_t actions = 0;
    for (uint32_t segment = 0; segment < segments; ++segment)
    {
        const double queue = waiting + segment * m_packet;
        m_average += WEIGHT * (queue - m_average);
        m_since += m_packet;
        if (m_average < m_least || queue <= m_packet)
        {
            m_above = false;
            continue;
        }
        bool acts = m_average >= 2 * m_most;
        if (!acts && m_above)
        {
            const double probability = std::min(1.0, GetProbability());
            const double expected = std::floor(m_since / m_packet) * probability;
            const double chance = expected < 1   ? 0
                                  : expected < 2 ? probability / (2 - expected)
                                                 : 1;
            acts = chance > 0 && random.RandU01() <= chance;
        }
        else if (!acts)
        {
            m_since = m_packet;
            m_above = true;
        }
        if (acts)
        {
            ++actions;
            m_since = 0;
        }
    }
    return actions;
}

} // namespace ns3::dml
