/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-schedule-summary.h"

#include "ns3/dml-json-number.h"

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
    Json json;
    json["mean"] = JsonNumber(values.GetMean());
    json["min"] = JsonNumber(values.min);
    json["p5"] = JsonNumber(values.GetQuantile(0.05));
    json["median"] = JsonNumber(values.GetQuantile(0.5));
    json["p95"] = JsonNumber(values.GetQuantile(0.95));
    json["max"] = JsonNumber(values.max);
    json["count"] = values.count;
    json["undefined"] = values.undefined;
    return json;
}

Json
ToJson(const TransferTimes& times)
{
    Json json;
    json["wait"] = ToJson(times.wait);
    json["transfer"] = ToJson(times.transfer);
    return json;
}

} // namespace

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
        Json entry;
        entry["device"] = device < devices.size() ? Json(devices[device]) : Json(device);
        entry["utilisation"] = JsonNumber(use.GetUtilisation());
        entry["idle_share"] = JsonNumber(1 - use.GetUtilisation());
        entry["idle"] = JsonNumber(use.GetIdle());
        json["devices"].push_back(entry);
    }
    json["gradients"] = ToJson(schedule.gradients);
    json["parameters"] = ToJson(schedule.parameters);
    return json;
}

nlohmann::ordered_json
MeansToJson(const ScheduleSummary& schedule)
{
    Json json;
    for (const auto& [name, quantity] : QUANTITIES)
    {
        json[name] = JsonNumber((schedule.*quantity).GetMean());
    }
    return json;
}

} // namespace ns3::dml
