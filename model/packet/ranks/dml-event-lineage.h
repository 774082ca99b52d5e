/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EVENT_LINEAGE_H
#define DML_EVENT_LINEAGE_H

#include <array>
#include <cstdint>

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

} // namespace ns3::dml

#endif /* DML_EVENT_LINEAGE_H */
