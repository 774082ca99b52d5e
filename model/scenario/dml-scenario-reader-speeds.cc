/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-suggestion.h"

namespace ns3::dml
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
    const auto names = NamesOf(keys);
    return MapValue(keys, "", "a map", {names, "a map with the keys " + JoinWords(names)});
}

const char* const TRACE_FILE = "a trace of speeds (a CSV file)";
constexpr double MAX_WHOLE = 1e12; // of a processor, in whatever a file has

/// A time that is kept in seconds. @param low shortest accepted
Value<double>
SecondsValue(const Time& low)
{
    return {TimeValue(low),
            [low](const YamlField& field) {
                // GetSeconds() would be off by some 1e-14 of it
                return static_cast<double>(field.GetTime(low).GetNanoSeconds()) / 1e9;
            },
            [](double seconds) { return TimeText(Seconds(seconds)); }};
}

const Keys<UsageTraceFormat>&
UsageKeys()
{
    static const Value<std::string> COLUMN = NameValue("the name of a column, or its number");
    static const Keys<UsageTraceFormat> KEYS{
        Key{"time", &UsageTraceFormat::time, COLUMN, "column of the time"}.Default(""),
        Key{"cpu", &UsageTraceFormat::cpu, COLUMN, "column of what others use of the processor"}
            .Default(""),
        Key{"memory", &UsageTraceFormat::memory, COLUMN, "column of what they use of the memory"}
            .EchoIf([](const UsageTraceFormat& format) { return !format.memory.empty(); })
            .Default("none"),
        Key{"machine", &UsageTraceFormat::machine, COLUMN, "column of the machine"}
            .EchoIf([](const UsageTraceFormat& format) { return !format.machine.empty(); })
            .Default("none"),
        Key{"only", &UsageTraceFormat::only, NameValue("the name of a machine"), "the machine"}
            .EchoIf([](const UsageTraceFormat& format) { return !format.machine.empty(); })
            .Default(""),
        Key{"unit", &UsageTraceFormat::unit, SecondsValue(NanoSeconds(1)), "1 of the time column"},
        Key{"whole",
            &UsageTraceFormat::whole,
            PositiveValue(MAX_WHOLE, "as the columns have it"),
            "use of a whole processor or memory"},
        Key{"least",
            &UsageTraceFormat::least,
            PositiveValue(1, "shares of the processor or memory"),
            "share that is left at least"},
        Key{"from", &UsageTraceFormat::from, SecondsValue(Time(0)), "where in the file runs begin"},
    };
    return KEYS;
}

/// @throws InputError if there are keys missing, or columns of both kinds
void
CheckColumns(const YamlField& usage, const UsageTraceFormat& format)
{
    for (const std::string name : {"time", "cpu"})
    {
        if (!usage.Get(name))
        {
            usage.FailWith("found no key " + name +
                           "; accepted: a map with the keys time and cpu "
                           "at least");
        }
    }
    if (format.machine.empty() != format.only.empty())
    {
        usage.FailWith(std::string("found ") + (format.only.empty() ? "machine" : "only") +
                       " alone; accepted: machine, a column, and only, what it must have, or "
                       "neither");
    }
    for (const std::string name : {"cpu", "memory", "machine"})
    {
        const YamlField column = usage.Get(name);
        if (column && IsColumnNumber(column.GetString("")) != IsColumnNumber(format.time))
        {
            column.Fail(IsColumnNumber(format.time) ? "the number of a column, as that of time"
                                                    : "the name of a column, as that of time");
        }
    }
}

Value<UsageTraceFormat>
UsageValue()
{
    auto value = MapValue(UsageKeys(), "a map of columns, such as {time: t, cpu: used}");
    value.read = [read = value.read](const YamlField& field) {
        const UsageTraceFormat format = read(field);
        CheckColumns(field, format);
        return format;
    };
    return value;
}

const Keys<SpeedTraceSpec>&
TraceKeys()
{
    static const Keys<SpeedTraceSpec> KEYS{
        Key{"file",
            +[](const YamlField& trace, SpeedTraceSpec& spec) {
                spec.file = ReadExistingPath(trace.Get("file"), TRACE_FILE);
            },
            +[](const SpeedTraceSpec& spec) { return KeyJson(spec.file); },
            NameValue("a path"),
            "a CSV file, relative to this one"}
            .Default(""),
        Key{"repeat", &SpeedTraceSpec::repeat, PeriodValue(), "begins again after that time"}
            .EchoIf([](const SpeedTraceSpec& spec) { return spec.repeat > Time(0); })
            .Default("never"),
        Key{"usage", &SpeedTraceSpec::usage, UsageValue(), "columns, where it has what others use"}
            .EchoIf([](const SpeedTraceSpec& spec) { return !spec.usage.time.empty(); })
            .Default("none"),
    };
    return KEYS;
}

} // namespace

Value<SpeedTraceSpec>
SpeedTraceValue()
{
    auto value = MapValue(TraceKeys(), "", "a path | {file, repeat, usage}");
    value.schema = AnySchema({NameValue("a path").schema, value.schema});
    value.read = [readMap = value.read](const YamlField& field) {
        if (field.IsMap())
        {
            return readMap(field);
        }
        SpeedTraceSpec spec;
        spec.file = ReadExistingPath(field, TRACE_FILE);
        return spec;
    };
    return value;
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

} // namespace ns3::dml
