/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-sections.h"

#include "ns3/dml-unit-parser.h"
#include "ns3/dml-unit-suggestion.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_INDEX = 4294967294;

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
    std::vector<uint32_t> workers;
    for (const auto& item : field.GetItems(accepted))
    {
        workers.push_back(item.GetInteger(1, MAX_WORKERS));
    }
    if (workers.empty())
    {
        field.FailWith("found an empty list; accepted: " + accepted);
    }
    return workers;
}

PlacementSpec
ReadPlacement(const YamlField& field)
{
    PlacementSpec placement;
    if (!field.IsMap())
    {
        placement.rule = field.GetChoice({"greedy", "round-robin"}, "a map of servers by tensor");
        return placement;
    }
    placement.rule = "explicit";
    for (const auto& [tensor, server] : field.GetEntries(""))
    {
        placement.table[tensor] = server.GetInteger(0, MAX_SERVERS - 1);
    }
    return placement;
}

SamplingSpec
ReadSampling(const YamlField& field)
{
    SamplingSpec sampling;
    if (!field.IsList())
    {
        sampling.rule =
            field.GetChoice({"random", "in-order"}, "a list of sample indices for each worker");
        return sampling;
    }
    sampling.rule = "explicit";
    const std::string accepted = "a list of sample indices for each worker";
    for (const auto& list : field.GetItems(accepted))
    {
        std::vector<uint32_t> indices;
        for (const auto& index : list.GetItems(accepted))
        {
            indices.push_back(index.GetInteger(0, MAX_INDEX));
        }
        if (indices.empty())
        {
            list.Fail("at least one sample index");
        }
        sampling.lists.push_back(std::move(indices));
    }
    if (sampling.lists.empty())
    {
        field.FailWith("found an empty list; accepted: random, in-order, or " + accepted);
    }
    return sampling;
}

StartSpec
ReadStart(const YamlField& field)
{
    StartSpec start;
    if (!field.IsList())
    {
        start.rule =
            field.GetChoice({"staggered", "together"}, "a list of times, one for each worker");
        return start;
    }
    start.rule = "explicit";
    for (const auto& item : field.GetItems(""))
    {
        start.offsets.push_back(item.GetTime(Time(0)));
    }
    if (start.offsets.empty())
    {
        field.FailWith("found an empty list; accepted: staggered, together, or a list of times, "
                       "one for each worker");
    }
    return start;
}

KeyJson
StartToJson(const StartSpec& start)
{
    if (start.rule != "explicit")
    {
        return start.rule;
    }
    auto json = KeyJson::array();
    for (const auto& offset : start.offsets)
    {
        json.push_back(TimeText(offset));
    }
    return json;
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

Value<PlacementSpec>
PlacementValue()
{
    return {{"greedy | round-robin | {TENSOR: SERVER, ...}",
             AnySchema({WordSchema({"greedy", "round-robin"}),
                        TableSchema(IntegerValue(0, MAX_SERVERS - 1).schema)})},
            ReadPlacement,
            [](const PlacementSpec& placement) {
                return placement.rule == "explicit" ? KeyJson(placement.table)
                                                    : KeyJson(placement.rule);
            }};
}

Value<SamplingSpec>
SamplingValue()
{
    return {{"random | in-order | a list of sample indices for each worker",
             AnySchema({WordSchema({"random", "in-order"}),
                        ListSchema(ListSchema(IntegerValue(0, MAX_INDEX).schema))})},
            ReadSampling,
            [](const SamplingSpec& sampling) {
                return sampling.rule == "explicit" ? KeyJson(sampling.lists)
                                                   : KeyJson(sampling.rule);
            }};
}

Value<StartSpec>
StartValue()
{
    return {
        {"staggered | together | a time for each worker",
         AnySchema({WordSchema({"staggered", "together"}), ListSchema(TimeValue(Time(0)).schema)})},
        ReadStart,
        StartToJson};
}

} // namespace ns3::dml
