/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-lineage-scheduler.h"

#include "ns3/event-impl.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LineageScheduler);

LineageScheduler* LineageScheduler::g_current = nullptr;

EventLineage::EventLineage(uint32_t root)
    : m_root(root)
{
}

EventLineage
EventLineage::MakeChild(int64_t gap) const
{
    EventLineage child = *this;
    if (m_size > 0 && m_gaps[0] == gap && m_counts[0] < std::numeric_limits<uint32_t>::max())
    {
        ++child.m_counts[0];
        return child;
    }
    const uint32_t kept = std::min(m_size, RUNS - 1);
    std::copy_n(m_gaps.begin(), kept, child.m_gaps.begin() + 1);
    std::copy_n(m_counts.begin(), kept, child.m_counts.begin() + 1);
    child.m_gaps[0] = gap;
    child.m_counts[0] = 1;
    child.m_size = kept + 1;
    return child;
}

int
EventLineage::Compare(const EventLineage& other) const
{
    uint32_t mine = 0;
    uint32_t theirs = 0;
    uint32_t myCount = m_counts[0];
    uint32_t theirCount = other.m_counts[0];
    while (mine < m_size && theirs < other.m_size)
    {
        if (m_gaps[mine] != other.m_gaps[theirs])
        {
            return m_gaps[mine] > other.m_gaps[theirs] ? -1 : 1;
        }
        const uint32_t common = std::min(myCount, theirCount);
        myCount -= common;
        theirCount -= common;
        if (myCount == 0 && ++mine < m_size)
        {
            myCount = m_counts[mine];
        }
        if (theirCount == 0 && ++theirs < other.m_size)
        {
            theirCount = other.m_counts[theirs];
        }
    }
    // a chain that is not cut off and ends here was scheduled before the simulation began
    const bool mineEnds = mine == m_size && m_size < RUNS;
    const bool theirsEnds = theirs == other.m_size && other.m_size < RUNS;
    if (mineEnds != theirsEnds)
    {
        return mineEnds ? -1 : 1;
    }
    return m_root == other.m_root ? 0 : m_root < other.m_root ? -1 : 1;
}

bool
EventStamp::IsBefore(const EventStamp& other) const
{
    if (time != other.time)
    {
        return time < other.time;
    }
    if (rank == other.rank)
    {
        return sequence < other.sequence;
    }
    const int order = lineage.Compare(other.lineage);
    return order != 0 ? order < 0 : rank < other.rank;
}

bool
LineageScheduler::Foreign::operator<(const Foreign& other) const
{
    if (event.key.m_ts != other.event.key.m_ts)
    {
        return event.key.m_ts < other.event.key.m_ts;
    }
    if (const int order = rank == other.rank ? 0 : lineage.Compare(other.lineage))
    {
        return order < 0;
    }
    return std::pair(rank, number) < std::pair(other.rank, other.number);
}

TypeId
LineageScheduler::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::LineageScheduler")
                            .SetParent<Scheduler>()
                            .SetGroupName("Dml")
                            .AddConstructor<LineageScheduler>();
    return tid;
}

LineageScheduler::LineageScheduler()
{
    g_current = this;
}

LineageScheduler::~LineageScheduler()
{
    if (g_current == this)
    {
        g_current = nullptr;
    }
}

LineageScheduler*
LineageScheduler::GetCurrent()
{
    return g_current;
}

void
LineageScheduler::Insert(const Event& event)
{
    if (m_place)
    {
        m_place = false;
        m_next.event = event;
        m_foreign.insert(m_next);
        return;
    }
    const auto time = static_cast<int64_t>(event.key.m_ts);
    m_own.emplace(event.key, Own{event.impl, m_stamp.lineage.MakeChild(time - m_stamp.time)});
}

bool
LineageScheduler::IsForeignNext() const
{
    if (m_own.empty() || m_foreign.empty())
    {
        return m_own.empty();
    }
    const auto& [key, own] = *m_own.begin();
    const Foreign& foreign = *m_foreign.begin();
    if (key.m_ts != foreign.event.key.m_ts)
    {
        return foreign.event.key.m_ts < key.m_ts;
    }
    const int order = foreign.lineage.Compare(own.lineage);
    return order != 0 ? order < 0 : foreign.rank < m_stamp.rank;
}

Scheduler::Event
LineageScheduler::PeekNext() const
{
    if (IsForeignNext())
    {
        return m_foreign.begin()->event;
    }
    return {m_own.begin()->second.impl, m_own.begin()->first};
}

Scheduler::Event
LineageScheduler::RemoveNext()
{
    Event event;
    if (IsForeignNext())
    {
        const auto next = m_foreign.begin();
        event = next->event;
        m_stamp.lineage = next->lineage;
        m_foreign.erase(next);
        // the simulator takes events of this time with a smaller number as done, and those after
        // this one may have any
        constexpr uint32_t BEFORE_ALL = 3; // EventId::UID::RESERVED, which ns-3.35 has no name for
        const bool after = m_lastOwnTime == static_cast<int64_t>(event.key.m_ts);
        event.key.m_uid = after ? m_lastOwn : BEFORE_ALL;
    }
    else
    {
        const auto next = m_own.begin();
        event = {next->second.impl, next->first};
        m_stamp.lineage = next->second.lineage;
        m_own.erase(next);
        m_lastOwn = event.key.m_uid;
        m_lastOwnTime = static_cast<int64_t>(event.key.m_ts);
    }
    m_stamp.time = static_cast<int64_t>(event.key.m_ts);
    ++m_stamp.sequence;
    if (Counts(event.key.m_context))
    {
        m_recent.emplace_back(m_stamp.time, m_stamp.sequence);
        m_timeBefore = m_lastTime;
        m_lastTime = m_stamp.time;
    }
    return event;
}

void
LineageScheduler::Remove(const Event& event)
{
    m_own.erase(event.key); // nobody has the identifier of another rank's event
}

void
LineageScheduler::SetRank(uint32_t rank, const std::vector<bool>& nodes)
{
    m_stamp.rank = rank;
    m_ownNodes = nodes;
}

void
LineageScheduler::PlaceNext(const EventLineage& lineage, uint32_t rank, uint64_t number)
{
    m_place = true;
    m_next.lineage = lineage;
    m_next.rank = rank;
    m_next.number = number;
}

bool
LineageScheduler::Counts(uint32_t context) const
{
    return context < m_ownNodes.size() ? m_ownNodes[context] : m_stamp.rank == 0;
}

void
LineageScheduler::DoNotCount()
{
    if (!m_recent.empty() && m_recent.back().second == m_stamp.sequence)
    {
        m_recent.pop_back();
        m_lastTime = m_timeBefore;
    }
}

void
LineageScheduler::Settle(int64_t time)
{
    const auto open = std::find_if(m_recent.begin(), m_recent.end(), [time](const auto& event) {
        return event.first > time;
    });
    m_settled += open - m_recent.begin();
    m_recent.erase(m_recent.begin(), open);
}

uint64_t
LineageScheduler::CountEvents(const EventStamp& end) const
{
    return m_settled + std::count_if(m_recent.begin(), m_recent.end(), [&](const auto& event) {
               return event.first < end.time ||
                      (event.first == end.time && m_stamp.rank == end.rank &&
                       event.second <= end.sequence);
           });
}

} // namespace ns3::dml
