/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DEFERRED_EFFECTS_H
#define DML_DEFERRED_EFFECTS_H

#include "dml-lineage-scheduler.h"

#include <cstdint>
#include <deque>
#include <functional>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Counting that waits until it is known that the run had not ended before.
 *
 * The last worker's rank knows first that the run is over; the others have gone on for a while.
 * What they counted in that while must not show.
 */
class DeferredEffects
{
  public:
    /// What to do; given the time when it happened, time steps.
    using Effect = std::function<void(int64_t time)>;

    /// @param scheduler knows the event that runs; must outlive this
    explicit DeferredEffects(const LineageScheduler& scheduler);

    /// @param effect of the event that runs, to be done later
    void Add(Effect effect);

    /// @param time up to which the run certainly did not end: do what happened until then
    void Settle(int64_t time);

    /// @param end of the run: do what happened until then, drop the rest
    void Finish(const EventStamp& end);

    /// @return of the event whose effect is being done, else of the event that runs
    const EventStamp& GetStamp() const
    {
        return m_current ? *m_current : m_scheduler.GetStamp();
    }

  private:
    /// An effect and when it happened.
    struct Held
    {
        EventStamp stamp; //!< when
        Effect effect;    //!< what
    };

    void DoFirst();

    const LineageScheduler& m_scheduler;  //!< knows the event that runs
    std::deque<Held> m_held;              //!< in order
    const EventStamp* m_current{nullptr}; //!< of the effect being done
};

/// Do something now, or where it has to wait, later.
/// @param effects where it waits; null: it does not @param effect of the event that runs
template <typename Effect>
void
DoOrDefer(DeferredEffects* effects, const Effect& effect)
{
    if (effects)
    {
        effects->Add([effect](int64_t) { effect(); });
        return;
    }
    effect();
}

} // namespace ns3::dml

#endif /* DML_DEFERRED_EFFECTS_H */
