/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-traffic.h"

#include <limits>
#include <string>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

BackgroundSpec
ReadFlow(const YamlField& field)
{
    const std::string forms = "{from: HOST, to: HOST} with rate: RATE (constant), with rate, on "
                              "and off (on/off), or with bytes: SIZE or bulk: true (TCP)";
    if (!field.IsMap())
    {
        field.Fail(forms);
    }
    field.CheckKeys(
        {"from", "to", "rate", "on", "off", "exponential", "bytes", "bulk", "start", "stop"});
    BackgroundSpec flow;
    for (const auto& [key, name] : {std::pair{"from", &flow.from}, std::pair{"to", &flow.to}})
    {
        const auto host = field.Get(key);
        if (!host)
        {
            field.FailWith(std::string("found no key ") + key + "; accepted: " + forms);
        }
        *name = host.GetString("the name of a host");
    }
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
    if (isBulk)
    {
        flow.kind = BackgroundSpec::Kind::BULK;
        if (const auto bytes = field.Get("bytes"))
        {
            flow.bytes = bytes.GetSize(1, std::numeric_limits<int64_t>::max());
        }
    }
    else
    {
        flow.rate = field.Get("rate").GetRate();
    }
    const auto on = field.Get("on");
    const auto off = field.Get("off");
    if (bool(on) != bool(off) || (on && isBulk))
    {
        (on ? on : off)
            .FailWith("found alone, or with bulk; accepted: on and off together, with "
                      "rate");
    }
    if (on)
    {
        flow.kind = BackgroundSpec::Kind::ON_OFF;
        flow.on = on.GetTime(MicroSeconds(1));
        flow.off = off.GetTime(MicroSeconds(1));
    }
    if (const auto exponential = field.Get("exponential"))
    {
        if (flow.kind != BackgroundSpec::Kind::ON_OFF)
        {
            exponential.FailWith("found without on and off; accepted: beside on and off");
        }
        flow.exponential = exponential.GetBool();
    }
    if (const auto start = field.Get("start"))
    {
        flow.start = start.GetTime(Time(0));
    }
    if (const auto stop = field.Get("stop"))
    {
        flow.stop = stop.GetTime(Time(0));
        if (flow.stop <= flow.start)
        {
            stop.Fail("a time after start");
        }
    }
    return flow;
}

} // namespace

std::vector<BackgroundSpec>
ReadBackground(const YamlField& background)
{
    std::vector<BackgroundSpec> specs;
    for (const auto& flow :
         background ? background.GetItems("a list of flows") : std::vector<YamlField>{})
    {
        specs.push_back(ReadFlow(flow));
    }
    return specs;
}

} // namespace dml
} // namespace ns3
