/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-model-clock.h"

#include "ns3/simulator.h"

#include <set>
#include <utility>

namespace ns3::dml
{

struct ModelEvent::Entry
{
    Time at;                    //!< in time of the model
    uint64_t number{0};         //!< in the order of scheduling
    uint32_t context{0};        //!< of the event that scheduled it
    std::function<void()> call; //!< empty once it has happened, or was cancelled
    uint32_t moves{0};          //!< how often time was skipped before it
};

/// What is common to the process.
struct ModelClock::State
{
    /// Events come in the order of time, then of scheduling.
    struct Earlier
    {
        bool operator()(const std::shared_ptr<ModelEvent::Entry>& a,
                        const std::shared_ptr<ModelEvent::Entry>& b) const
        {
            return a->at != b->at ? a->at < b->at : a->number < b->number;
        }
    };

    Time skipped;            //!< so far
    uint64_t scheduled{0};   //!< events so far
    bool willBeReset{false}; //!< when the simulator is destroyed
    std::set<std::shared_ptr<ModelEvent::Entry>, Earlier> pending; //!< events to come
};

ModelEvent::ModelEvent(std::shared_ptr<Entry> entry)
    : m_entry(std::move(entry))
{
}

void
ModelEvent::Cancel()
{
    if (IsPending())
    {
        ModelClock::Get().pending.erase(m_entry);
        m_entry->call = nullptr;
    }
}

bool
ModelEvent::IsPending() const
{
    return m_entry && m_entry->call;
}

ModelClock::State&
ModelClock::Get()
{
    static State state;
    return state;
}

void
ModelClock::Reset()
{
    Get() = State();
}

Time
ModelClock::Now()
{
    return Simulator::Now() + Get().skipped;
}

Time
ModelClock::GetSkipped()
{
    return Get().skipped;
}

ModelEvent
ModelClock::Schedule(const Time& delay, std::function<void()> call)
{
    State& state = Get();
    if (!state.willBeReset)
    {
        state.willBeReset = true;
        Simulator::ScheduleDestroy(&ModelClock::Reset);
    }
    auto entry = std::make_shared<ModelEvent::Entry>();
    entry->at = Now() + delay;
    entry->number = state.scheduled++;
    entry->context = Simulator::GetContext();
    entry->call = std::move(call);
    Simulator::Schedule(delay, &ModelClock::Happen, entry, 0U);
    state.pending.insert(entry);
    return ModelEvent(entry);
}

void
ModelClock::Happen(const std::shared_ptr<ModelEvent::Entry>& entry, uint32_t moves)
{
    if (entry->call && entry->moves == moves)
    {
        Get().pending.erase(entry);
        const auto call = std::exchange(entry->call, nullptr);
        call();
    }
}

Time
ModelClock::GetNext()
{
    const auto& pending = Get().pending;
    return pending.empty() ? Time::Max() : (*pending.begin())->at;
}

void
ModelClock::Skip(const Time& span)
{
    State& state = Get();
    state.skipped += span;
    for (const auto& entry : state.pending)
    {
        // what ns-3 has of it now will do nothing; those of an instant keep their order
        Simulator::ScheduleWithContext(entry->context,
                                       entry->at - Now(),
                                       &ModelClock::Happen,
                                       entry,
                                       ++entry->moves);
    }
}

} // namespace ns3::dml
