/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-in-network-all-reduce.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_GRADIENTS = 4294967294;
constexpr uint64_t MAX_GROUP_BYTES = 1000000000000;
/// Keys that choose a rule; each but `horovod` has its size.
const std::vector<std::string> RULES = {"bytes", "count", "layers", "ddp", "horovod"};
/// Rules without a map.
const std::vector<std::string> WORDS = {"off", "profile", "auto"};
const char* const ACCEPTED = "{bytes: SIZE}, {count: N}, {layers: N}, {ddp: SIZE, first: SIZE}, "
                             "{horovod: {cycle: TIME, threshold: SIZE, ...}}, a list of lists of "
                             "names of tensors, profile, auto, or off";

const Keys<HorovodSpec>&
HorovodKeys()
{
    static const Keys<HorovodSpec> KEYS{
        Key{"cycle",
            &HorovodSpec::cycle,
            TimeValue(NanoSeconds(1000)),
            "from cycle to cycle, HOROVOD_CYCLE_TIME"},
        Key{"threshold",
            &HorovodSpec::threshold,
            SizeValue(0, MAX_GROUP_BYTES),
            "most bytes of gradients that are reduced as one, HOROVOD_FUSION_THRESHOLD; 0: each "
            "alone"},
        Key{"cache",
            &HorovodSpec::cache,
            BoolValue(),
            "whether a gradient is named by a bit from its second time on, which is 0 in "
            "HOROVOD_CACHE_CAPACITY otherwise"},
        Key{"waits",
            &HorovodSpec::waits,
            BoolValue(),
            "whether the next cycle waits for what was agreed on, as with Gloo and MPI; with NCCL "
            "it does not"},
    };
    return KEYS;
}

Value<HorovodSpec>
HorovodValue()
{
    return MapValue(HorovodKeys(),
                    "a map of cycle, threshold, cache and waits, which may be empty",
                    "{cycle, threshold, cache, waits}");
}

/// Groups that are listed, tensor by tensor.
Value<std::vector<std::vector<std::string>>>
NamesValue()
{
    return ListValue(ListValue(NameValue("the name of a tensor"),
                               "a list of names of tensors",
                               "the name of at least one tensor"),
                     ACCEPTED,
                     ACCEPTED);
}

/// A map with one of the RULES.
GradientGroupSpec
ReadRule(const YamlField& field)
{
    field.CheckKeys({"bytes", "count", "layers", "ddp", "first", "find_unused", "horovod"});
    std::vector<std::string> given;
    for (const auto& rule : RULES)
    {
        if (field.Get(rule))
        {
            given.push_back(rule);
        }
    }
    const auto first = field.Get("first");
    const auto unused = field.Get("find_unused");
    if (given.size() != 1 || ((first || unused) && given.front() != "ddp"))
    {
        const std::string found = given.size() > 1 ? "both " + given[0] + " and " + given[1]
                                  : first          ? "first without ddp"
                                  : unused         ? "find_unused without ddp"
                                           : "none of bytes, count, layers, ddp and horovod";
        field.FailWith("found " + found + "; accepted: " + ACCEPTED);
    }
    GradientGroupSpec groups;
    groups.rule = given.front();
    const auto value = field.Get(groups.rule);
    if (groups.rule == "horovod")
    {
        groups.horovod = HorovodValue().read(value);
        return groups;
    }
    groups.size = groups.rule == "count" || groups.rule == "layers"
                      ? value.GetInteger(1, MAX_GRADIENTS)
                      : value.GetSize(1, MAX_GROUP_BYTES);
    groups.first = first ? first.GetSize(1, MAX_GROUP_BYTES)
                         : std::min(groups.size, GradientGroupSpec::DDP_FIRST);
    groups.findUnused = unused && BoolValue().read(unused);
    return groups;
}

GradientGroupSpec
ReadGradientGroups(const YamlField& field)
{
    GradientGroupSpec groups;
    for (const auto& word : WORDS)
    {
        if (field.IsWord(word))
        {
            groups.rule = word;
            return groups;
        }
    }
    if (field.IsMap())
    {
        return ReadRule(field);
    }
    groups.rule = "explicit";
    groups.names = NamesValue().read(field);
    return groups;
}

KeyJson
GradientGroupsToJson(const GradientGroupSpec& groups)
{
    if (groups.rule == "explicit")
    {
        return groups.names;
    }
    if (groups.rule == "ddp")
    {
        KeyJson ddp{{"ddp", groups.size}, {"first", groups.first}};
        if (groups.findUnused)
        {
            ddp["find_unused"] = true;
        }
        return ddp;
    }
    if (groups.rule == "horovod")
    {
        return {{"horovod", EchoKeys(HorovodKeys(), groups.horovod)}};
    }
    const bool isWord = std::find(WORDS.begin(), WORDS.end(), groups.rule) != WORDS.end();
    return isWord ? KeyJson(groups.rule) : KeyJson{{groups.rule, groups.size}};
}

constexpr double MAX_REDUCTION = 1e-3; // seconds per byte
constexpr uint64_t MAX_CONCURRENT = 64;
constexpr uint64_t MAX_CHUNK = 1000000000;

