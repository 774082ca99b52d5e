/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-schedule-observer.h"

#include <vector>

namespace ns3::dml
{

namespace
{

std::vector<uint32_t>
GetSlots(const Profile& profile)
{
    std::vector<uint32_t> slots;
    for (const auto& device : profile.devices)
    {
        slots.push_back(device.slots);
    }
    return slots;
}

} // namespace

ScheduleObserver::ScheduleObserver(const Profile& profile, const Options& options)
    : m_steps(GetSlots(profile), options.workers, options.first),
      m_stragglers(options.workers, options.first, options.barrier),
      m_work(profile, options.workers, options.servers, {&m_steps, &m_stragglers}),
      m_transfers(options.workers, options.tensors ? profile.tensors.size() : 0, options.first)
{
    Add(&m_work);
    Add(&m_transfers);
}

ScheduleSummary
ScheduleObserver::GetSummary() const
{
    ScheduleSummary summary;
    summary.step = m_steps.GetTime();
    summary.efficiency = m_steps.GetEfficiency();
    summary.speedup = m_steps.GetSpeedup();
    summary.straggler = m_stragglers.GetTime();
    summary.forwardStart = m_steps.GetForwardStart();
    summary.devices = m_steps.GetDeviceUse();
    summary.gradients = m_transfers.GetTimes(Direction::UPLINK);
    summary.parameters = m_transfers.GetTimes(Direction::DOWNLINK);
    return summary;
}

const TransferMeter&
ScheduleObserver::GetTransfers() const
{
    return m_transfers;
}

const StragglerMeter&
ScheduleObserver::GetStragglers() const
{
    return m_stragglers;
}

} // namespace ns3::dml
