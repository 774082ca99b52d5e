/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plugin-key.h"
#include "dml-scenario-keys.h"
#include "dml-scenario-sections.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-topologies.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

constexpr uint64_t MAX_TCP_WINDOW = 1073725440; // 65535 * 2^14, RFC 7323 section 2.3
constexpr uint64_t MIN_BUFFER = 4096;           // smaller ones are typing errors
constexpr uint64_t MAX_GSO = 65536;
constexpr uint64_t MAX_INITIAL_WINDOW = 10000; // segments

const Keys<TcpSpec>&
TcpKeys()
{
    static const Keys<TcpSpec> KEYS{
        PluginKey("variant",
                  &TcpSpec::variant,
                  &TcpSpec::variantAttributes,
                  CongestionControls(),
                  "congestion control; the map may stand for ``tcp`` itself, with the other keys "
                  "in it, see :doc:`extending`"),
        Key{"sack", &TcpSpec::sack, BoolValue(), "selective acknowledgements"},
        Key{"timestamps", &TcpSpec::timestamps, BoolValue(), "12 bytes of each segment"},
        Key{"min_rto",
            &TcpSpec::minRto,
            TimeValue(MilliSeconds(1)),
            "lower bound of the retransmission timeout"},
        Key{"delayed_ack_timeout",
            &TcpSpec::delayedAckTimeout,
            TimeValue(Time(0)),
            "timer of delayed ACKs; with ``bbr`` 0s"},
        Key{"initial_window",
            &TcpSpec::initialWindow,
            IntegerValue(1, MAX_INITIAL_WINDOW),
            "initial congestion window, in segments"},
        Key{"send_buffer",
            &TcpSpec::sendBuffer,
            SizeValue(MIN_BUFFER, MAX_TCP_WINDOW / 2),
            "what a connection has in flight at most"},
        Key{"receive_buffer",
            &TcpSpec::receiveBuffer,
            SizeValue(2 * MIN_BUFFER, MAX_TCP_WINDOW),
            "at least twice the send buffer"},
        Key{"autotuning",
            &TcpSpec::autotuning,
            BoolValue(),
            "the send buffer grows with the congestion window, up to ``send_buffer``"},
        Key{"gso",
            &TcpSpec::gso,
            SizeValue(0, MAX_GSO),
            "largest burst in which segments leave a host, acknowledged as a whole; ``0B``: none"}
            .Default("15000B, above 1.5Gbps 64KiB"),
        Key{"trains",
            &TcpSpec::trains,
            BoolValue(),
            "such a burst is one packet of the simulator, as long on links and in queues as its "
            "segments, see :doc:`fast-forward`"},
        Key{"small_queues",
            &TcpSpec::smallQueues,
            BoolValue(),
            "about a millisecond of a connection's data waits in its own host, no more"},
        Key{"window_validation",
            &TcpSpec::windowValidation,
            BoolValue(),
            "the congestion window grows only when it is the limit"},
        Key{"idle_restart",
            &TcpSpec::idleRestart,
            BoolValue(),
            "the congestion window shrinks in pauses"},
        Key{"hystart",
            &TcpSpec::hystart,
            BoolValue(),
            "``cubic``: slow start ends when delays show a queue"},
        Key{"rack",
            &TcpSpec::rack,
            BoolValue(),
            "losses are found by time, and by a probe when the last ACK is overdue"},
        Key{"ack_jitter",
            &TcpSpec::ackJitter,
            TimeValue(Time(0)),
            "mean time in which a host acknowledges a burst, exponentially distributed"}
            .Default("100us; of the burst engine in virtual networks 15us"),
    };
    return KEYS;
}

/// @return the congestion control that a map chooses by its own key type, or by the key variant
std::optional<PluginSpec>
ReadControl(const YamlField& tcp)
{
    const auto variant = tcp.Get("variant");
    if (!ChoosesPlugin(tcp))
    {
        tcp.CheckKeys(NamesOf(TcpKeys()), ScenarioPaths());
        return variant ? std::optional(ReadPluginOrName(variant, CongestionControls()))
                       : std::nullopt;
    }
    if (variant)
    {
        variant.FailWith("found beside type; accepted: one of the two, as both are the congestion "
                         "control");
    }
    return ReadPlugin(tcp, CongestionControls(), NamesOf(TcpKeys()));
}

/// A variant, or a map of what is not as the transport prescribes.
void
ReadTcp(const YamlField& network, NetworkSpec& spec)
{
    const auto tcp = network.Get("tcp");
    if (!tcp)
    {
        return;
    }
    if (!tcp.IsMap())
    {
        spec.tcp.variant = tcp.GetChoice(CongestionControls().GetNames(),
                                         PLUGIN_FORM + " or a map with the key variant");
        spec.tcp.delayedAckTimeout = DefaultDelayedAckTimeout(spec.tcp.GetControl());
        return;
    }
    if (const auto control = ReadControl(tcp))
    {
        spec.tcp.variant = control->name;
        spec.tcp.variantAttributes = control->attributes;
        spec.tcp.delayedAckTimeout = DefaultDelayedAckTimeout(*control);
    }
    ReadKeys(tcp, TcpKeys(), spec.tcp);
}

