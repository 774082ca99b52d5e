/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-plugins.h"
#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-protocols.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-sync-policies.h"

namespace ns3::dml
{

namespace
{

/// async, bsp, {ssp: STEPS}, {backup: WORKERS} or {type: TYPEID, ...}.
SyncSpec
ReadSync(const YamlField& field)
{
    const std::string maps = "{ssp: STEPS}, {backup: WORKERS}, " + PLUGIN_FORM;
    SyncSpec sync;
    if (ChoosesPlugin(field))
    {
        const PluginSpec plugin = ReadPlugin(field, SyncPolicies());
        sync.rule = plugin.name;
        sync.attributes = plugin.attributes;
        return sync;
    }
    if (field.IsWord("ssp") || field.IsWord("backup"))
    {
        field.FailWith("found \"" + field.GetString("") + "\" without a number; accepted: " + maps);
    }
    if (!field.IsMap())
    {
        sync.rule = field.GetChoice({"async", "bsp"}, maps);
        return sync;
    }
    field.CheckKeys({"ssp", "backup", "type"});
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

KeyJson
EchoSync(const JobSpec& job)
{
    const SyncSpec& sync = job.sync;
    if (sync.rule == "ssp")
    {
        return {{"ssp", sync.bound}};
    }
    if (sync.rule == "backup")
    {
        return {{"backup", sync.backups}};
    }
    return EchoPlugin(SyncPolicies(), {sync.rule, sync.attributes});
}

KeyShape
SyncShape()
{
    const std::vector<KeyText> rules{
        {"ssp", IntegerValue(0, MAX_STEPS), "steps that a worker may be ahead of the slowest"},
        {"backup",
         IntegerValue(1, MAX_WORKERS - 1),
         "workers whose gradients an update does not wait for"},
    };
    return {"async | bsp | {ssp: STEPS} | {backup: WORKERS} | " + PLUGIN_FORM,
            AnySchema({WordSchema({"async", "bsp"}), MapSchema(rules), PluginSchema()}),
            rules};
}

/// What a job without parameter servers may have: its workers are in step anyway.
void
ReadWithoutServers(const YamlField& job, JobSpec& spec)
{
    const std::string with = " with job.protocol " + spec.protocol;
    if (const auto servers = job.Get("parameter_servers"); servers && spec.parameterServers > 0)
    {
        servers.FailWith("found " + std::to_string(spec.parameterServers) + with +
                         ", which has none; accepted: 0, or another protocol");
    }
    if (const auto field = job.Get("placement"))
    {
        field.FailWith("found the key" + with + ", which has no servers; accepted: it with others");
    }
    if (const auto field = job.Get("sync"); field && ReadSync(field).rule != "bsp")
    {
        field.FailWith("found " + ReadSync(field).rule + with +
                       ", in which workers wait for each other; accepted: bsp");
    }
    spec.parameterServers = 0;
    spec.sync.rule = "bsp";
    if (!job.Get("gradient_groups"))
    {
        spec.gradientGroups.rule = "auto";
    }
}

/// The protocol, and the synchronisation that goes with it.
void
ReadProtocol(const YamlField& job, JobSpec& spec)
{
    if (const auto field = job.Get("protocol"))
    {
        const PluginSpec plugin = ReadPluginOrName(field, Protocols());
        spec.protocol = plugin.name;
        spec.protocolAttributes = plugin.attributes;
    }
    const Ptr<Protocol> protocol = MakeProtocol(spec);
    if (const auto field = job.Get("sharded"); field && !IsSharded(spec))
    {
        field.FailWith("found the key with job.protocol " + spec.protocol +
                       "; accepted: it with sharded");
    }
    if (!protocol->HasServers())
    {
        ReadWithoutServers(job, spec);
        return;
    }
    if (const auto servers = job.Get("parameter_servers"); servers && spec.parameterServers == 0)
    {
        servers.FailWith("found 0 with job.protocol " + spec.protocol +
                         "; accepted: an integer from 1, or the protocol all-reduce or sharded");
    }
    if (const auto field = job.Get("all_reduce"))
    {
        field.FailWith("found the key with job.protocol " + spec.protocol +
                       "; accepted: it with all-reduce or sharded");
    }
    const bool overlap = protocol->StepsOverlap();
    spec.sync.rule = overlap ? "bsp" : "async";
    if (const auto field = job.Get("sync"))
    {
        spec.sync = ReadSync(field);
        if (overlap && spec.sync.rule != "bsp")
        {
            field.FailWith("found " + spec.sync.rule + " with job.protocol " + spec.protocol +
                           "; accepted: bsp, or another protocol");
        }
    }
}

/// @param keys those of the first job @return those of the others
Keys<JobSpec>
ListOtherJobKeys(const Keys<JobSpec>& keys)
{
    const auto number = IntegerValue(1, MAX_WORKERS);
    const Value<std::vector<uint32_t>> one{
        number,
        [number](const YamlField& field) {
            return std::vector<uint32_t>{static_cast<uint32_t>(number.read(field))};
        },
        [](const std::vector<uint32_t>& workers) { return KeyJson(workers.front()); }};
    Keys<JobSpec> others;
    for (const auto& key : keys)
    {
        if (key.name == "workers")
        {
            others.push_back(Key{key.name, &JobSpec::workers, one, key.text}.Turn(-1));
        }
        else if (key.name != "batch_control" && key.name != "shedding" && key.name != "steps" &&
                 key.name != "warmup" && key.name != "checkpoint")
        {
            others.push_back(key);
        }
    }
    return others;
}

} // namespace

const Keys<JobSpec>&
JobKeys()
{
    static const Keys<JobSpec> KEYS = [] {
        Keys<JobSpec> keys{
            Key{"profile",
                +[](const YamlField& job, JobSpec& spec) {
                    spec.profile = ReadExistingPath(job.Get("profile"), "a profile (a YAML file)");
                },
                +[](const JobSpec& job) { return KeyJson(job.profile); },
                NameValue("the path of a profile"),
                "what is trained, see :doc:`profile-format`; relative to this file"}
                .Default("")
                .Sample("../profiles/alexnet-b8.yaml"),
            Key{"workload",
                &JobSpec::workload,
                WordValue({"training", "inference"}),
                "``inference``: pulls and forward propagation only, with servers; the profile's "
                "other ops are left out"}
                .EchoIf([](const JobSpec& job) { return job.workload != "training"; }),
            Key{"scale",
                &JobSpec::scale,
                PositiveValue(1, "shares of the profile", "a number above 0, at most 1"),
                "multiplies the profile's bytes and seconds"}
                .EchoBefore("placement"),
            Key{"workers",
                &JobSpec::workers,
                WorkersValue(),
                "numbers of workers, each of which is predicted"},
            Key{"workers_per_host",
                &JobSpec::workersPerHost,
                WorkersPerHostValue(),
                "workers that share a host and its links: with 8, workers 0 to 7 live on "
                "``host0``, and so on; a list gives the number of each host; see "
                ":doc:`networks`"},
            Key{"parameter_servers",
                &JobSpec::parameterServers,
                IntegerValue(0, MAX_SERVERS),
                "number of parameter servers; 0 with ``all-reduce`` and ``sharded`` only"},
            Key{"placement", &JobSpec::placement, PlacementValue(), "which server holds a tensor"}
                .Table()
                .EchoIf([](const JobSpec& job) { return job.parameterServers > 0; }),
            Key{"gradient_groups",
                &JobSpec::gradientGroups,
                GradientGroupsValue(),
                "gradients that are sent together"},
            Key{"all_reduce",
                &JobSpec::allReduce,
                AllReduceValue(),
                "with ``all-reduce`` and ``sharded``: how buffers go from worker to worker, see "
                ":doc:`all-reduce`"}
                .EchoIf([](const JobSpec& job) { return job.parameterServers == 0; }),
            Key{"sharded",
                &JobSpec::sharded,
                ShardedValue(),
                "with ``sharded``: what workers have shards of, see :doc:`sharded`"}
                .EchoIf(IsSharded),
            Key{"protocol",
                ReadProtocol,
                +[](const JobSpec& job) {
                    return EchoPlugin(Protocols(), {job.protocol, job.protocolAttributes});
                },
                PluginShape(Protocols()),
                "what a step waits for, see :doc:`transfer-order` and :doc:`extending`"},
            Key<JobSpec>{"sync",
                         nullptr,
                         EchoSync,
                         SyncShape(),
                         "how workers wait for each other, see :doc:`synchronisation` and "
                         ":doc:`extending`; ``bsp`` with ``push-pull``"},
            Key{"batch_control",
                &JobSpec::batchControl,
                BatchControlValue(),
                "with ``bsp``: how batch sizes change, see :doc:`batch-size-control`"}
                .Turn(1),
            Key{"shedding",
                &JobSpec::shedding,
                SheddingValue(),
                "with ``bsp`` and ``ssp``: samples move within a step, see "
                ":doc:`batch-size-control`"}
                .Turn(1),
        };
        AddKeys(keys, StepKeys());
        keys.push_back(Key{"sampling",
                           &JobSpec::sampling,
                           SamplingValue(),
                           "which profiled step each step replays; lists are repeated"});
        keys.push_back(Key{"start", &JobSpec::start, StartValue(), "when the workers start"});
        keys.push_back(Key{
            "step_jitter",
            &JobSpec::stepJitter,
            StepJitterValue(),
            "by how much each step begins late, exponentially distributed: a mean time, or how it "
            "comes about"}
                           .EchoIfChanged()
                           .Default("3ms with servers and ``network.transport: linux``, else 0s"));
        keys.push_back(Key{"tcp",
                           &JobSpec::tcp,
                           PluginValue(CongestionControls()),
                           "congestion control of the job's connections"}
                           .Default("that of ``network.tcp``"));
        keys.push_back(Key{"checkpoint",
                           &JobSpec::checkpoint,
                           TimeValue(MicroSeconds(1)),
                           "how often servers save the parameters, see :doc:`faults`"}
                           .Default("never")
                           .Turn(1));
        AddKeys(keys, DeviceKeys());
        return keys;
    }();
    return KEYS;
}

Value<JobSpec>
OtherJobValue()
{
    static const auto KEYS = ListOtherJobKeys(JobKeys());
    auto names = NamesOf(KEYS);
    names.erase(names.begin());
    auto value = MapValue(KEYS, "a map with profile and, if they differ, " + JoinWords(names));
    value.keys.clear(); // they are described as those of job
    return value;
}

} // namespace ns3::dml
