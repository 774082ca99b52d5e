/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-all-reduce.h"

#include "dml-plugin-key.h"

#include "ns3/dml-collective-algorithms.h"

namespace ns3
{
namespace dml
{

namespace
{

constexpr double MAX_REDUCTION = 1e-3; // seconds per byte
constexpr uint64_t MAX_CONCURRENT = 64;

const Keys<AllReduceSpec>&
AllReduceKeys()
{
    static const Keys<AllReduceSpec> KEYS{
        PluginKey("algorithm",
                  &AllReduceSpec::algorithm,
                  &AllReduceSpec::algorithmAttributes,
                  CollectiveAlgorithms(),
                  "who sends what to whom"),
        Key{"reduction",
            &AllReduceSpec::reduction,
            NumberValue(MAX_REDUCTION, "seconds per byte"),
            "that adding up what was received takes"},
        Key{"concurrent",
            &AllReduceSpec::concurrent,
            IntegerValue(1, MAX_CONCURRENT),
            "gradients or groups of them that are reduced at the same time"},
        Key{"ranks",
            &AllReduceSpec::ranks,
            WordValue({"racks", "listed"}),
            "in which order workers get their ranks: rack by rack, a rack being the hosts at one "
            "switch, or by number"},
        Key{"barrier",
            &AllReduceSpec::barrier,
            BoolValue(),
            "whether updates, and the next step, wait until all gradients have been reduced"},
    };
    return KEYS;
}

AllReduceSpec
ReadAllReduce(const YamlField& field)
{
    AllReduceSpec spec;
    if (!field.IsMap())
    {
        field.Fail("a map of algorithm, reduction, concurrent, ranks and barrier");
    }
    field.CheckKeys(NamesOf(AllReduceKeys()));
    ReadKeys(field, AllReduceKeys(), spec);
    return spec;
}

} // namespace

Value<AllReduceSpec>
AllReduceValue()
{
    const auto keys = Describe(AllReduceKeys());
    return {{"{algorithm, reduction, concurrent, ranks, barrier}", MapSchema(keys), keys},
            ReadAllReduce,
            [](const AllReduceSpec& spec) { return EchoKeys(AllReduceKeys(), spec); }};
}

} // namespace dml
} // namespace ns3
