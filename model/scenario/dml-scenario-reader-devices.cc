/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-devices.h"

#include "dml-scenario-reader-path.h"

#include "ns3/dml-profile-reader-limits.h"
#include "ns3/dml-speed-trace-reader.h"
#include "ns3/dml-suggestion.h"

#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_SLOTS = 100000;
constexpr double MAX_RATE = 1e9;             // samples per second
constexpr int64_t SHORTEST_MILLISECONDS = 1; // between changes of speed: a run has an end
const char* const RANGE_FORM = "a number above 0, or {min: SPEED, max: SPEED}";

/// @return a number above 0
double
ReadPositive(const YamlField& field, double high, const std::string& what)
{
    const double number = field.GetNumber(high, what);
    if (number <= 0)
    {
        field.Fail("a number above 0");
    }
    return number;
}

/// One speed, or {min: SPEED, max: SPEED}.
SpeedRange
ReadRange(const YamlField& field, double high)
{
    const std::string what = "the speed that the device has otherwise";
    if (!field.IsMap())
    {
        const double speed = ReadPositive(field, high, what);
        return {speed, speed};
    }
    field.CheckKeys({"min", "max"});
    const YamlField min = field.Get("min");
    const YamlField max = field.Get("max");
    if (!min || !max)
    {
        field.FailWith("found a map without " + std::string(min ? "max" : "min") +
                       "; accepted: " + RANGE_FORM);
    }
    const SpeedRange range{ReadPositive(min, high, what), ReadPositive(max, high, what)};
    if (range.max < range.min)
    {
        max.Fail("a number from min on");
    }
    return range;
}

/// @param keys that it must have, and no others
SpeedProcessSpec
ReadProcess(const YamlField& field, const std::vector<std::string>& keys)
{
    field.CheckKeys(keys);
    for (const auto& key : keys)
    {
        if (!field.Get(key))
        {
            field.FailWith("found no key " + key + "; accepted: a map with the keys " +
                           JoinWords(keys));
        }
    }
    SpeedProcessSpec spec;
    spec.every = field.Get("every").GetTime(MilliSeconds(SHORTEST_MILLISECONDS));
    if (const auto length = field.Get("length"))
    {
        spec.length = length.GetTime(MilliSeconds(SHORTEST_MILLISECONDS));
    }
    spec.speed = ReadRange(field.Get("speed"), 1);
    return spec;
}

/// A path, or {file: PATH, repeat: TIME}.
SpeedTraceSpec
ReadTrace(const YamlField& field, const std::string& file)
{
    const std::string what = "a trace of speeds (a CSV file)";
    SpeedTraceSpec spec;
    if (!field.IsMap())
    {
        spec.file = ReadExistingPath(field, file, what);
        return spec;
    }
    field.CheckKeys({"file", "repeat"});
    spec.file = ReadExistingPath(field.Get("file"), file, what);
    if (const auto repeat = field.Get("repeat"))
    {
        spec.repeat = repeat.GetTime(MilliSeconds(SHORTEST_MILLISECONDS));
    }
    return spec;
}

/// launch + per_sample * x, but at least floor.
GpuStepTime
ReadGpu(const YamlField& device)
{
    GpuStepTime time;
    for (const auto& [key, value] : {std::pair{"launch", &time.launch},
                                     std::pair{"per_sample", &time.perSample},
                                     std::pair{"floor", &time.floor}})
    {
        if (const auto field = device.Get(key))
        {
            *value = field.GetTime(Time(0)).GetSeconds();
        }
    }
    if (time.GetSeconds(1) <= 0)
    {
        device.FailWith(
            "found a device that takes no time; accepted: a launch, per_sample or floor "
            "above 0s");
    }
    return time;
}

/// How the time of a step follows from its batch.
void
ReadKind(const YamlField& device, DeviceSpec& spec)
{
    const auto speed = device.Get("speed");
    const auto rate = device.Get("rate");
    const bool gpu = device.Get("launch") || device.Get("per_sample") || device.Get("floor");
    if ((speed ? 1 : 0) + (rate ? 1 : 0) + (gpu ? 1 : 0) > 1)
    {
        device.FailWith("found " +
                        std::string(!gpu ? "both speed and rate"
                                         : "launch, per_sample or floor beside speed or rate") +
                        "; accepted: speed, or rate, or launch, per_sample and floor");
    }
    if (speed)
    {
        spec.speed = ReadPositive(speed, MAX_SPEED, "the speed of the profile's device");
    }
    if (rate)
    {
        spec.kind = DeviceSpec::Kind::RATE;
        spec.rate = ReadPositive(rate, MAX_RATE, "samples per second");
    }
    if (gpu)
    {
        spec.kind = DeviceSpec::Kind::GPU;
        spec.time = ReadGpu(device);
    }
}

