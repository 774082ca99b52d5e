/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EVENT_HEAP_H
#define DML_EVENT_HEAP_H

#include "dml-turnover-heap.h"

#include "ns3/dml-instant.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief What happens at known times, in order of instant, then of rank.
 * @tparam T what an event is about; kept aside, so that the heap moves little
 */
template <typename T>
class EventHeap
{
  public:
    /// When an event happens.
    struct Event
    {
        int64_t instant; //!< of its time
        uint64_t order;  //!< rank among simultaneous events
        uint32_t slot;   //!< where its payload is

        /// @param other another event @return whether this one happens first
        bool GoesBefore(const Event& other) const
        {
            return instant != other.instant ? instant < other.instant : order < other.order;
        }
    };

    /// An event that happens.
    struct Happening
    {
        double time; //!< seconds
        T payload;   //!< what it is about
    };

    /// @return whether nothing is to come
    bool IsEmpty() const
    {
        return m_events.IsEmpty();
    }

    /// @return the first event, if there is one
    const Event& GetFirst()
    {
        return m_events.GetFirst();
    }

    /// @return seconds until the first event, if there is one
    double GetFirstTime()
    {
        return m_happenings[m_events.GetFirst().slot].time;
    }

    /**
     * @brief Add an event.
     * @param time seconds
     * @param order rank among simultaneous events
     * @param payload what it is about
     */
    void Push(double time, uint64_t order, const T& payload)
    {
        uint32_t slot = m_happenings.size();
        if (m_free.empty())
        {
            m_happenings.push_back({time, payload});
        }
        else
        {
            slot = m_free.back();
            m_free.pop_back();
            m_happenings[slot] = {time, payload};
        }
        m_events.Push({InstantOf(time), order, slot});
    }

    /// @brief Remove the first event, if there is one. @return when it happens, and what
    Happening Pop()
    {
        const uint32_t slot = m_events.Pop().slot;
        m_free.push_back(slot);
        return m_happenings[slot];
    }

    /// @return number of events
    std::size_t GetSize() const
    {
        return m_events.GetSize();
    }

    /**
     * @brief Change the times of all events.
     * @param change called with each event's Happening, whose time it changes
     */
    template <typename Function>
    void ChangeTimes(const Function& change)
    {
        m_events.ChangeAll([this, &change](Event& event) {
            change(m_happenings[event.slot]);
            event.instant = InstantOf(m_happenings[event.slot].time);
        });
    }

  private:
    TurnoverHeap<Event> m_events;        //!< when
    std::vector<Happening> m_happenings; //!< what, by slot
    std::vector<uint32_t> m_free;        //!< unused slots
};

} // namespace ns3::dml

#endif /* DML_EVENT_HEAP_H */
