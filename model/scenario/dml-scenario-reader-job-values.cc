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

/// An integer that is kept in 32 bits.
Value<uint32_t>
UintValue(uint64_t low, uint64_t high)
{
    const auto number = IntegerValue(low, high);
    return {number, number.read, number.echo};
}

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
    return ListValue(UintValue(1, MAX_WORKERS), accepted, accepted).read(field);
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
    return RuleValue("greedy | round-robin | {TENSOR: SERVER, ...}",
                     {"greedy", "round-robin"},
                     &YamlField::IsMap,
                     &PlacementSpec::table,
                     TableValue(UintValue(0, MAX_SERVERS - 1), "a map of servers by tensor"));
}

Value<SamplingSpec>
SamplingValue()
{
    const std::string lists = "a list of sample indices for each worker";
    const auto list = ListValue(UintValue(0, MAX_INDEX), lists, "at least one sample index");
    return RuleValue("random | in-order | " + lists,
                     {"random", "in-order"},
                     &YamlField::IsList,
                     &SamplingSpec::lists,
                     ListValue(list, lists, "random, in-order, or " + lists));
}

Value<StartSpec>
StartValue()
{
    const std::string times = "a list of times, one for each worker";
    return RuleValue("staggered | together | a time for each worker",
                     {"staggered", "together"},
                     &YamlField::IsList,
                     &StartSpec::offsets,
                     ListValue(TimeValue(Time(0)), times, "staggered, together, or " + times));
}

} // namespace ns3::dml