DeviceSpec
ReadDevice(const YamlField& device, const std::string& file)
{
    device.CheckKeys({"speed",
                      "rate",
                      "launch",
                      "per_sample",
                      "floor",
                      "largest_batch",
                      "slots",
                      "trace",
                      "changes",
                      "spikes"});
    DeviceSpec spec;
    ReadKind(device, spec);
    if (const auto field = device.Get("largest_batch"))
    {
        spec.largestBatch = field.GetInteger(1, MAX_BATCH);
    }
    if (const auto field = device.Get("slots"))
    {
        spec.slots = field.GetInteger(1, MAX_SLOTS);
    }
    if (const auto field = device.Get("trace"))
    {
        spec.trace = ReadTrace(field, file);
    }
    if (const auto field = device.Get("changes"))
    {
        spec.changes = ReadProcess(field, {"every", "speed"});
    }
    if (const auto field = device.Get("spikes"))
    {
        spec.spikes = ReadProcess(field, {"every", "length", "speed"});
    }
    return spec;
}

/// One class for all, or a list of them, which is repeated.
std::vector<std::string>
ReadClasses(const YamlField& field, const JobSpec& spec)
{
    std::vector<std::string> known;
    for (const auto& entry : spec.devices)
    {
        known.push_back(entry.first);
    }
    const std::string accepted = "names of devices, first worker or server first";
    const auto items = field.IsList() ? field.GetItems(accepted) : std::vector<YamlField>{field};
    std::vector<std::string> classes;
    for (const auto& item : items)
    {
        if (known.empty())
        {
            item.FailWith("found no devices that could be named; accepted: names of devices that "
                          "devices beside it has");
        }
        classes.push_back(item.GetChoice(known));
    }
    if (classes.empty())
    {
        field.FailWith("found an empty list; accepted: " + accepted);
    }
    return classes;
}

/// @throws InputError if a server has a device that is described by what training does on it
void
CheckServerDevices(const YamlField& field, const JobSpec& spec)
{
    for (const auto& name : spec.serverDevices)
    {
        const DeviceSpec& device = spec.devices.at(name);
        const std::string what = device.kind == DeviceSpec::Kind::RATE  ? "rate"
                                 : device.kind == DeviceSpec::Kind::GPU ? "launch or per_sample"
                                 : device.slots > 0                     ? "slots"
                                 : device.largestBatch != BatchModel::UNLIMITED ? "largest_batch"
                                                                                : "";
        if (!what.empty())
        {
            field.FailWith("found " + QuoteText(name, '"') + ", which has " + what +
                           "; accepted: devices with speed, trace, changes, spikes only");
        }
    }
}

} // namespace

void
ReadDevices(const YamlField& job, const std::string& file, JobSpec& spec)
{
    if (const auto field = job.Get("batch_size"))
    {
        spec.batchSize = field.GetInteger(1, MAX_BATCH);
    }
    const auto devices = job.Get("devices");
    if (devices)
    {
        const std::string accepted = "a map of devices by name, such as {V100: {speed: 2}}";
        for (const auto& [name, device] : devices.GetEntries(accepted))
        {
            spec.devices[name] = ReadDevice(device, file);
        }
    }
    if (const auto field = job.Get("worker_devices"))
    {
        spec.workerDevices = ReadClasses(field, spec);
    }
    else if (spec.devices.size() == 1)
    {
        spec.workerDevices = {spec.devices.begin()->first};
    }
    else if (!spec.devices.empty())
    {
        devices.FailWith("found several devices, but no key worker_devices beside them; accepted: "
                         "worker_devices with the name of each worker's");
    }
    if (const auto field = job.Get("server_devices"))
    {
        spec.serverDevices = ReadClasses(field, spec);
        CheckServerDevices(field, spec);
    }
}

} // namespace dml
} // namespace ns3
