/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCHEDULE_CALL_H
#define DML_SCHEDULE_CALL_H

#include "ns3/simulator.h"

#include <functional>
#include <utility>

namespace ns3::dml
{

/// Calls it: what Simulator::Schedule() of ns-3.35 can be given.
inline void
MakeCall(std::function<void()> call)
{
    call();
}

/// @param delay from now @param call to make then
inline void
ScheduleCall(const Time& delay, std::function<void()> call)
{
    Simulator::Schedule(delay, &MakeCall, std::move(call));
}

} // namespace ns3::dml

#endif /* DML_SCHEDULE_CALL_H */
