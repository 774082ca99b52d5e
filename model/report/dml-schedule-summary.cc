/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-schedule-summary.h"

#include "ns3/dml-json-number.h"

#include <iterator>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

using Json = nlohmann::ordered_json;

/// Of each step or iteration, by their names in summary.json.
constexpr std::pair<const char*, Distribution ScheduleSummary::*> QUANTITIES[] = {
    {"step", &ScheduleSummary::step},
    {"efficiency", &ScheduleSummary::efficiency},
    {"speedup", &ScheduleSummary::speedup},
    {"straggler", &ScheduleSummary::straggler},
    {"forward_start", &ScheduleSummary::forwardStart}};

Json
ToJson(const Distribution& values)
{
    return {{"mean", JsonNumber(values.GetMean())},
            {"min", JsonNumber(values.min)},
            {"p5", JsonNumber(values.GetQuantile(0.05))},
            {"median", JsonNumber(values.GetQuantile(0.5))},
            {"p95", JsonNumber(values.GetQuantile(0.95))},
            {"max", JsonNumber(values.max)},
            {"count", values.count},
            {"undefined", values.undefined}};
}

Json
ToJson(const TransferTimes& times)
{
    return {{"wait", ToJson(times.wait)}, {"transfer", ToJson(times.transfer)}};
}

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

ScheduleSummary::Means
ScheduleSummary::GetMeans() const
{
    static_assert(std::size(QUANTITIES) == std::tuple_size_v<Means>);
    Means means;
    for (std::size_t i = 0; i < means.size(); ++i)
    {
        means[i] = (this->*QUANTITIES[i].second).GetMean();
    }
    return means;
}

void
ScheduleSummary::Merge(const ScheduleSummary& other)
{
    for (const auto& [name, quantity] : QUANTITIES)
    {
        (this->*quantity).Merge(other.*quantity);
    }
    devices.resize(other.devices.size());
    for (std::size_t device = 0; device < devices.size(); ++device)
    {
        devices[device].busy += other.devices[device].busy;
        devices[device].available += other.devices[device].available;
        devices[device].steps += other.devices[device].steps;
    }
    gradients.wait.Merge(other.gradients.wait);
    gradients.transfer.Merge(other.gradients.transfer);
    parameters.wait.Merge(other.parameters.wait);
    parameters.transfer.Merge(other.parameters.transfer);
}

nlohmann::ordered_json
ToJson(const ScheduleSummary& schedule, const std::vector<std::string>& devices)
{
    Json json;
    for (const auto& [name, quantity] : QUANTITIES)
    {
        json[name] = ToJson(schedule.*quantity);
    }
    json["devices"] = Json::array();
    for (std::size_t device = 0; device < schedule.devices.size(); ++device)
    {
        const DeviceUse& use = schedule.devices[device];
        json["devices"].push_back(
            {{"device", device < devices.size() ? Json(devices[device]) : Json(device)},
             {"utilisation", JsonNumber(use.GetUtilisation())},
             {"idle_share", JsonNumber(1 - use.GetUtilisation())},
             {"idle", JsonNumber(use.GetIdle())}});
    }
    json["gradients"] = ToJson(schedule.gradients);
    json["parameters"] = ToJson(schedule.parameters);
    return json;
}

nlohmann::ordered_json
MeansToJson(const ScheduleSummary::Means& means)
{
    Json json;
    for (std::size_t i = 0; i < means.size(); ++i)
    {
        json[QUANTITIES[i].first] = JsonNumber(means[i]);
    }
    return json;
}

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

} // namespace ns3::dml
