/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-collective-algorithms.h"

namespace ns3::dml
{

namespace
{

constexpr double MAX_REDUCTION = 1e-3; // seconds per byte
constexpr uint64_t MAX_CONCURRENT = 64;

const std::string ON_CRASH = "stop, or {rebuild: DURATION}";

/// `stop`, or {rebuild: DURATION}.
Time
ReadOnCrash(const YamlField& field)
{
    if (!field.IsMap())
    {
        field.GetChoice({"stop"}, "{rebuild: DURATION}");
        return Time(0);
    }
    field.CheckKeys({"rebuild"});
    const auto rebuild = field.Get("rebuild");
    if (!rebuild)
    {
        field.FailWith("found no rebuild; accepted: " + ON_CRASH);
    }
    return rebuild.GetTime(MicroSeconds(1));
}

Value<Time>
OnCrashValue()
{
    const KeyText part("rebuild",
                       TimeValue(MicroSeconds(1)),
                       "from a crash until all who are left are up again");
    return {{"stop | {rebuild: DURATION}",
             AnySchema({WordSchema({"stop"}), MapSchema({part})}),
             {part}},
            ReadOnCrash,
            [](const Time& rebuild) {
                return rebuild.IsZero() ? KeyJson("stop") : KeyJson{{"rebuild", TimeText(rebuild)}};
            }};
}

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
        Key{"on_crash",
            &AllReduceSpec::rebuild,
            OnCrashValue(),
            "whether the job stops when a worker crashes, or goes on with those that are left and "
            "with it when it is back, see :doc:`all-reduce`"},
    };
    return KEYS;
}

} // namespace

Value<AllReduceSpec>
AllReduceValue()
{
    return MapValue(AllReduceKeys(),
                    "a map of algorithm, reduction, concurrent, ranks, barrier and on_crash",
                    "{algorithm, reduction, concurrent, ranks, barrier, on_crash}");
}

} // namespace ns3::dml
