/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-interval-counter.h"

#include "ns3/dml-deferred-effects.h"
#include "ns3/dml-model-clock.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

IntervalCounter::IntervalCounter(Time interval,
                                 Time origin,
                                 DeferredEffects* effects,
                                 Report report)
    : m_interval(interval.GetTimeStep()),
      m_origin(origin.GetTimeStep()),
      m_effects(effects),
      m_report(std::move(report))
{
}

void
IntervalCounter::Count(uint64_t bytes)
{
    if (m_effects)
    {
        m_effects->Add([this, bytes](int64_t time) { CountAt(time, bytes); });
        return;
    }
    CountAt(ModelClock::Now().GetTimeStep(), bytes);
}

void
IntervalCounter::CountAt(int64_t time, uint64_t bytes)
{
    m_total += bytes;
    const int64_t interval = (time - m_origin) / m_interval;
    if (interval != m_current)
    {
        Flush();
        m_current = interval;
    }
    m_bytes += bytes;
}

void
IntervalCounter::Credit(Time from, Time to, uint64_t bytes)
{
    const int64_t first = from.GetTimeStep() - m_origin;
    const int64_t last = to.GetTimeStep() - m_origin;
    uint64_t given = 0;
    for (int64_t begin = first; begin < last;)
    {
        const int64_t end = std::min(last, (begin / m_interval + 1) * m_interval);
        const double share = static_cast<double>(end - first) / static_cast<double>(last - first);
        const auto until = end == last ? bytes : static_cast<uint64_t>(share * bytes);
        CountAt(begin + m_origin, until - given);
        given = until;
        begin = end;
    }
}

void
IntervalCounter::Flush()
{
    if (m_bytes > 0 && m_current >= 0)
    {
        const double length = TimeStep(m_interval).GetSeconds();
        m_report(m_current * length, (m_current + 1) * length, m_bytes);
    }
    m_bytes = 0;
}

} // namespace ns3::dml
