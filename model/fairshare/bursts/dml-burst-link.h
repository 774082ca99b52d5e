/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_LINK_H
#define DML_BURST_LINK_H

#include "dml-burst-pool.h"
#include "dml-ring-queue.h"

#include <cstddef>
#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief The bursts that wait for a link or cross it, in the order in which they come to its end.
 *
 * Only the first one is an event of the simulation, which keeps the heap of events small.
 */
class BurstLink
{
  public:
    /// When a burst comes to the end of the link.
    struct Arrival
    {
        double time;    //!< seconds
        uint64_t order; //!< rank among simultaneous events
        BurstId burst;  //!< which one
    };

    /// @return whether there are none
    bool IsEmpty() const
    {
        return m_arrivals.empty();
    }

    /// @return the first arrival; there is one
    const Arrival& GetFirst() const
    {
        return m_arrivals.front();
    }

    /// @param arrival of another burst, whose order is higher than that of all others
    /// @return whether it is the first one now
    bool Add(const Arrival& arrival)
    {
        m_arrivals.push_back(arrival);
        std::size_t place = m_arrivals.size() - 1;
        // a burst that fills a gap between others may come before them
        for (; place > 0 && m_arrivals[place - 1].time > arrival.time; --place)
        {
            m_arrivals[place] = m_arrivals[place - 1];
        }
        m_arrivals[place] = arrival;
        return place == 0;
    }

    /// The first burst has arrived.
    void RemoveFirst()
    {
        m_arrivals.pop_front();
    }

    /// @param change called with each arrival, in their order, which it must not change
    template <typename Function>
    void ChangeAll(const Function& change)
    {
        for (auto& arrival : m_arrivals)
        {
            change(arrival);
        }
    }

  private:
    RingQueue<Arrival> m_arrivals; //!< sorted by time, then by order
};

} // namespace ns3::dml

#endif /* DML_BURST_LINK_H */
