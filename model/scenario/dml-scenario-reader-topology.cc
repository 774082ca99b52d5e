/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-topologies.h"

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_SWITCHES = 1000; // of each kind
constexpr uint64_t MAX_METRIC = 100;    // ns-3's interfaces have 16 bits
constexpr uint64_t MAX_TRUNKS = 4096;   // of a leaf-spine fabric
constexpr double MAX_OVERSUBSCRIPTION = 1000;
const std::string ENDS = "the names of two nodes, [NODE, NODE]";
const std::string LINKS = "a list of maps with between: [NODE, NODE]";

Value<std::array<std::string, 2>>
EndsValue()
{
    const auto names = ListValue(NameValue("the name of a node"), ENDS);
    return {names,
            [](const YamlField& field) {
                const auto ends = field.GetItems(ENDS);
                if (ends.size() != 2)
                {
                    field.Fail(ENDS);
                }
                const std::string accepted = "the name of a node";
                return std::array<std::string, 2>{ends[0].GetString(accepted),
                                                  ends[1].GetString(accepted)};
            },
            [](const std::array<std::string, 2>& ends) { return KeyJson(ends); }};
}

/// Those of a link of an explicit topology.
const Keys<ExplicitLinkSpec>&
ExplicitLinkKeys()
{
    static const Keys<ExplicitLinkSpec> KEYS = [] {
        Keys<ExplicitLinkSpec> keys{
            Key{"between", &ExplicitLinkSpec::ends, EndsValue(), "the nodes that it connects"}
                .Default("")};
        AddKeys(keys, PartKeys(&ExplicitLinkSpec::link, LinkKeys()));
        keys.push_back(Key{"metric",
                           &ExplicitLinkSpec::metric,
                           IntegerValue(1, MAX_METRIC),
                           "its length in shortest paths"}
                           .Default(""));
        return keys;
    }();
    return KEYS;
}

bool
HasTrunk(const TopologySpec& spec)
{
    return spec.type == "dumbbell" || spec.type == "leaf-spine";
}

bool
IsFabric(const TopologySpec& spec)
{
    return spec.type == "leaf-spine";
}

bool
IsExplicit(const TopologySpec& spec)
{
    return spec.type == "explicit";
}

/// A name; TypeIds are read before.
Value<std::string>
TypeValue()
{
    auto value = WordValue(Topologies().GetNames());
    value.read = [](const YamlField& field) {
        return field.GetChoice(Topologies().GetNames(), "the TypeId of a topology");
    };
    return value;
}

const Keys<TopologySpec>&
TopologyKeys()
{
    static const auto LINK = MapValue(
        ExplicitLinkKeys(),
        "a map with between: [NODE, NODE] and, if it differs, rate, delay, queue, mtu, metric",
        LINKS,
        {{"between"}, "between: " + ENDS});
    static const Keys<TopologySpec> KEYS{
        Key{"type", &TopologySpec::type, TypeValue(), "who is connected to whom"},
        Key{"trunk",
            &TopologySpec::trunk,
            LinkValue(),
            "``dumbbell``, ``leaf-spine``: links between switches, where they differ"}
            .EchoIf(HasTrunk),
        Key{"leaves",
            &TopologySpec::leaves,
            IntegerValue(1, MAX_SWITCHES),
            "``leaf-spine``: leaf switches"}
            .EchoIf(IsFabric),
        Key{"spines",
            &TopologySpec::spines,
            IntegerValue(1, MAX_SWITCHES),
            "``leaf-spine``: spine switches"}
            .EchoIf(IsFabric),
        Key{"oversubscription",
            &TopologySpec::oversubscription,
            PositiveValue(MAX_OVERSUBSCRIPTION, "bits of a leaf's hosts per bit of its trunk"),
            "``leaf-spine``: gives the trunks' rate, from that of the fullest leaf's hosts"}
            .EchoIf([](const TopologySpec& spec) { return IsFabric(spec) && !spec.trunk.rate; }),
        Key{"switches",
            &TopologySpec::switches,
            ListValue(NameValue("the name of a switch"), "a list of names"),
            "``explicit``: their names"}
            .EchoIf(IsExplicit),
        Key{"links", &TopologySpec::links, ListValue(LINK, LINKS), "``explicit``: all links"}
            .EchoIf(IsExplicit),
    };
    return KEYS;
}

