/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-job.h"

#include "dml-scenario-reader-batch-control.h"
#include "dml-scenario-reader-devices.h"
#include "dml-scenario-reader-keys.h"
#include "dml-scenario-reader-path.h"
#include "dml-scenario-reader-steps.h"

#include "ns3/dml-unit-parser.h"
#include "ns3/dml-unit-suggestion.h"

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_WORKERS = 100000;
constexpr uint64_t MAX_SERVERS = 10000;
constexpr uint64_t MAX_INDEX = 4294967294;
constexpr uint64_t MAX_GROUP_BYTES = 1000000000000;

std::vector<uint32_t>
ReadWorkers(const YamlField& field)
{
    const std::string accepted =
        "an integer from 1 to " + std::to_string(MAX_WORKERS) + ", or a list of them";
    if (!field.IsList())
    {
        const std::string& text = field.GetText(accepted);
        if (!ParseInteger(text))
        {
            field.FailMeant(SuggestIntegers(text), accepted);
        }
        return {static_cast<uint32_t>(field.GetInteger(1, MAX_WORKERS))};
    }
    std::vector<uint32_t> workers;
    for (const auto& item : field.GetItems(accepted))
    {
        workers.push_back(item.GetInteger(1, MAX_WORKERS));
    }
    if (workers.empty())
    {
        field.FailWith("found an empty list; accepted: " + accepted);
    }
    return workers;
}

PlacementSpec
ReadPlacement(const YamlField& field)
{
    PlacementSpec placement;
    if (!field.IsMap())
    {
        placement.rule = field.GetChoice({"greedy", "round-robin"}, "a map of servers by tensor");
        return placement;
    }
    placement.rule = "explicit";
    for (const auto& [tensor, server] : field.GetEntries(""))
    {
        placement.table[tensor] = server.GetInteger(0, MAX_SERVERS - 1);
    }
    return placement;
}

SamplingSpec
ReadSampling(const YamlField& field)
{
    SamplingSpec sampling;
    if (!field.IsList())
    {
        sampling.rule =
            field.GetChoice({"random", "in-order"}, "a list of sample indices for each worker");
        return sampling;
    }
    sampling.rule = "explicit";
    const std::string accepted = "a list of sample indices for each worker";
    for (const auto& list : field.GetItems(accepted))
    {
        std::vector<uint32_t> indices;
        for (const auto& index : list.GetItems(accepted))
        {
            indices.push_back(index.GetInteger(0, MAX_INDEX));
        }
        if (indices.empty())
        {
            list.Fail("at least one sample index");
        }
        sampling.lists.push_back(std::move(indices));
    }
    if (sampling.lists.empty())
    {
        field.FailWith("found an empty list; accepted: random, in-order, or " + accepted);
    }
    return sampling;
}

StartSpec
ReadStart(const YamlField& field)
{
    StartSpec start;
    if (!field.IsList())
    {
        start.rule =
            field.GetChoice({"staggered", "together"}, "a list of times, one for each worker");
        return start;
    }
    start.rule = "explicit";
    for (const auto& item : field.GetItems(""))
    {
        start.offsets.push_back(item.GetTime(Time(0)));
    }
    if (start.offsets.empty())
    {
        field.FailWith("found an empty list; accepted: staggered, together, or a list of times, "
                       "one for each worker");
    }
    return start;
}

/// {bytes: SIZE}, {count: N}, a list of lists of names, or `off`.
GradientGroupSpec
ReadGradientGroups(const YamlField& field)
{
    const std::string accepted =
        "{bytes: SIZE}, {count: N}, a list of lists of names of tensors, or off";
    GradientGroupSpec groups;
    if (field.IsWord("off"))
    {
        return groups;
    }
    if (field.IsMap())
    {
        field.CheckKeys({"bytes", "count"});
        const auto bytes = field.Get("bytes");
        const auto count = field.Get("count");
        if (bool(bytes) == bool(count))
        {
            field.FailWith(std::string("found ") +
                           (bytes ? "both bytes and count" : "neither bytes nor count") +
                           "; accepted: " + accepted);
        }
        groups.rule = bytes ? "bytes" : "count";
        groups.size = bytes ? bytes.GetSize(1, MAX_GROUP_BYTES) : count.GetInteger(1, MAX_INDEX);
        return groups;
    }
    groups.rule = "explicit";
    for (const auto& list : field.GetItems(accepted))
    {
        groups.names.emplace_back();
        for (const auto& name : list.GetItems("a list of names of tensors"))
        {
            groups.names.back().push_back(name.GetString("the name of a tensor"));
        }
        if (groups.names.back().empty())
        {
            list.Fail("the name of at least one tensor");
        }
    }
    if (groups.names.empty())
    {
        field.FailWith("found an empty list; accepted: " + accepted);
    }
    return groups;
}

