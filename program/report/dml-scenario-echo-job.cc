/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-echo-job.h"

namespace ns3
{
namespace dml
{

using Json = nlohmann::ordered_json;

namespace
{

Json
GradientGroupsToJson(const GradientGroupSpec& groups)
{
    if (groups.rule == "explicit")
    {
        return groups.names;
    }
    return groups.rule == "off" ? Json(groups.rule) : Json{{groups.rule, groups.size}};
}

/// @param time seconds
std::string
SecondsText(double time)
{
    return TimeText(Seconds(time));
}

Json
SpeedProcessToJson(const SpeedProcessSpec& process)
{
    Json json{{"every", TimeText(process.every)}};
    if (process.length > Time(0))
    {
        json["length"] = TimeText(process.length);
    }
    json["speed"] = {{"min", process.speed.min}, {"max", process.speed.max}};
    return json;
}

Json
DeviceToJson(const DeviceSpec& device)
{
    Json json = Json::object();
    switch (device.kind)
    {
    case DeviceSpec::Kind::SPEED:
        json["speed"] = device.speed;
        break;
    case DeviceSpec::Kind::RATE:
        json["rate"] = device.rate;
        break;
    case DeviceSpec::Kind::GPU:
        json = {{"launch", SecondsText(device.time.launch)},
                {"per_sample", SecondsText(device.time.perSample)},
                {"floor", SecondsText(device.time.floor)}};
        break;
    }
    if (device.largestBatch != BatchModel::UNLIMITED)
    {
        json["largest_batch"] = device.largestBatch;
    }
    if (device.slots > 0)
    {
        json["slots"] = device.slots;
    }
    if (!device.trace.file.empty())
    {
        json["trace"] = {{"file", device.trace.file}};
        if (device.trace.repeat > Time(0))
        {
            json["trace"]["repeat"] = TimeText(device.trace.repeat);
        }
    }
    if (device.changes.every > Time(0))
    {
        json["changes"] = SpeedProcessToJson(device.changes);
    }
    if (device.spikes.every > Time(0))
    {
        json["spikes"] = SpeedProcessToJson(device.spikes);
    }
    return json;
}

/// The keys of devices, those that were given.
void
AddDevices(const JobSpec& job, Json& json)
{
    if (job.batchSize > 0)
    {
        json["batch_size"] = job.batchSize;
    }
    for (const auto& [name, device] : job.devices)
    {
        json["devices"][name] = DeviceToJson(device);
    }
    if (!job.workerDevices.empty())
    {
        json["worker_devices"] = job.workerDevices;
    }
    if (!job.serverDevices.empty())
    {
        json["server_devices"] = job.serverDevices;
    }
}

Json
SyncToJson(const SyncSpec& sync)
{
    if (sync.rule == "ssp")
    {
        return {{"ssp", sync.bound}};
    }
    if (sync.rule == "backup")
    {
        return {{"backup", sync.backups}};
    }
    return sync.rule;
}

Json
BatchControlToJson(const BatchControlSpec& control)
{
    if (control.rule == "off")
    {
        return control.rule;
    }
    Json settings;
    if (control.rule == "gpu")
    {
        settings = {{"step", control.step},
                    {"window", control.window},
                    {"fine_step", control.fineStep},
                    {"fine_window", control.fineWindow},
                    {"memory_guard", control.memoryGuard}};
        return {{control.rule, settings}};
    }
    settings["predictor"] = control.predictor;
    if (control.predictor != "last")
    {
        settings["alpha"] = control.alpha;
    }
    if (control.predictor == "narx")
    {
        settings["warmup"] = control.warmup;
    }
    return {{control.rule, settings}};
}

Json
SheddingToJson(const SheddingSpec& shedding)
{
    if (!shedding.on)
    {
        return "off";
    }
    return {{"checks", shedding.checks},
            {"lag", shedding.lag},
            {"share", shedding.share},
            {"cost", TimeText(shedding.cost)}};
}

Json
StepsToJson(const JobSpec& job)
{
    if (!job.autoSteps.on)
    {
        return job.steps;
    }
    return {{"auto", job.autoSteps.target}, {"at_most", job.steps}};
}

bool
HasDetectedWarmup(const JobSpec& job)
{
    return job.autoSteps.on && job.autoSteps.detectWarmup;
}

} // namespace

Json
JobToJson(const JobSpec& job)
{
    Json sampling = job.sampling.rule;
    if (job.sampling.rule == "explicit")
    {
        sampling = job.sampling.lists;
    }
    Json start = job.start.rule;
    if (job.start.rule == "explicit")
    {
        start = Json::array();
        for (const auto& offset : job.start.offsets)
        {
            start.push_back(TimeText(offset));
        }
    }
    Json placement = job.placement.rule;
    if (job.placement.rule == "explicit")
    {
        placement = job.placement.table;
    }
    Json json{{"profile", job.profile},
              {"workers", job.workers},
              {"parameter_servers", job.parameterServers},
              {"scale", job.scale},
              {"placement", placement},
              {"gradient_groups", GradientGroupsToJson(job.gradientGroups)},
              {"protocol", job.protocol},
              {"sync", SyncToJson(job.sync)},
              {"batch_control", BatchControlToJson(job.batchControl)},
              {"shedding", SheddingToJson(job.shedding)},
              {"steps", StepsToJson(job)},
              {"warmup", HasDetectedWarmup(job) ? Json("auto") : Json(job.warmup)},
              {"sampling", sampling},
              {"start", start}};
    AddDevices(job, json);
    return json;
}

Json
OtherJobToJson(const JobSpec& job)
{
    Json json = JobToJson(job);
    json["workers"] = job.workers.front();
    json.erase("steps");
    json.erase("warmup");
    json.erase("batch_control");
    json.erase("shedding");
    return json;
}

} // namespace dml
} // namespace ns3
