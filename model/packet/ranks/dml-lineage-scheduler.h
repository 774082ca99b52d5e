/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINEAGE_SCHEDULER_H
#define DML_LINEAGE_SCHEDULER_H

#include "ns3/scheduler.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Tells which of two events of the same time comes first in a simulation in one process.
 *
 * There, events of the same time run in the order in which they were scheduled: the one whose
 * parent, the event that scheduled it, ran earlier comes first; if the parents ran at the same
 * time, their parents decide, and so on. So the gaps in time between an event and its parent,
 * between that and its own parent, and so on, decide without knowing the other events: at the first
 * difference, the larger gap belongs to the earlier parent. Equal gaps in sequence, as of a device
 * that sends packet after packet, are kept as one run. Only the latest RUNS runs are kept; what is
 * equal so far is decided by the root of the chain, the place in the order of construction. Two
 * events that one event schedules with equal gaps are not told apart; a node would have to start to
 * send on two links at once.
 */
class EventLineage
{
  public:
    /// Runs of equal gaps that are kept.
    static constexpr uint32_t RUNS = 10;

    /// @param root place in the order of construction of what schedules the first event
    explicit EventLineage(uint32_t root = 0);

    /// @param gap between this event and one that it schedules, ns @return that event's lineage
    EventLineage MakeChild(int64_t gap) const;

    /**
     * @param other lineage of an event of the same time
     * @return negative if this event comes first, positive if the other does, 0 if it is not known
     */
    int Compare(const EventLineage& other) const;

  private:
    std::array<int64_t, RUNS> m_gaps{};    //!< ns, the latest first
    std::array<uint32_t, RUNS> m_counts{}; //!< how many times in sequence
    uint32_t m_size{0};                    //!< runs in use
    uint32_t m_root;                       //!< order of construction
};

/// When something happened, so exactly that the ranks agree on what came first.
struct EventStamp
{
    int64_t time{0};      //!< simulation time, time steps
    uint64_t sequence{0}; //!< number of the event on its rank
    uint32_t rank{0};     //!< rank of the event
    EventLineage lineage; //!< decides among ranks

    /// @param other a stamp @return whether this is before it
    bool IsBefore(const EventStamp& other) const;
};

/**
 * @ingroup dml-packet
 * @brief ns-3's order of events, and a place in it for events that other ranks cause.
 *
 * Events of this rank are ordered as ns-3 does, by time, then by the order in which they were
 * scheduled. A packet from another rank would come last among those of its time, since it is
 * scheduled when it is received; here it comes where it would in a simulation in one process.
 */
class LineageScheduler : public Scheduler
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    LineageScheduler();
    ~LineageScheduler() override;

    /// @return the one that was made last, or null
    static LineageScheduler* GetCurrent();

    void Insert(const Event& event) override;

    bool IsEmpty() const override
    {
        return m_own.empty() && m_foreign.empty();
    }

    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& event) override;

    /// @param root of events that are scheduled from now on, before the simulation begins
    void SetRoot(uint32_t root)
    {
        m_stamp.lineage = EventLineage(root);
    }

    /// @return of the event that runs
    const EventStamp& GetStamp() const
    {
        return m_stamp;
    }

    /**
     * @brief Give the event that is inserted next, and only that, a place by its lineage.
     * @param lineage of the event
     * @param rank that caused it
     * @param number grows with each of that rank
     */
    void PlaceNext(const EventLineage& lineage, uint32_t rank, uint64_t number);

    /**
     * @brief Say which rank this is. Events of its nodes count; those of no node count on rank 0.
     * @param rank from 0
     * @param nodes by number: whether it is of this rank
     */
    void SetRank(uint32_t rank, const std::vector<bool>& nodes);

    /// @param end of the run @return events that count and ran until then, with the last one
    uint64_t CountEvents(const EventStamp& end) const;

    /// @return when an event that counts ran last
    int64_t GetLastTime() const
    {
        return m_lastTime;
    }

    /// The event that runs now does not count.
    void DoNotCount();

    /// @param time up to which the run certainly did not end
    void Settle(int64_t time);

  private:
    /// An event of this rank.
    struct Own
    {
        EventImpl* impl;      //!< what to do
        EventLineage lineage; //!< its place seen from other ranks
    };

    /// An event that another rank caused.
    struct Foreign
    {
        Event event;          //!< as ns-3 has it
        EventLineage lineage; //!< its place
        uint32_t rank;        //!< rank that caused it
        uint64_t number;      //!< of that rank's

        bool operator<(const Foreign& other) const;
    };

    bool IsForeignNext() const;
    bool Counts(uint32_t context) const;

    static LineageScheduler* g_current; //!< made last

    std::map<EventKey, Own> m_own;    //!< in ns-3's order
    std::multiset<Foreign> m_foreign; //!< in order
    EventStamp m_stamp;               //!< of the event that runs
    uint32_t m_lastOwn{0};            //!< number of the last own event
    int64_t m_lastOwnTime{-1};        //!< its time
    bool m_place{false};              //!< the next insertion has a place
    Foreign m_next;                   //!< the place
    std::vector<bool> m_ownNodes;     //!< by context
    int64_t m_lastTime{0};            //!< of the last event that counts
    int64_t m_timeBefore{0};          //!< of the one before
    uint64_t m_settled{0};            //!< events that count, up to the last Settle()
    std::vector<std::pair<int64_t, uint64_t>> m_recent; //!< time and number of those after it
};

} // namespace ns3::dml

#endif /* DML_LINEAGE_SCHEDULER_H */
