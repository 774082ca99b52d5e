/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-record-merger.h"

#include <algorithm>
#include <limits>
#include <tuple>

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
    for (const auto& record : records)
    {
        m_waiting.push_back({record, source, m_count++});
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
    const auto later =
        std::stable_partition(m_waiting.begin(), m_waiting.end(), [time](const Entry& entry) {
            return entry.stamped.time <= time;
        });
    const auto key = [](const Entry& entry) {
        return std::tuple(entry.stamped.time, entry.source, entry.place);
    };
    std::sort(m_waiting.begin(), later, [key](const Entry& a, const Entry& b) {
        return key(a) < key(b);
    });
    for (auto entry = m_waiting.begin(); entry != later; ++entry)
    {
        m_observer.Observe(entry->stamped.record);
    }
    m_waiting.erase(m_waiting.begin(), later);
}

} // namespace ns3::dml
