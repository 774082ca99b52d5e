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

const Keys<BackgroundSpec>&
BackgroundKeys()
{
    static const auto NAME = NameValue("the name of a host");
    static const auto PERIOD = TimeValue(MicroSeconds(1));
    static const Keys<BackgroundSpec> KEYS{
        Key{"from", &BackgroundSpec::from, NAME, "the host that sends"}.Turn(-1),
        Key{"to", &BackgroundSpec::to, NAME, "the host that receives"}.Turn(-1),
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
        Key<BackgroundSpec>{"bulk",
                            nullptr,
                            EchoBulk,
                            BoolValue(),
                            "TCP, as fast as it goes until it stops"},
        Key{"start", &BackgroundSpec::start, TimeValue(Time(0)), "from the start of the run"},
        Key{"stop", &BackgroundSpec::stop, TimeValue(Time(0)), "from the start of the run"}
            .EchoIf([](const BackgroundSpec& flow) { return flow.stop < Time::Max(); })
            .Default("never"),
    };
    return KEYS;
}

BackgroundSpec
ReadFlow(const YamlField& field)
{
    const std::string forms = "{from: HOST, to: HOST} with rate: RATE (constant), with rate, on "
                              "and off (on/off), or with bytes: SIZE or bulk: true (TCP)";
    if (!field.IsMap())
    {
        field.Fail(forms);
    }
    field.CheckKeys(NamesOf(BackgroundKeys()));
    for (const auto key : {"from", "to"})
    {
        if (!field.Get(key))
        {
            field.FailWith(std::string("found no key ") + key + "; accepted: " + forms);
        }
    }
    BackgroundSpec flow;
    const auto bulk = field.Get("bulk");
    const bool isBulk = (bulk && bulk.GetBool()) || field.Get("bytes");
    if (bulk && !bulk.GetBool() && isBulk)
    {
        bulk.FailWith("found false beside bytes, which only bulk has; accepted: true, or no bulk");
    }
    if (isBulk == bool(field.Get("rate")))
    {
        field.FailWith("found " + std::string(isBulk ? "both rate and bulk or bytes" : "no rate") +
                       "; accepted: " + forms);
    }
    const auto on = field.Get("on");
    const auto off = field.Get("off");
    if (bool(on) != bool(off) || (on && isBulk))
    {
        (on ? on : off)
            .FailWith("found alone, or with bulk; accepted: on and off together, with rate");
    }
    const auto exponential = field.Get("exponential");
    if (exponential && !on)
    {
        exponential.FailWith("found without on and off; accepted: beside on and off");
    }
    flow.kind = isBulk ? BackgroundSpec::Kind::BULK
                : on   ? BackgroundSpec::Kind::ON_OFF
                       : BackgroundSpec::Kind::CONSTANT;
    ReadKeys(field, BackgroundKeys(), flow);
    const auto stop = field.Get("stop");
    if (stop && flow.stop <= flow.start)
    {
        stop.Fail("a time after start");
    }
    return flow;
}

} // namespace

Value<BackgroundSpec>
BackgroundValue()
{
    auto value = MapValue(BackgroundKeys(), "a map");
    value.read = ReadFlow;
    return value;
}

} // namespace ns3::dml
