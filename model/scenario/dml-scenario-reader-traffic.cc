/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-key.h"
#include "dml-scenario-sections.h"

#include <limits>

namespace ns3::dml
{

namespace
{

const std::string FLOW_FORMS = "{from: HOST, to: HOST} with rate: RATE (constant), with rate, on "
                               "and off (on/off), or with bytes: SIZE or bulk: true (TCP)";

bool
IsOnOff(const BackgroundSpec& flow)
{
    return flow.kind == BackgroundSpec::Kind::ON_OFF;
}

bool
IsBulk(const BackgroundSpec& flow)
{
    return flow.kind == BackgroundSpec::Kind::BULK;
}

KeyJson
EchoBulk(const BackgroundSpec& flow)
{
    return IsBulk(flow) && flow.bytes == 0 ? KeyJson(true) : KeyJson();
}

/// What kind of flow it is.
void
ReadKind(const YamlField& flow, BackgroundSpec& spec)
{
    const auto bulk = flow.Get("bulk");
    const bool isBulk = (bulk && bulk.GetBool()) || flow.Get("bytes");
    if (bulk && !bulk.GetBool() && isBulk)
    {
        bulk.FailWith("found false beside bytes, which only bulk has; accepted: true, or no bulk");
    }
    if (isBulk == bool(flow.Get("rate")))
    {
        flow.FailWith("found " + std::string(isBulk ? "both rate and bulk or bytes" : "no rate") +
                      "; accepted: " + FLOW_FORMS);
    }
    const auto on = flow.Get("on");
    const auto off = flow.Get("off");
    if (bool(on) != bool(off) || (on && isBulk))
    {
        (on ? on : off)
            .FailWith("found alone, or with bulk; accepted: on and off together, with rate");
    }
    const auto exponential = flow.Get("exponential");
    if (exponential && !on)
    {
        exponential.FailWith("found without on and off; accepted: beside on and off");
    }
    spec.kind = isBulk ? BackgroundSpec::Kind::BULK
                : on   ? BackgroundSpec::Kind::ON_OFF
                       : BackgroundSpec::Kind::CONSTANT;
}

const Keys<BackgroundSpec>&
BackgroundKeys()
{
    static const auto NAME = NameValue("the name of a host");
    static const auto PERIOD = TimeValue(MicroSeconds(1));
    static const Keys<BackgroundSpec> KEYS{
        Key{"from", &BackgroundSpec::from, NAME, "the host that sends"},
        Key{"to", &BackgroundSpec::to, NAME, "the host that receives"},
        Key{"rate", &BackgroundSpec::rate, RateValue(), "UDP, of its payload"}
            .EchoIf([](const BackgroundSpec& flow) { return !IsBulk(flow); })
            .Default(""),
        Key{"on", &BackgroundSpec::on, PERIOD, "UDP: mean length of a period in which it sends"}
            .EchoIf(IsOnOff)
            .Default(""),
        Key{"off", &BackgroundSpec::off, PERIOD, "UDP: mean length of a pause"}
            .EchoIf(IsOnOff)
            .Default(""),
        Key{"exponential",
            &BackgroundSpec::exponential,
            BoolValue(),
            "lengths of periods are exponentially distributed, else constant"}
            .EchoIf(IsOnOff),
        Key{"bytes",
            &BackgroundSpec::bytes,
            SizeValue(1, std::numeric_limits<int64_t>::max()),
            "TCP: how much"}
            .EchoIf([](const BackgroundSpec& flow) { return flow.bytes > 0; })
            .Default(""),
        Key{"bulk", ReadKind, EchoBulk, BoolValue(), "TCP, as fast as it goes until it stops"}.Turn(
            -1),
        Key{"start", &BackgroundSpec::start, TimeValue(Time(0)), "from the start of the run"},
        Key{"stop", &BackgroundSpec::stop, TimeValue(Time(0)), "from the start of the run"}
            .EchoIf([](const BackgroundSpec& flow) { return flow.stop < Time::Max(); })
            .Default("never"),
    };
    return KEYS;
}

} // namespace

Value<BackgroundSpec>
BackgroundValue()
{
    auto value = MapValue(BackgroundKeys(), FLOW_FORMS, "a map", {{"from", "to"}, FLOW_FORMS});
    value.read = [readMap = value.read](const YamlField& field) {
        const BackgroundSpec flow = readMap(field);
        const auto stop = field.Get("stop");
        if (stop && flow.stop <= flow.start)
        {
            stop.Fail("a time after start");
        }
        return flow;
    };
    return value;
}

} // namespace ns3::dml
