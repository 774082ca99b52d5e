/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-batch-control.h"

#include <initializer_list>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_MOVE = 1000000;   // samples
constexpr uint64_t MAX_WINDOW = 100000;  // steps, all of which are kept
constexpr uint64_t MAX_CHECKS = 1000000; // per step
constexpr double MAX_LAG = 1000;         // steps
constexpr uint64_t MAX_WARMUP = 1000000; // steps

/// @throws InputError if a key is given that the predictor does not use
void
CheckUse(const YamlField& key, bool used, const std::string& predictor, const std::string& users)
{
    if (key && !used)
    {
        key.FailWith("found the key with predictor " + predictor + "; accepted: it with " + users);
    }
}

/// A predictor, or a map of it and its settings.
void
ReadCpu(const YamlField& cpu, BatchControlSpec& spec)
{
    const std::vector<std::string> predictors{"last", "ema", "narx"};
    if (!cpu.IsMap())
    {
        spec.predictor = cpu.GetChoice(predictors, "a map of predictor, alpha and warmup");
        return;
    }
    cpu.CheckKeys({"predictor", "alpha", "warmup"});
    if (const auto field = cpu.Get("predictor"))
    {
        spec.predictor = field.GetChoice(predictors);
    }
    const YamlField alpha = cpu.Get("alpha");
    const YamlField warmup = cpu.Get("warmup");
    CheckUse(alpha, spec.predictor != "last", spec.predictor, "ema or narx");
    CheckUse(warmup, spec.predictor == "narx", spec.predictor, "narx");
    if (alpha)
    {
        spec.alpha = alpha.GetNumber(1, "shares of the last speed");
    }
    if (warmup)
    {
        spec.warmup = warmup.GetInteger(0, MAX_WARMUP);
    }
}

void
ReadGpu(const YamlField& gpu, BatchControlSpec& spec)
{
    if (!gpu.IsMap())
    {
        gpu.Fail("a map of step, window, fine_step, fine_window and memory_guard");
    }
    gpu.CheckKeys({"step", "window", "fine_step", "fine_window", "memory_guard"});

    struct Key
    {
        const char* name;
        uint32_t* value;
        uint64_t high;
    };

    for (const auto& [name, value, high] : {Key{"step", &spec.step, MAX_MOVE},
                                            Key{"window", &spec.window, MAX_WINDOW},
                                            Key{"fine_step", &spec.fineStep, MAX_MOVE},
                                            Key{"fine_window", &spec.fineWindow, MAX_WINDOW}})
    {
        if (const auto field = gpu.Get(name))
        {
            *value = field.GetInteger(1, high);
        }
    }
    if (const auto field = gpu.Get("memory_guard"))
    {
        spec.memoryGuard = field.GetNumber(1, "shares of the memory");
    }
}

} // namespace

BatchControlSpec
ReadBatchControl(const YamlField& field)
{
    BatchControlSpec spec;
    const std::string maps = "{cpu: PREDICTOR}, {cpu: {...}}, {gpu: {...}}";
    if (!field.IsMap())
    {
        spec.rule = field.GetChoice({"off", "cpu", "gpu"}, maps);
        return spec;
    }
    field.CheckKeys({"cpu", "gpu"});
    const YamlField cpu = field.Get("cpu");
    const YamlField gpu = field.Get("gpu");
    if (bool(cpu) == bool(gpu))
    {
        field.FailWith(std::string("found ") + (cpu ? "both cpu and gpu" : "neither cpu nor gpu") +
                       "; accepted: off, cpu, gpu, or " + maps);
    }
    spec.rule = cpu ? "cpu" : "gpu";
    if (cpu)
    {
        ReadCpu(cpu, spec);
    }
    else
    {
        ReadGpu(gpu, spec);
    }
    return spec;
}

SheddingSpec
ReadShedding(const YamlField& field)
{
    SheddingSpec spec;
    if (!field.IsMap())
    {
        field.GetChoice({"off"}, "a map of checks, lag, share and cost");
        return spec;
    }
    field.CheckKeys({"checks", "lag", "share", "cost"});
    spec.on = true;
    if (const auto checks = field.Get("checks"))
    {
        spec.checks = checks.GetInteger(1, MAX_CHECKS);
    }
    if (const auto lag = field.Get("lag"))
    {
        spec.lag = lag.GetNumber(MAX_LAG, "steps");
    }
    if (const auto share = field.Get("share"))
    {
        spec.share = share.GetNumber(1, "shares of a worker's samples");
    }
    if (const auto cost = field.Get("cost"))
    {
        spec.cost = cost.GetTime(Time(0));
    }
    return spec;
}

} // namespace dml
} // namespace ns3
