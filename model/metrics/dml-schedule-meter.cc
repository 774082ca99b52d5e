/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-schedule-meter.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

} // namespace

MakespanBounds
ComputeMakespanBounds(const std::vector<double>& busy)
{
    MakespanBounds bounds;
    for (const double seconds : busy)
    {
        bounds.upper += seconds;
        bounds.lower = std::max(bounds.lower, seconds);
    }
    return bounds;
}

std::optional<double>
ComputeSchedulingEfficiency(const MakespanBounds& bounds, double makespan)
{
    if (bounds.upper == bounds.lower)
    {
        return std::nullopt;
    }
    return (bounds.upper - makespan) / (bounds.upper - bounds.lower);
}

double
ComputeSchedulingSpeedup(const MakespanBounds& bounds)
{
    return bounds.lower == 0 ? 0 : (bounds.upper - bounds.lower) / bounds.lower;
}

double
DeviceUse::GetUtilisation() const
{
    return available > 0 ? busy / available : NONE;
}

double
DeviceUse::GetIdle() const
{
    return steps > 0 ? (available - busy) / steps : NONE;
}

ScheduleMeter::ScheduleMeter(std::vector<uint32_t> slots, uint32_t workers, const FirstSteps& first)
    : m_slots(std::move(slots)),
      m_first(first),
      m_workers(workers)
{
    for (auto& worker : m_workers)
    {
        worker.lastBackward = NONE;
        worker.busy.resize(m_slots.size(), 0);
    }
}

void
ScheduleMeter::StepWorked(const StepRecord& step, const StepWork& work)
{
    Worker& worker = m_workers.at(step.worker);
    const double lastBackward = std::exchange(worker.lastBackward, work.lastBackward);
    if (!m_first.Count(step.worker, step.step))
    {
        return;
    }
    std::vector<double> busy = work.links;
    busy.insert(busy.end(), work.servers.begin(), work.servers.end());
    busy.insert(busy.end(), work.parsers.begin(), work.parsers.end());
    for (std::size_t device = 0; device < m_slots.size(); ++device)
    {
        // each slot is a resource, with its share of the work
        busy.insert(busy.end(), m_slots[device], work.devices[device] / m_slots[device]);
        worker.busy[device] += work.devices[device];
    }
    const MakespanBounds bounds = ComputeMakespanBounds(busy);
    m_efficiency.Add(ComputeSchedulingEfficiency(bounds, work.time).value_or(NONE));
    m_speedup.Add(ComputeSchedulingSpeedup(bounds));
    m_forwardStart.Add(work.firstForward - lastBackward);
    m_time.Add(work.time);
    worker.start = worker.steps == 0 ? step.start : worker.start;
    worker.end = step.end;
    ++worker.steps;
}

std::vector<DeviceUse>
ScheduleMeter::GetDeviceUse() const
{
    std::vector<DeviceUse> uses(m_slots.size());
    for (std::size_t device = 0; device < m_slots.size(); ++device)
    {
        for (const auto& worker : m_workers)
        {
            uses[device].busy += worker.busy[device];
            uses[device].available += (worker.end - worker.start) * m_slots[device];
            uses[device].steps += worker.steps;
        }
    }
    return uses;
}

} // namespace ns3::dml
