/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-rank-records.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Time of remainders: after everything else.
constexpr int64_t OVER = std::numeric_limits<int64_t>::max();

template <typename T>
void
Append(std::string& bytes, const std::vector<T>& items)
{
    static_assert(std::is_trivially_copyable_v<T>);
    const uint64_t size = items.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes.append(reinterpret_cast<const char*>(items.data()), size * sizeof(T));
}

template <typename T>
std::vector<T>
Take(const std::string& bytes, std::size_t& at)
{
    uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at, sizeof size);
    at += sizeof size;
    std::vector<T> items(size);
    if (size > 0)
    {
        std::memcpy(static_cast<void*>(items.data()), bytes.data() + at, size * sizeof(T));
    }
    at += size * sizeof(T);
    return items;
}

} // namespace

RankRecords::RankRecords(std::function<const EventStamp&()> now)
    : m_now(std::move(now))
{
}

void
RankRecords::SetRemainder(uint32_t place)
{
    m_over = true;
    m_remainder = m_now();
    m_remainder.time = OVER;
    // all of one place come from one rank, so the root alone can order the ranks
    m_remainder.sequence = place;
    m_remainder.lineage = EventLineage(place);
}

void
RankRecords::Observe(const RunRecord& record)
{
    const EventStamp& stamp = m_over ? m_remainder : m_now();
    if (m_stamps.empty() || m_stamps.back().time != stamp.time ||
        m_stamps.back().sequence != stamp.sequence)
    {
        m_stamps.push_back(stamp);
    }
    m_entries.push_back({static_cast<uint32_t>(m_stamps.size() - 1), record});
}

std::string
RankRecords::Pack()
{
    std::stable_sort(m_entries.begin(), m_entries.end(), [this](const Entry& a, const Entry& b) {
        const EventStamp& first = m_stamps[a.stamp];
        const EventStamp& second = m_stamps[b.stamp];
        return first.time != second.time ? first.time < second.time
                                         : first.sequence < second.sequence;
    });
    std::string bytes;
    Append(bytes, m_stamps);
    Append(bytes, m_entries);
    return bytes;
}

RankRecords::Part::Part(const std::string& packed)
{
    std::size_t at = 0;
    stamps = Take<EventStamp>(packed, at);
    entries = Take<Entry>(packed, at);
}

const EventStamp&
RankRecords::Part::GetNext() const
{
    return stamps[entries[next].stamp];
}

void
RankRecords::Replay(const std::vector<std::string>& packed,
                    const EventStamp& end,
                    RunObserver& observer)
{
    std::vector<Part> parts(packed.begin(), packed.end());
    while (true)
    {
        Part* first = nullptr;
        for (Part& part : parts)
        {
            if (part.next < part.entries.size() &&
                (!first || part.GetNext().IsBefore(first->GetNext())))
            {
                first = &part;
            }
        }
        if (!first)
        {
            return;
        }
        const EventStamp& stamp = first->GetNext();
        if (stamp.time == OVER || !end.IsBefore(stamp))
        {
            observer.Observe(first->entries[first->next].record);
        }
        ++first->next;
    }
}

} // namespace ns3::dml
