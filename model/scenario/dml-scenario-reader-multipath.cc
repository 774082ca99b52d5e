/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which of several equally short paths are taken.

#include "dml-scenario-sections.h"

#include <limits>
#include <string>

namespace ns3::dml
{

namespace
{

using MultipathKind = MultipathSpec::Kind;

const std::string MULTIPATH_FORMS =
    "none | ecmp | {ecmp: SEED} | {spray: packet} | {flowlet: DURATION}";

MultipathSpec
ReadMultipath(const YamlField& field)
{
    MultipathSpec spec;
    if (!field.IsMap())
    {
        if (!field.IsWord("none") && !field.IsWord("ecmp"))
        {
            field.Fail(MULTIPATH_FORMS);
        }
        spec.kind = field.IsWord("ecmp") ? MultipathKind::ECMP : MultipathKind::NONE;
        return spec;
    }
    field.CheckKeys({"ecmp", "spray", "flowlet"});
    const auto seed = field.Get("ecmp");
    const auto spray = field.Get("spray");
    const auto gap = field.Get("flowlet");
    if (int(bool(seed)) + int(bool(spray)) + int(bool(gap)) != 1)
    {
        field.Fail("one of " + MULTIPATH_FORMS);
    }
    if (seed)
    {
        spec.kind = MultipathKind::ECMP;
        spec.seed = seed.GetInteger(0, std::numeric_limits<uint32_t>::max());
    }
    else if (spray)
    {
        if (!spray.IsWord("packet"))
        {
            spray.Fail("packet");
        }
        spec.kind = MultipathKind::SPRAY;
    }
    else
    {
        spec.kind = MultipathKind::FLOWLET;
        spec.gap = gap.GetTime(MicroSeconds(1));
    }
    return spec;
}

KeyJson
MultipathToJson(const MultipathSpec& spec)
{
    switch (spec.kind)
    {
    case MultipathKind::NONE:
        break;
    case MultipathKind::ECMP:
        return {{"ecmp", spec.seed}};
    case MultipathKind::SPRAY:
        return {{"spray", "packet"}};
    case MultipathKind::FLOWLET:
        return {{"flowlet", TimeText(spec.gap)}};
    }
    return "none";
}

} // namespace

Value<MultipathSpec>
MultipathValue()
{
    const std::vector<KeyText> parts{
        {"ecmp",
         IntegerValue(0, std::numeric_limits<uint32_t>::max()),
         "a hash of addresses and ports chooses, so that a connection keeps its path; the seed of "
         "the "
         "hash"},
        {"spray", WordValue({"packet"}), "each packet takes a path at random"},
        {"flowlet",
         TimeValue(MicroSeconds(1)),
         "a packet takes a path at random if the last one of its connection came so long ago"}};
    return {{MULTIPATH_FORMS, AnySchema({WordSchema({"none", "ecmp"}), MapSchema(parts)}), parts},
            ReadMultipath,
            MultipathToJson};
}

} // namespace ns3::dml
