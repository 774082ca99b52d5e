/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MODEL_CLOCK_H
#define DML_MODEL_CLOCK_H

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief An event of the model, which ModelClock has scheduled; copies are of the same one.
 */
class ModelEvent
{
  public:
    /// No event.
    ModelEvent() = default;

    /// @brief It shall not happen; nothing if it has, or is none.
    void Cancel();

    /// @return whether it is still to come
    bool IsPending() const;

  private:
    friend class ModelClock;
    struct Entry;
    explicit ModelEvent(std::shared_ptr<Entry> entry);

    std::shared_ptr<Entry> m_entry; //!< null: no event
};

/**
 * @ingroup dml-packet
 * @brief The time of the model: that of ns-3 and what FastForward has skipped.
 *
 * Workers, servers, faults and records live in this time; TCP and the network, whose state is the
 * same after what was skipped as before, in ns-3's. Where nothing is skipped they are the same, and
 * events come in the order in which Simulator has them. Like Simulator it is one for the process;
 * Simulator::Destroy() sets it back.
 */
class ModelClock
{
  public:
    /// @return time of the model
    static Time Now();

    /// @return what was skipped so far
    static Time GetSkipped();

    /**
     * @param delay in time of the model, at least 0
     * @param call to be made then, in the context of this event
     * @return the event
     */
    static ModelEvent Schedule(const Time& delay, std::function<void()> call);

    /// @return when the next event of the model comes, in its time; Time::Max() if there is none
    static Time GetNext();

    /**
     * @brief Go on in time without anything happening in the network.
     * @param span at least 0, at most until GetNext()
     */
    static void Skip(const Time& span);

  private:
    struct State;
    static State& Get();
    static void Reset();
    static void Happen(const std::shared_ptr<ModelEvent::Entry>& entry, uint32_t moves);
    friend class ModelEvent;
};

} // namespace ns3::dml

#endif /* DML_MODEL_CLOCK_H */
