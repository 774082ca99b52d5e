/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-sections.h"

#include "ns3/dml-unit-parser.h"
#include "ns3/dml-yaml-mistake.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_INDEX = 4294967294;

/// An integer that is kept in 32 bits.
Value<uint32_t>
UintValue(uint64_t low, uint64_t high)
{
    const auto number = IntegerValue(low, high);
    return {number, number.read, number.echo};
}

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
    return ListValue(UintValue(1, MAX_WORKERS), accepted, accepted).read(field);
}

constexpr double WIDEST_TARGET = 0.5;
constexpr const char* AUTO = "auto";

/// Half-width of the throughput's interval.
double
ReadTarget(const YamlField& field)
{
    const std::string accepted = "a half-width of the throughput's interval above 0%, at most 50%, "
                                 "such as 2% or 0.02";
    const double target = PartValue(WIDEST_TARGET, accepted).read(field);
    if (target <= 0)
    {
        field.Fail(accepted);
    }
    return target;
}

/// `auto`, or the map.
void
ReadAutoSteps(const YamlField& field, JobSpec& spec)
{
    spec.autoSteps.on = true;
    spec.steps = AutoStepsSpec::AT_MOST;
    if (!field.IsMap())
    {
        return;
    }
    field.CheckKeys({AUTO, "at_most"});
    const auto target = field.Get(AUTO);
    if (!target)
    {
        field.FailWith(
            "found a map without auto; accepted: {auto: TARGET, at_most: STEPS}, such as "
            "{auto: 2%, at_most: 1000}");
    }
    spec.autoSteps.target = ReadTarget(target);
    if (const auto atMost = field.Get("at_most"))
    {
        spec.steps = atMost.GetInteger(2, MAX_STEPS);
    }
}

/// `job.steps` and `job.warmup`.
void
ReadSteps(const YamlField& job, JobSpec& spec)
{
    if (const auto field = job.Get("steps"))
    {
        if (field.IsMap() || field.IsWord(AUTO))
        {
            ReadAutoSteps(field, spec);
        }
        else
        {
            const std::string accepted = "an integer from 1 to " + std::to_string(MAX_STEPS) +
                                         ", auto, or {auto: TARGET, at_most: STEPS}";
            if (!field.IsList() && !ParseInteger(field.GetText(accepted)))
            {
                field.Fail(accepted);
            }
            spec.steps = field.GetInteger(1, MAX_STEPS);
        }
    }
    spec.autoSteps.detectWarmup = spec.autoSteps.on;
    const auto field = job.Get("warmup");
    if (field.IsWord(AUTO))
    {
        if (!spec.autoSteps.on)
        {
            field.FailWith("found \"auto\" with a fixed number of job.steps; accepted: an integer "
                           "from 0 to " +
                           std::to_string(MAX_STEPS) + ", or job.steps auto");
        }
        return;
    }
    if (field)
    {
        // the window of an automatic run opens with the end of a step
        spec.warmup = field.GetInteger(spec.autoSteps.on ? 1 : 0, MAX_STEPS);
        spec.autoSteps.detectWarmup = false;
    }
}

KeyJson
EchoSteps(const JobSpec& job)
{
    if (!job.autoSteps.on)
    {
        return job.steps;
    }
    return {{"auto", job.autoSteps.target}, {"at_most", job.steps}};
}

KeyJson
EchoWarmup(const JobSpec& job)
{
    return job.autoSteps.on && job.autoSteps.detectWarmup ? KeyJson("auto") : KeyJson(job.warmup);
}

} // namespace

Value<std::vector<uint32_t>>
WorkersValue()
{
    const auto number = IntegerValue(1, MAX_WORKERS);
    return {{number.accepted + ", or a list of them",
             AnySchema({number.schema, ListSchema(number.schema)})},
            ReadWorkers,
            [](const std::vector<uint32_t>& workers) { return KeyJson(workers); }};
}