KeyShape
TcpShape()
{
    const auto keys = Describe(TcpKeys());
    return {
        "a variant, a map with the keys below, or " + PLUGIN_FORM,
        AnySchema({WordSchema(CongestionControls().GetNames()), MapSchema(keys), PluginSchema()}),
        keys,
        [](const KeyJson& echo) { return echo["variant"].get<std::string>(); }};
}

constexpr uint64_t MAX_TOKEN_BUCKET = 1000000000;
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
        Keys<LinkSpec> ofLink = LinkKeys();
        const auto rate = std::find_if(ofLink.begin(), ofLink.end(), [](const auto& key) {
            return key.name == "rate";
        });
        *rate = Key{"rate",
                    &LinkSpec::rate,
                    EndRatesValue(),
                    "each direction, or what each end of ``between`` sends"};
        AddKeys(keys, PartKeys(&ExplicitLinkSpec::link, ofLink));
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

/// How nodes are connected: a name, or a map.
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

} // namespace

const Keys<NetworkSpec>&
NetworkKeys()
{
    static const auto NAME = NameValue("the name of a host");
    static const Keys<NetworkSpec> KEYS{
        Key{"topology",
            &NetworkSpec::topology,
            TopologyValue(),
            "who is connected to whom, see :doc:`networks` and :doc:`extending`"}
            .Turn(-1),
        Key{"transport",
            &NetworkSpec::transport,
            WordValue({"linux", "plain", "ideal"}),
            "``linux``: hosts send as Linux does, see :doc:`tcp`; ``plain``: as |ns3|'s TCP does; "
            "``ideal``: plain, and queues that never drop, for exact tests"}
            .Then([](NetworkSpec& spec) { UseTransport(spec.transport, spec); })
            .Turn(-1),
        Key{"multipath",
            &NetworkSpec::multipath,
            MultipathValue(),
            "which of several equally short paths packets take, see :doc:`networks`; ``none``: "
            "there is one path from a host to another"},
        Key{"rate", &NetworkSpec::rate, RateValue(), "of every link, each direction"},
        Key{"delay", &NetworkSpec::delay, TimeValue(Time(0)), "propagation on every link"},
        Key{"mtu", &NetworkSpec::mtu, MtuValue(), "bytes of an IP packet"},
        Key{"token_bucket",
            &NetworkSpec::tokenBucket,
            SizeValue(0, MAX_TOKEN_BUCKET),
            "what each link sends at once after a pause, in the burst engine; see :doc:`networks`"}
            .Default("two bursts or three in virtual networks, else 0B"),
        Key{"queue",
            &NetworkSpec::queue,
            QueueValue(),
            "of every switch port; a size is ``drop_tail``, ``0B`` never drops"},
        Key{"host_queue", &NetworkSpec::hostQueue, HostQueueValue(), "of every host's port"},
        Key{"hosts",
            &NetworkSpec::hosts,
            TableValue(HostLinkValue(), "a map of links by host"),
            "links of single hosts"}
            .Turn(-1)
            .Table(),
        Key{"nics_per_host",
            &NetworkSpec::nicsPerHost,
            NicsValue(),
            "network cards of hosts that workers share: so many links to the switch, of which "
            "those who live there have one each, in turn; see :doc:`networks`"},
        Key{"colocate",
            &NetworkSpec::colocate,
            TableValue(NAME, "a map of hosts, such as {ps0: worker0}"),
            "who lives on whose host"}
            .Turn(-1)
            .Table(),
        Key{"local",
            &NetworkSpec::local,
            LocalLinkValue(),
            "what workers and servers on one host exchange is sent over, such as NVLink"}
            .Default("that takes no time"),
        Key{"extra_hosts",
            &NetworkSpec::extraHosts,
            ListValue(NAME, "a list of names"),
            "names of hosts that only background flows use"}
            .Turn(-1),
        Key{"tcp",
            ReadTcp,
            +[](const NetworkSpec& spec) { return EchoKeys(TcpKeys(), spec.tcp); },
            TcpShape(),
            "the transport of the packet engine, and what is not as ``transport`` has it"}
            .AlsoMap()
            .AlsoPlugin(),
        Key{"background",
            &NetworkSpec::background,
            ListValue(BackgroundValue(), "a list of flows"),
            "flows that are not of a job"},
    };
    return KEYS;
}

} // namespace ns3::dml
