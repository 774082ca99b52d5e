/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-record-merger.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

RecordMerger::RecordMerger(uint32_t sources, RunObserver& observer)
    : m_observer(observer),
      m_known(sources, -std::numeric_limits<double>::infinity())
{
}

void
RecordMerger::Add(uint32_t source, const std::vector<StampedRecord>& records, double time)
{
    for (const auto& [made, record] : records)
    {
        m_waiting.emplace(std::pair(made, source), record);
    }
    const double before = *std::min_element(m_known.begin(), m_known.end());
    m_known[source] = time;
    const double known = *std::min_element(m_known.begin(), m_known.end());
    if (known > before)
    {
        TellUpTo(known);
    }
}

void
RecordMerger::Finish()
{
    TellUpTo(std::numeric_limits<double>::infinity());
}

void
RecordMerger::TellUpTo(double time)
{
    const auto later = m_waiting.upper_bound({time, std::numeric_limits<uint32_t>::max()});
    for (auto entry = m_waiting.begin(); entry != later; ++entry)
    {
        m_observer.Observe(entry->second);
    }
    m_waiting.erase(m_waiting.begin(), later);
}

} // namespace ns3::dml
