/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Which of several equally short paths are taken.

#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-multipath-policies.h"

#include <limits>
#include <string>

namespace ns3::dml
{

namespace
{

const std::string MULTIPATH_FORMS =
    "none | ecmp | {ecmp: SEED} | {spray: packet} | {flowlet: DURATION} | " + PLUGIN_FORM;

MultipathSpec
ReadMultipath(const YamlField& field)
{
    if (ChoosesPlugin(field))
    {
        const PluginSpec own = ReadPlugin(field, MultipathPolicies());
        return {own.name, own.attributes};
    }
    if (!field.IsMap())
    {
        if (!field.IsWord("none") && !field.IsWord("ecmp"))
        {
            field.Fail(MULTIPATH_FORMS);
        }
        return {field.IsWord("ecmp") ? "ecmp" : "none", {}};
    }
    field.CheckKeys({"ecmp", "spray", "flowlet", "type"});
    const auto seed = field.Get("ecmp");
    const auto spray = field.Get("spray");
    const auto gap = field.Get("flowlet");
    if (int(bool(seed)) + int(bool(spray)) + int(bool(gap)) != 1)
    {
        field.Fail("one of " + MULTIPATH_FORMS);
    }
    if (seed)
    {
        const uint64_t number = seed.GetInteger(0, std::numeric_limits<uint32_t>::max());
        return {"ecmp", {{"Seed", std::to_string(number)}}};
    }
    if (gap)
    {
        return {"flowlet", {{"Gap", TimeText(gap.GetTime(MicroSeconds(1)))}}};
    }
    if (!spray.IsWord("packet"))
    {
        spray.Fail("packet");
    }
    return {"spray", {}};
}

KeyJson
MultipathToJson(const MultipathSpec& spec)
{
    const auto get = [&spec](const char* attribute, const char* usual) {
        const auto given = spec.attributes.find(attribute);
        return given == spec.attributes.end() ? usual : given->second;
    };
    if (spec.policy == "ecmp")
    {
        return {{"ecmp", std::stoul(get("Seed", "1"))}};
    }
    if (spec.policy == "spray")
    {
        return {{"spray", "packet"}};
    }
    if (spec.policy == "flowlet")
    {
        return {{"flowlet", get("Gap", "500us")}};
    }
    return EchoPlugin(MultipathPolicies(), {spec.policy, spec.attributes});
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
    return {{MULTIPATH_FORMS,
             AnySchema({WordSchema({"none", "ecmp"}), MapSchema(parts), PluginSchema()}),
             parts},
            ReadMultipath,
            MultipathToJson};
}

} // namespace ns3::dml