Value<WorkersPerHost>
WorkersPerHostValue()
{
    const auto number = IntegerValue(1, MAX_WORKERS);
    const auto list = ListValue(UintValue(1, MAX_WORKERS),
                                number.accepted + ", or a list of them, one for each host",
                                "at least one number");
    return {
        {list.accepted, AnySchema({number.schema, list.schema}), {}, nullptr},
        [number, list](const YamlField& field) {
            if (field.IsScalar())
            {
                return WorkersPerHost(static_cast<uint32_t>(number.read(field)));
            }
            const WorkersPerHost hosts(list.read(field));
            if (hosts.GetTotal() > MAX_WORKERS)
            {
                field.FailWith("found " + std::to_string(hosts.GetTotal()) +
                               " workers in all; accepted: at most " + std::to_string(MAX_WORKERS));
            }
            return hosts;
        },
        [](const WorkersPerHost& hosts) {
            return hosts.GetList().empty() ? KeyJson(hosts.GetEach()) : KeyJson(hosts.GetList());
        }};
}

Value<PlacementSpec>
PlacementValue()
{
    return RuleValue("greedy | round-robin | {TENSOR: SERVER, ...}",
                     {"greedy", "round-robin"},
                     &YamlField::IsMap,
                     &PlacementSpec::table,
                     TableValue(UintValue(0, MAX_SERVERS - 1), "a map of servers by tensor"));
}

Value<SamplingSpec>
SamplingValue()
{
    const std::string lists = "a list of sample indices for each worker";
    const auto list = ListValue(UintValue(0, MAX_INDEX), lists, "at least one sample index");
    return RuleValue("random | in-order | " + lists,
                     {"random", "in-order"},
                     &YamlField::IsList,
                     &SamplingSpec::lists,
                     ListValue(list, lists, "random, in-order, or " + lists));
}

Value<StartSpec>
StartValue()
{
    const std::string times = "a list of times, one for each worker";
    return RuleValue("staggered | together | a time for each worker",
                     {"staggered", "together"},
                     &YamlField::IsList,
                     &StartSpec::offsets,
                     ListValue(TimeValue(Time(0)), times, "staggered, together, or " + times));
}

Value<StepJitterSpec>
StepJitterValue()
{
    static const Keys<StepJitterSpec> KEYS{
        Key{"mean", &StepJitterSpec::mean, TimeValue(Time(0)), "of a worker with a core of its own"}
            .Default(
                "with servers and ``network.transport: linux`` 3ms, or 2ms beside ``cores``; else "
                "0s"),
        Key{"cores",
            &StepJitterSpec::cores,
            UintValue(0, MAX_WORKERS),
            "cores that all workers and servers of the job share: steps are late by the mean for "
            "each of these that a core runs; 0: each has its own"},
        Key{"cold_start",
            &StepJitterSpec::coldStart,
            BoolValue(),
            "first steps with ``start: together`` are five times as late"},
    };
    const auto time = TimeValue(Time(0));
    const std::string accepted = time.accepted + ", or a map with " + JoinWords(NamesOf(KEYS));
    const auto map = MapValue(KEYS, accepted);
    return {{accepted, AnySchema({time.schema, map.schema}), map.keys},
            [map, time](const YamlField& field) {
                return field.IsMap() ? map.read(field) : StepJitterSpec{time.read(field), 0, false};
            },
            [map, time](const StepJitterSpec& spec) {
                return spec.mean && spec.cores == 0 && !spec.coldStart ? time.echo(*spec.mean)
                                                                       : map.echo(spec);
            }};
}

const Keys<JobSpec>&
StepKeys()
{
    const auto steps = IntegerValue(1, MAX_STEPS);
    const auto warmup = IntegerValue(0, MAX_STEPS);
    const KeyShape target{"above 0%, to 50%",
                          AnySchema({PositiveValue(WIDEST_TARGET, "").schema,
                                     {{"type", "string"}, {"pattern", "^[0-9.]+%$"}}})};
    const std::vector<KeyText> map{
        {"auto", target, "half-width of the 95 % interval over the throughput"},
        {"at_most", IntegerValue(2, MAX_STEPS), "steps that end a run which does not get sure"}};
    static const Keys<JobSpec> KEYS{
        Key{"steps",
            ReadSteps,
            EchoSteps,
            {steps.accepted + " | auto | {auto: TARGET, at_most: STEPS}",
             AnySchema({steps.schema, WordSchema({AUTO}), MapSchema(map)}),
             map},
            "of each worker; ``auto``: until the throughput is sure, see :doc:`stopping`"}
            .Turn(1),
        Key<JobSpec>{"warmup",
                     nullptr,
                     EchoWarmup,
                     {warmup.accepted + " | auto", AnySchema({warmup.schema, WordSchema({AUTO})})},
                     "steps of each worker before measuring; ``auto`` with automatic steps"},
    };
    return KEYS;
}

} // namespace ns3::dml
