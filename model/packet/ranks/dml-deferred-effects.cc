/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-deferred-effects.h"

#include <utility>

namespace ns3::dml
{

DeferredEffects::DeferredEffects(const LineageScheduler& scheduler)
    : m_scheduler(scheduler)
{
}

void
DeferredEffects::Add(Effect effect)
{
    m_held.push_back({m_scheduler.GetStamp(), std::move(effect)});
}

void
DeferredEffects::Settle(int64_t time)
{
    while (!m_held.empty() && m_held.front().stamp.time <= time)
    {
        DoFirst();
    }
}

void
DeferredEffects::Finish(const EventStamp& end)
{
    while (!m_held.empty() && !end.IsBefore(m_held.front().stamp))
    {
        DoFirst();
    }
    m_held.clear();
}

void
DeferredEffects::DoFirst()
{
    m_current = &m_held.front().stamp;
    m_held.front().effect(m_current->time);
    m_current = nullptr;
    m_held.pop_front();
}

} // namespace ns3::dml
