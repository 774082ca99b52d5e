/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-sections.h"

#include "ns3/dml-profile-reader.h"
#include "ns3/dml-speed-trace-reader.h"
#include "ns3/dml-suggestion.h"

#include <vector>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_SLOTS = 100000;
constexpr double MAX_RATE = 1e9; // samples per second

/// Those of DeviceSpec::Kind::GPU.
const Keys<GpuStepTime>&
GpuTimeKeys()
{
    static const Value<double> SECONDS{
        TimeValue(Time(0)),
        [](const YamlField& field) { return field.GetTime(Time(0)).GetSeconds(); },
        [](double seconds) { return TimeText(Seconds(seconds)); }};
    static const Keys<GpuStepTime> KEYS{
        Key{"launch",
            &GpuStepTime::launch,
            SECONDS,
            "time of a step of x samples: ``launch + per_sample * x``, but at least ``floor``"},
        Key{"per_sample", &GpuStepTime::perSample, SECONDS, "see ``launch``"},
        Key{"floor", &GpuStepTime::floor, SECONDS, "see ``launch``"},
    };
    return KEYS;
}

/// How the time of a step follows from its batch: those of one kind.
const Keys<DeviceSpec>&
KindKeys()
{
    static const Keys<DeviceSpec> KEYS = [] {
        Keys<DeviceSpec> keys{
            Key{"speed",
                &DeviceSpec::speed,
                PositiveValue(MAX_SPEED, "the speed of the profile's device"),
                "proportional; speed relative to the profile's device"}
                .EchoIf(
                    [](const DeviceSpec& spec) { return spec.kind == DeviceSpec::Kind::SPEED; }),
            Key{"rate",
                &DeviceSpec::rate,
                PositiveValue(MAX_RATE, "samples per second"),
                "proportional; samples per second"}
                .Default("")
                .EchoIf([](const DeviceSpec& spec) { return spec.kind == DeviceSpec::Kind::RATE; }),
        };
        for (auto key : PartKeys(&DeviceSpec::time, GpuTimeKeys()))
        {
            keys.push_back(key.EchoIf(
                [](const DeviceSpec& spec) { return spec.kind == DeviceSpec::Kind::GPU; }));
        }
        return keys;
    }();
    return KEYS;
}

/// KindKeys().
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
    spec.kind = rate  ? DeviceSpec::Kind::RATE
                : gpu ? DeviceSpec::Kind::GPU
                      : DeviceSpec::Kind::SPEED;
    ReadKeys(device, KindKeys(), spec);
    if (gpu && spec.time.GetSeconds(1) <= 0)
    {
        device.FailWith(
            "found a device that takes no time; accepted: a launch, per_sample or floor "
            "above 0s");
    }
}

/// Those of all kinds.
const Keys<DeviceSpec>&
CommonKeys()
{
    static const Keys<DeviceSpec> KEYS{
        Key{"largest_batch",
            &DeviceSpec::largestBatch,
            IntegerValue(1, MAX_BATCH),
            "samples per step that the memory holds"}
            .EchoIf(
                [](const DeviceSpec& spec) { return spec.largestBatch != BatchModel::UNLIMITED; })
            .Default("no limit"),
        Key{"slots",
            &DeviceSpec::slots,
            IntegerValue(1, MAX_SLOTS),
            "parallel streams of each device of such a worker"}
            .EchoIf([](const DeviceSpec& spec) { return spec.slots > 0; })
            .Default("the profile's"),
        Key{"trace", &DeviceSpec::trace, SpeedTraceValue(), "known changes of speed"}
            .EchoIf([](const DeviceSpec& spec) { return !spec.trace.file.empty(); })
            .Default("none"),
        Key{"changes", &DeviceSpec::changes, SpeedChangesValue(), "lasting ones, at random"}
            .EchoIf([](const DeviceSpec& spec) { return spec.changes.every > Time(0); })
            .Default("none"),
        Key{"spikes", &DeviceSpec::spikes, SpeedSpikesValue(), "short ones, at random"}
            .EchoIf([](const DeviceSpec& spec) { return spec.spikes.every > Time(0); })
            .Default("none"),
    };
    return KEYS;
}

Value<std::map<std::string, DeviceSpec>>
DevicesValue()
{
    static const Keys<DeviceSpec> KEYS = [] {
        Keys<DeviceSpec> keys = KindKeys();
        AddKeys(keys, CommonKeys());
        return keys;
    }();
    auto device = MapValue(KEYS, "", "a map");
    device.read = [](const YamlField& field) {
        field.CheckKeys(NamesOf(KEYS));
        DeviceSpec spec;
        ReadKind(field, spec);
        ReadKeys(field, CommonKeys(), spec);
        return spec;
    };
    return TableValue(device, "a map of devices by name, such as {V100: {speed: 2}}");
}

/// One class for all, or a list of them, which is repeated.
std::vector<std::string>
ReadClasses(const YamlField& field, const JobSpec& spec)
{
    std::vector<std::string> known;
    for (const auto& [name, device] : spec.devices)
    {
        known.push_back(name);
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

void
ReadDevices(const YamlField& job, JobSpec& spec)
{
    const auto devices = job.Get("devices");
    if (devices)
    {
        spec.devices = DevicesValue().read(devices);
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

/// @return @p json unless it is empty
KeyJson
IfAny(const KeyJson& json)
{
    return json.empty() ? KeyJson() : json;
}

} // namespace

const Keys<JobSpec>&
DeviceKeys()
{
    static const Value<std::string> NAME = NameValue("the name of a device");
    static const KeyShape NAMES{"one name, or one for each, repeated",
                                AnySchema({NAME.schema, ListSchema(NAME.schema)})};
    static const Keys<JobSpec> KEYS{
        Key{"batch_size",
            &JobSpec::batchSize,
            IntegerValue(1, MAX_BATCH),
            "samples of each worker's first step"}
            .EchoIf([](const JobSpec& job) { return job.batchSize > 0; })
            .Default("the profile's"),
        Key{"devices",
            ReadDevices,
            +[](const JobSpec& job) { return IfAny(DevicesValue().echo(job.devices)); },
            DevicesValue(),
            "classes of devices by name, see :doc:`devices`"}
            .Default("none"),
        Key<JobSpec>{"worker_devices",
                     nullptr,
                     [](const JobSpec& job) { return IfAny(job.workerDevices); },
                     NAMES,
                     "the class of each worker"}
            .Default("the only class"),
        Key<JobSpec>{"server_devices",
                     nullptr,
                     [](const JobSpec& job) { return IfAny(job.serverDevices); },
                     NAMES,
                     "the class of each parameter server"}
            .Default("the profile's"),
    };
    return KEYS;
}

} // namespace ns3::dml
