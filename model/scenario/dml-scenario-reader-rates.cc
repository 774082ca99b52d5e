/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Rates of the two directions of a link.

#include "dml-key.h"
#include "dml-scenario-sections.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

const std::string HOST_RATES = "a rate such as 1Gbps, or {up: RATE, down: RATE}";
const std::string END_RATES = "a rate such as 1Gbps, or [RATE, RATE], of what each end sends";

const std::vector<KeyText>&
RateParts()
{
    static const std::vector<KeyText> PARTS{
        {"up", RateValue(), "of what the host sends, or a leaf to a spine, or left to right"},
        {"down", RateValue(), "of what comes the other way"},
    };
    return PARTS;
}

KeyJson
RateToJson(const DataRate& rate)
{
    return RateValue().echo(rate);
}

LinkRates
ReadHostRates(const YamlField& field)
{
    if (field.IsList())
    {
        field.Fail(HOST_RATES);
    }
    if (!field.IsMap())
    {
        return field.GetRate();
    }
    field.CheckKeys(NamesOf(RateParts()));
    const auto up = field.Get("up");
    const auto down = field.Get("down");
    if (!up || !down)
    {
        field.FailWith(std::string("found no key ") + (up ? "down" : "up") +
                       "; accepted: " + HOST_RATES);
    }
    return {up.GetRate(), down.GetRate()};
}

LinkRates
ReadEndRates(const YamlField& field)
{
    if (field.IsMap())
    {
        field.Fail(END_RATES);
    }
    if (!field.IsList())
    {
        return field.GetRate();
    }
    const auto items = field.GetItems(END_RATES);
    if (items.size() != 2)
    {
        field.Fail(END_RATES);
    }
    return {items[0].GetRate(), items[1].GetRate()};
}

} // namespace

Value<LinkRates>
HostRatesValue()
{
    const auto rate = RateValue();
    return {{"a rate, or {up: RATE, down: RATE}",
             AnySchema({rate.schema, MapSchema(RateParts())}),
             RateParts(),
             rate.write},
            ReadHostRates,
            [](const LinkRates& rates) {
                return rates.AreEqual() ? RateToJson(rates.up)
                                        : KeyJson{{"up", RateToJson(rates.up)},
                                                  {"down", RateToJson(rates.down)}};
            }};
}

Value<LinkRates>
EndRatesValue()
{
    const auto rate = RateValue();
    return {{"a rate, or [RATE, RATE]",
             AnySchema({rate.schema, ListSchema(rate.schema)}),
             {},
             rate.write},
            ReadEndRates,
            [](const LinkRates& rates) {
                return rates.AreEqual()
                           ? RateToJson(rates.up)
                           : KeyJson::array({RateToJson(rates.up), RateToJson(rates.down)});
            }};
}

} // namespace ns3::dml