const std::string ON_CRASH = "stop, or {rebuild: DURATION}";

/// `stop`, or {rebuild: DURATION}.
Time
ReadOnCrash(const YamlField& field)
{
    if (!field.IsMap())
    {
        field.GetChoice({"stop"}, "{rebuild: DURATION}");
        return Time(0);
    }
    field.CheckKeys({"rebuild"});
    const auto rebuild = field.Get("rebuild");
    if (!rebuild)
    {
        field.FailWith("found no rebuild; accepted: " + ON_CRASH);
    }
    return rebuild.GetTime(MicroSeconds(1));
}

Value<Time>
OnCrashValue()
{
    const KeyText part("rebuild",
                       TimeValue(MicroSeconds(1)),
                       "from a crash until all who are left are up again");
    return {{"stop | {rebuild: DURATION}",
             AnySchema({WordSchema({"stop"}), MapSchema({part})}),
             {part}},
            ReadOnCrash,
            [](const Time& rebuild) {
                return rebuild.IsZero() ? KeyJson("stop") : KeyJson{{"rebuild", TimeText(rebuild)}};
            }};
}

bool
IsInNetwork(const AllReduceSpec& spec)
{
    return spec.algorithm == "in-network";
}

const Keys<AllReduceSpec>&
AllReduceKeys()
{
    static const Keys<AllReduceSpec> KEYS{
        PluginKey("algorithm",
                  &AllReduceSpec::algorithm,
                  &AllReduceSpec::algorithmAttributes,
                  CollectiveAlgorithms(),
                  "who sends what to whom"),
        Key{"reduction",
            &AllReduceSpec::reduction,
            NumberValue(MAX_REDUCTION, "seconds per byte"),
            "that adding up what was received takes"},
        Key{"concurrent",
            &AllReduceSpec::concurrent,
            IntegerValue(1, MAX_CONCURRENT),
            "gradients or groups of them that are reduced at the same time"},
        Key{"ranks",
            &AllReduceSpec::ranks,
            WordValue({"racks", "listed"}),
            "in which order workers get their ranks: rack by rack, a rack being the hosts at one "
            "switch, or by number"},
        Key{"barrier",
            &AllReduceSpec::barrier,
            BoolValue(),
            "whether updates, and the next step, wait until all gradients have been reduced"},
        Key{"on_crash",
            &AllReduceSpec::rebuild,
            OnCrashValue(),
            "whether the job stops when a worker crashes, or goes on with those that are left and "
            "with it when it is back, see :doc:`all-reduce`"},
        Key{"slots",
            &AllReduceSpec::slots,
            IntegerValue(1, InNetworkAllReduce::MOST_SLOTS),
            "``in-network``: chunks that a worker has under way at the same time"}
            .EchoIf(IsInNetwork),
        Key{"chunk",
            &AllReduceSpec::chunk,
            SizeValue(InNetworkAllReduce::LEAST_CHUNK, MAX_CHUNK),
            "``in-network``: most bytes of what switches add up at a time"}
            .EchoIf(IsInNetwork),
        Key{"root",
            &AllReduceSpec::root,
            NameValue("the name of a switch"),
            "``in-network``: switch that adds up what others have added up; without it, the one "
            "that is nearest to its furthest worker"}
            .Default("")
            .EchoIf(
                [](const AllReduceSpec& spec) { return IsInNetwork(spec) && !spec.root.empty(); }),
    };
    return KEYS;
}

} // namespace

Value<AllReduceSpec>
AllReduceValue()
{
    return MapValue(AllReduceKeys(),
                    "a map of algorithm, reduction, concurrent, ranks, barrier, on_crash, slots, "
                    "chunk and root",
                    "{algorithm, reduction, concurrent, ranks, barrier, on_crash, slots, chunk, "
                    "root}");
}

Value<GradientGroupSpec>
GradientGroupsValue()
{
    const std::vector<KeyText> rules{
        {"bytes", SizeValue(1, MAX_GROUP_BYTES), "that close a group"},
        {"count", IntegerValue(1, MAX_GRADIENTS), "gradients that close a group"},
        {"layers",
         IntegerValue(1, MAX_GRADIENTS),
         "layers that close a group: a layer is the gradients of the tensors that one op uses "
         "first"},
        {"ddp", SizeValue(1, MAX_GROUP_BYTES), "that close a bucket of PyTorch's, 25 MiB there"},
        {"first", SizeValue(1, MAX_GROUP_BYTES), "``ddp``: that close the first one, 1 MiB there"},
        {"find_unused",
         BoolValue(),
         "``ddp``: whether parameters that a step does not use are reduced, too, as PyTorch does "
         "it "
         "with find_unused_parameters"},
        {"horovod", HorovodValue(), "workers agree in cycles, see :doc:`all-reduce`"},
    };
    return {{"off | auto | profile | {bytes: SIZE} | {count: N} | {layers: N} | {ddp: SIZE, first: "
             "SIZE} | {horovod: {...}} | [[TENSOR, ...], ...]",
             AnySchema({WordSchema(WORDS), MapSchema(rules), NamesValue().schema}),
             rules},
            ReadGradientGroups,
            GradientGroupsToJson};
}

} // namespace ns3::dml
