/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-speed-predictors.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_MOVE = 1000000;   // samples
constexpr uint64_t MAX_WINDOW = 100000;  // steps, all of which are kept
constexpr uint64_t MAX_CHECKS = 1000000; // per step
constexpr double MAX_LAG = 1000;         // steps
constexpr uint64_t MAX_WARMUP = 1000000; // steps

/// @return whether a predictor that has a name has some attribute, which a key sets
bool
TakesAttribute(const std::string& predictor, const std::string& attribute)
{
    if (!SpeedPredictors().HasName(predictor))
    {
        return false;
    }
    TypeId::AttributeInformation ignored;
    return SpeedPredictors()
        .MakeFactory({predictor, {}})
        .GetTypeId()
        .LookupAttributeByName(attribute, &ignored);
}

/// @return names of the predictors that have some attribute
std::string
ListTakers(const std::string& attribute)
{
    const auto& names = SpeedPredictors().GetNames();
    std::vector<std::string> takers;
    std::copy_if(names.begin(), names.end(), std::back_inserter(takers), [&](const auto& name) {
        return TakesAttribute(name, attribute);
    });
    return JoinWords(takers);
}

const Keys<BatchControlSpec>&
CpuKeys()
{
    static const Keys<BatchControlSpec> KEYS{
        PluginKey("predictor",
                  &BatchControlSpec::predictor,
                  &BatchControlSpec::predictorAttributes,
                  SpeedPredictors(),
                  "what tells the speed of a worker's next step"),
        Key{"alpha",
            &BatchControlSpec::alpha,
            NumberValue(1, "shares of the last speed"),
            "``ema``, and what is trained until it is: weight of the last speed"}
            .EchoIf([](const BatchControlSpec& spec) {
                return TakesAttribute(spec.predictor, "Alpha");
            }),
        Key{"warmup",
            &BatchControlSpec::warmup,
            IntegerValue(0, MAX_WARMUP),
            "``arima``, ``rnn``, ``lstm``, ``narx``: steps before they predict"}
            .EchoIf([](const BatchControlSpec& spec) {
                return TakesAttribute(spec.predictor, "Warmup");
            }),
    };
    return KEYS;
}

const Keys<BatchControlSpec>&
GpuKeys()
{
    static const auto MOVE = IntegerValue(1, MAX_MOVE);
    static const auto WINDOW = IntegerValue(1, MAX_WINDOW);
    static const Keys<BatchControlSpec> KEYS{
        Key{"step", &BatchControlSpec::step, MOVE, "samples that move"},
        Key{"window", &BatchControlSpec::window, WINDOW, "steps to observe"},
        Key{"fine_step", &BatchControlSpec::fineStep, MOVE, "``step`` of fine-tuning"},
        Key{"fine_window", &BatchControlSpec::fineWindow, WINDOW, "``window`` of fine-tuning"},
        Key{"memory_guard",
            &BatchControlSpec::memoryGuard,
            NumberValue(1, "shares of the memory"),
            "batches stay below such a share of the memory"},
    };
    return KEYS;
}

const Keys<SheddingSpec>&
SheddingKeys()
{
    static const Keys<SheddingSpec> KEYS{
        Key{"checks", &SheddingSpec::checks, IntegerValue(1, MAX_CHECKS), "of each step"},
        Key{"lag",
            &SheddingSpec::lag,
            NumberValue(MAX_LAG, "steps"),
            "by which another one must be ahead"},
        Key{"share",
            &SheddingSpec::share,
            NumberValue(1, "shares of a worker's samples"),
            "that moves"},
        Key{"cost", &SheddingSpec::cost, TimeValue(Time(0)), "of a check"},
    };
    return KEYS;
}

/// @throws InputError if a key is given that the predictor does not use
void
CheckUse(const YamlField& key, const std::string& predictor, const std::string& attribute)
{
    if (key && !TakesAttribute(predictor, attribute))
    {
        key.FailWith("found the key with predictor " + predictor + "; accepted: it with one of " +
                     ListTakers(attribute));
    }
}

/// A predictor, or a map of it and its settings.
void
ReadCpu(const YamlField& cpu, BatchControlSpec& spec)
{
    if (ChoosesPlugin(cpu))
    {
        const PluginSpec plugin = ReadPlugin(cpu, SpeedPredictors());
        spec.predictor = plugin.name;
        spec.predictorAttributes = plugin.attributes;
        return;
    }
    if (!cpu.IsMap())
    {
        spec.predictor = cpu.GetChoice(SpeedPredictors().GetNames(),
                                       PLUGIN_FORM + ", or a map of predictor, alpha and warmup");
        return;
    }
    cpu.CheckKeys(NamesOf(CpuKeys()));
    CpuKeys().front().read(cpu, spec);
    const std::string& predictor = spec.predictor;
    CheckUse(cpu.Get("alpha"), predictor, "Alpha");
    CheckUse(cpu.Get("warmup"), predictor, "Warmup");
    ReadKeys(cpu, CpuKeys(), spec);
}

Value<BatchControlSpec>
GpuValue()
{
    return MapValue(GpuKeys(),
                    "a map of step, window, fine_step, fine_window and memory_guard",
                    "a map");
}

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
    if (cpu)
    {
        ReadCpu(cpu, spec);
    }
    else
    {
        spec = GpuValue().read(gpu);
    }
    spec.rule = cpu ? "cpu" : "gpu";
    return spec;
}

KeyJson
BatchControlToJson(const BatchControlSpec& spec)
{
    if (spec.rule == "off")
    {
        return spec.rule;
    }
    return {{spec.rule, EchoKeys(spec.rule == "gpu" ? GpuKeys() : CpuKeys(), spec)}};
}

} // namespace

Value<BatchControlSpec>
BatchControlValue()
{
    const auto cpu = Describe(CpuKeys());
    const std::vector<KeyText> kinds{
        {"cpu",
         {PluginShape(SpeedPredictors()).accepted + " | a map",
          AnySchema({PluginShape(SpeedPredictors()).schema, MapSchema(cpu)}),
          cpu},
         "sizes from predicted speeds"},
        {"gpu", GpuValue(), "sizes from measured times, step by step"},
    };
    return {{"off | cpu | gpu | {cpu: PREDICTOR} | {cpu: {...}} | {gpu: {...}}",
             AnySchema({WordSchema({"off", "cpu", "gpu"}), MapSchema(kinds)}),
             kinds},
            ReadBatchControl,
            BatchControlToJson};
}

Value<SheddingSpec>
SheddingValue()
{
    auto value = MapValue(SheddingKeys(), "", "off | {checks, lag, share, cost}");
    value.schema = AnySchema({WordSchema({"off"}), value.schema});
    value.read = [readMap = value.read](const YamlField& field) {
        if (!field.IsMap())
        {
            field.GetChoice({"off"}, "a map of checks, lag, share and cost");
            return SheddingSpec();
        }
        SheddingSpec spec = readMap(field);
        spec.on = true;
        return spec;
    };
    value.echo = [](const SheddingSpec& spec) {
        return spec.on ? EchoKeys(SheddingKeys(), spec) : KeyJson("off");
    };
    return value;
}

} // namespace ns3::dml
