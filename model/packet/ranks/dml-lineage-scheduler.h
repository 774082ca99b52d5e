/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINEAGE_SCHEDULER_H
#define DML_LINEAGE_SCHEDULER_H

#include "dml-event-lineage.h"

#include "ns3/scheduler.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dml
{

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    LineageScheduler();
    ~LineageScheduler() override;

    /// @return the one that was made last, or null
    static LineageScheduler* GetCurrent();

    void Insert(const Event& event) override;
    bool IsEmpty() const override;
    Event PeekNext() const override;
    Event RemoveNext() override;
    void Remove(const Event& event) override;

    /// @param root of events that are scheduled from now on, before the simulation begins
    void SetRoot(uint32_t root);

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