/// Refuse the keys of another topology.
void
CheckTopologyKeys(const YamlField& field, const std::string& type)
{
    std::vector<std::string> accepted{"type"};
    if (type == "dumbbell" || type == "leaf-spine")
    {
        accepted.emplace_back("trunk");
    }
    if (type == "leaf-spine")
    {
        accepted.insert(accepted.end(), {"leaves", "spines", "oversubscription"});
    }
    if (type == "explicit")
    {
        accepted.insert(accepted.end(), {"switches", "links"});
    }
    field.CheckKeys(accepted);
}

/// @return the topology of a map whose `type` is no name of ours but a TypeId, if it is
std::optional<TopologySpec>
ReadOwnTopology(const YamlField& field)
{
    const auto& node = *field.Get("type").GetNode();
    const bool isType = node.text.find(':') != std::string::npos;
    if (!isType && !Topologies().HasType(node.text))
    {
        return std::nullopt;
    }
    const PluginSpec plugin = ReadPlugin(field, Topologies());
    TopologySpec spec;
    spec.type = plugin.name;
    spec.attributes = plugin.attributes;
    return spec;
}

/// A name, or a map.
TopologySpec
ReadTopology(const YamlField& field)
{
    TopologySpec spec;
    if (!field.IsMap())
    {
        spec.type = field.GetChoice({"star", "dumbbell", "leaf-spine"},
                                    "a map with the key type, as {type: explicit, ...}");
        return spec;
    }
    if (!field.Get("type"))
    {
        field.CheckKeys(NamesOf(TopologyKeys()));
        field.FailWith("found no key type; accepted: type: star, dumbbell, leaf-spine or explicit");
    }
    if (const auto own = ReadOwnTopology(field))
    {
        return *own;
    }
    TopologyKeys().front().read(field, spec);
    field.CheckKeys(NamesOf(TopologyKeys()));
    CheckTopologyKeys(field, spec.type);
    ReadKeys(field, TopologyKeys(), spec);
    if (IsFabric(spec) && uint64_t{spec.leaves} * spec.spines > MAX_TRUNKS)
    {
        field.FailWith("found " + std::to_string(spec.leaves) + " leaves and " +
                       std::to_string(spec.spines) + " spines; accepted: at most " +
                       std::to_string(MAX_TRUNKS) + " links between leaves and spines");
    }
    const auto ratio = field.Get("oversubscription");
    if (ratio && spec.trunk.rate)
    {
        ratio.FailWith("found together with trunk.rate; accepted: one of the two, each gives the "
                       "other");
    }
    if (IsExplicit(spec) && !field.Get("links"))
    {
        field.FailWith("found no key links; accepted: links: " + LINKS);
    }
    return spec;
}

KeyJson
TopologyToJson(const TopologySpec& spec)
{
    if (Topologies().HasType(spec.type))
    {
        return EchoPlugin(Topologies(), {spec.type, spec.attributes});
    }
    return spec.type == "star" ? KeyJson(spec.type) : EchoKeys(TopologyKeys(), spec);
}

} // namespace

Value<TopologySpec>
TopologyValue()
{
    const auto keys = Describe(TopologyKeys());
    return {{"star | dumbbell | leaf-spine | a map | " + PLUGIN_FORM,
             AnySchema(
                 {WordSchema({"star", "dumbbell", "leaf-spine"}), MapSchema(keys), PluginSchema()}),
             keys,
             nullptr},
            ReadTopology,
            TopologyToJson};
}

} // namespace ns3::dml
