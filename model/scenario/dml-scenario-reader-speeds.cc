/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key.h"
#include "dml-scenario-reader-path.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-suggestion.h"

namespace ns3
{
namespace dml
{

namespace
{

const char* const RANGE_FORM = "a number above 0, or {min: SPEED, max: SPEED}";

/// Between changes of speed: a run has an end.
Value<Time>
PeriodValue()
{
    return TimeValue(MilliSeconds(1));
}

/// Of a device's own speed.
Value<double>
ShareValue()
{
    return PositiveValue(1, "the speed that the device has otherwise");
}

/// One speed, or {min: SPEED, max: SPEED}.
SpeedRange
ReadRange(const YamlField& field)
{
    const auto speedValue = ShareValue();
    if (!field.IsMap())
    {
        const double speed = speedValue.read(field);
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
    const SpeedRange range{speedValue.read(min), speedValue.read(max)};
    if (range.max < range.min)
    {
        max.Fail("a number from min on");
    }
    return range;
}

Value<SpeedRange>
RangeValue()
{
    const auto speed = ShareValue();
    const std::vector<KeyText> limits{{"min", speed, "slowest"}, {"max", speed, "fastest"}};
    return {{RANGE_FORM, AnySchema({speed.schema, MapSchema(limits)}), limits},
            ReadRange,
            [](const SpeedRange& range) {
                return KeyJson{{"min", range.min}, {"max", range.max}};
            }};
}

const Keys<SpeedProcessSpec>&
SpikeKeys()
{
    static const Keys<SpeedProcessSpec> KEYS{
        Key{"every", &SpeedProcessSpec::every, PeriodValue(), "mean time to the next one"}.Default(
            ""),
        Key{"length", &SpeedProcessSpec::length, PeriodValue(), "how long it lasts"}
            .EchoIf([](const SpeedProcessSpec& spec) { return spec.length > Time(0); })
            .Default(""),
        Key{"speed", &SpeedProcessSpec::speed, RangeValue(), "drawn from this range"}.Default(""),
    };
    return KEYS;
}

const Keys<SpeedProcessSpec>&
ChangeKeys()
{
    static const Keys<SpeedProcessSpec> KEYS{SpikeKeys().front(), SpikeKeys().back()};
    return KEYS;
}

/// @param keys that it must have, and no others
Value<SpeedProcessSpec>
ProcessValue(const Keys<SpeedProcessSpec>& keys)
{
    auto value = MapValue(keys, "a map");
    value.read = [&keys](const YamlField& field) {
        const auto names = NamesOf(keys);
        field.CheckKeys(names);
        for (const auto& name : names)
        {
            if (!field.Get(name))
            {
                field.FailWith("found no key " + name + "; accepted: a map with the keys " +
                               JoinWords(names));
            }
        }
        SpeedProcessSpec spec;
        ReadKeys(field, keys, spec);
        return spec;
    };
    return value;
}

void
ReadFile(const YamlField& trace, SpeedTraceSpec& spec)
{
    spec.file = ReadExistingPath(trace.Get("file"), "a trace of speeds (a CSV file)");
}

const Keys<SpeedTraceSpec>&
TraceKeys()
{
    static const Keys<SpeedTraceSpec> KEYS{
        Key{"file",
            ReadFile,
            +[](const SpeedTraceSpec& spec) { return KeyJson(spec.file); },
            NameValue("a path"),
            "a CSV file, relative to this one"}
            .Default(""),
        Key{"repeat", &SpeedTraceSpec::repeat, PeriodValue(), "begins again after that time"}
            .EchoIf([](const SpeedTraceSpec& spec) { return spec.repeat > Time(0); })
            .Default("never"),
    };
    return KEYS;
}

/// A path, or {file: PATH, repeat: TIME}.
SpeedTraceSpec
ReadTrace(const YamlField& field)
{
    SpeedTraceSpec spec;
    if (field.IsMap())
    {
        field.CheckKeys(NamesOf(TraceKeys()));
        ReadKeys(field, TraceKeys(), spec);
    }
    else
    {
        spec.file = ReadExistingPath(field, "a trace of speeds (a CSV file)");
    }
    return spec;
}

} // namespace

Value<SpeedTraceSpec>
SpeedTraceValue()
{
    const auto keys = Describe(TraceKeys());
    return {
        {"a path | {file, repeat}", AnySchema({NameValue("a path").schema, MapSchema(keys)}), keys},
        ReadTrace,
        [](const SpeedTraceSpec& spec) { return EchoKeys(TraceKeys(), spec); }};
}

Value<SpeedProcessSpec>
SpeedChangesValue()
{
    return ProcessValue(ChangeKeys());
}

Value<SpeedProcessSpec>
SpeedSpikesValue()
{
    return ProcessValue(SpikeKeys());
}

} // namespace dml
} // namespace ns3
