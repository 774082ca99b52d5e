/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EVENT_HEAP_H
#define DML_EVENT_HEAP_H

#include "ns3/dml-instant.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace dml
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
        double time;     //!< seconds
        uint32_t slot;   //!< where its payload is

        /// For a heap with the first event on top.
        bool operator<(const Event& other) const
        {
            return instant != other.instant ? instant > other.instant : order > other.order;
        }
    };

    /// @return whether nothing is to come
    bool IsEmpty() const
    {
        return m_events.empty();
    }

    /// @return the first event, if there is one
    const Event& GetFirst() const
    {
        return m_events.front();
    }

    /**
     * @brief Add an event.
     * @param time seconds
     * @param order rank among simultaneous events
     * @param payload what it is about
     */
    void Push(double time, uint64_t order, const T& payload)
    {
        uint32_t slot = m_payloads.size();
        if (m_free.empty())
        {
            m_payloads.push_back(payload);
        }
        else
        {
            slot = m_free.back();
            m_free.pop_back();
            m_payloads[slot] = payload;
        }
        m_events.push_back({InstantOf(time), order, time, slot});
        std::push_heap(m_events.begin(), m_events.end());
    }

    /// @brief Remove the first event. @return what it is about
    T Pop()
    {
        std::pop_heap(m_events.begin(), m_events.end());
        const uint32_t slot = m_events.back().slot;
        m_events.pop_back();
        m_free.push_back(slot);
        return m_payloads[slot];
    }

  private:
    std::vector<Event> m_events;  //!< heap
    std::vector<T> m_payloads;    //!< of events
    std::vector<uint32_t> m_free; //!< unused slots of m_payloads
};

} // namespace dml
} // namespace ns3

#endif /* DML_EVENT_HEAP_H */
