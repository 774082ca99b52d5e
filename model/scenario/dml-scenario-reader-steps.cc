/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key-values.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-unit-parser.h"

#include <string>

namespace ns3::dml
{

namespace
{

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