/// async, bsp, {ssp: STEPS} or {backup: WORKERS}.
SyncSpec
ReadSync(const YamlField& field)
{
    const std::string maps = "{ssp: STEPS}, {backup: WORKERS}";
    SyncSpec sync;
    if (field.IsWord("ssp") || field.IsWord("backup"))
    {
        field.FailWith("found \"" + field.GetString("") + "\" without a number; accepted: " + maps);
    }
    if (!field.IsMap())
    {
        sync.rule = field.GetChoice({"async", "bsp"}, maps);
        return sync;
    }
    field.CheckKeys({"ssp", "backup"});
    const auto ssp = field.Get("ssp");
    const auto backup = field.Get("backup");
    if (bool(ssp) == bool(backup))
    {
        field.FailWith(std::string("found ") +
                       (ssp ? "both ssp and backup" : "neither ssp nor backup") +
                       "; accepted: async, bsp, " + maps);
    }
    sync.rule = ssp ? "ssp" : "backup";
    if (ssp)
    {
        sync.bound = ssp.GetInteger(0, MAX_STEPS);
    }
    else
    {
        sync.backups = backup.GetInteger(1, MAX_WORKERS - 1);
    }
    return sync;
}

/// The protocol, and the synchronisation that goes with it.
void
ReadProtocol(const YamlField& job, JobSpec& spec)
{
    if (const auto field = job.Get("protocol"))
    {
        spec.protocol = field.GetChoice({"run-graph", "push-pull"});
    }
    const bool pushPull = spec.protocol == "push-pull";
    spec.sync.rule = pushPull ? "bsp" : "async";
    if (const auto field = job.Get("sync"))
    {
        spec.sync = ReadSync(field);
        if (pushPull && spec.sync.rule != "bsp")
        {
            field.FailWith("found " + spec.sync.rule +
                           " with job.protocol push-pull; accepted: bsp, or another protocol");
        }
    }
}

/// What all jobs have; keys are checked.
JobSpec
ReadJob(const YamlField& job, const std::string& file)
{
    JobSpec spec;
    spec.profile = ReadExistingPath(job.Get("profile"), file, "a profile (a YAML file)");
    if (const auto field = job.Get("scale"))
    {
        spec.scale = field.GetNumber(1, "shares of the profile");
        if (spec.scale <= 0)
        {
            field.Fail("a number above 0, at most 1");
        }
    }
    if (const auto field = job.Get("workers"))
    {
        spec.workers = ReadWorkers(field);
    }
    if (const auto field = job.Get("parameter_servers"))
    {
        spec.parameterServers = field.GetInteger(1, MAX_SERVERS);
    }
    if (const auto field = job.Get("placement"))
    {
        spec.placement = ReadPlacement(field);
    }
    if (const auto field = job.Get("gradient_groups"))
    {
        spec.gradientGroups = ReadGradientGroups(field);
    }
    ReadProtocol(job, spec);
    if (const auto field = job.Get("sampling"))
    {
        spec.sampling = ReadSampling(field);
    }
    if (const auto field = job.Get("start"))
    {
        spec.start = ReadStart(field);
    }
    ReadDevices(job, file, spec);
    return spec;
}

} // namespace

JobSpec
ReadJobSection(const YamlField& job, const std::string& file)
{
    if (job)
    {
        job.CheckKeys(ScenarioKeys("job"), ScenarioPaths());
    }
    JobSpec spec = ReadJob(job, file);
    if (const auto field = job.Get("batch_control"))
    {
        spec.batchControl = ReadBatchControl(field);
    }
    if (const auto field = job.Get("shedding"))
    {
        spec.shedding = ReadShedding(field);
    }
    ReadSteps(job, spec);
    return spec;
}

JobSpec
ReadOtherJob(const YamlField& job, const std::string& file)
{
    if (!job.IsMap())
    {
        job.Fail(
            "a map with profile and, if they differ, scale, workers, parameter_servers, "
            "placement, gradient_groups, protocol, sync, sampling, start, batch_size, devices, "
            "worker_devices, server_devices");
    }
    job.CheckKeys({"profile",
                   "scale",
                   "workers",
                   "parameter_servers",
                   "placement",
                   "gradient_groups",
                   "protocol",
                   "sync",
                   "sampling",
                   "start",
                   "batch_size",
                   "devices",
                   "worker_devices",
                   "server_devices"});
    if (const auto workers = job.Get("workers"))
    {
        workers.GetInteger(1, MAX_WORKERS);
    }
    return ReadJob(job, file);
}

} // namespace dml
} // namespace ns3
