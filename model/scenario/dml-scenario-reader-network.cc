/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-network.h"

#include "dml-scenario-reader-keys.h"
#include "dml-scenario-reader-traffic.h"

#include "ns3/dml-tcp-variants.h"

#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

constexpr uint64_t MAX_TCP_WINDOW = 1073725440; // 65535 * 2^14, RFC 7323 section 2.3
constexpr uint64_t MAX_QUEUE = 4294967295;      // ns3::QueueSize has 32 bits
constexpr uint64_t MIN_BUFFER = 4096;           // smaller ones are typing errors
constexpr uint64_t MAX_INITIAL_WINDOW = 10000;  // segments
constexpr uint64_t MAX_SWITCHES = 1000;         // of each kind
constexpr uint64_t MAX_METRIC = 100;            // ns-3's interfaces have 16 bits
constexpr uint64_t MAX_TRUNKS = 4096;           // of a leaf-spine fabric
constexpr double MAX_OVERSUBSCRIPTION = 1000;
const std::string LINK_KEYS = "a map with rate, delay, queue, mtu";

QueueSpec
ReadQueue(const YamlField& field)
{
    QueueSpec queue;
    if (!field.IsMap())
    {
        queue.bytes = field.GetSize(0, MAX_QUEUE);
        return queue;
    }
    field.CheckKeys({"drop_tail", "fair", "fq_codel", "red", "ecn", "threshold", "mark"});
    const std::vector<std::pair<std::string, QueueSpec::Kind>> kinds{
        {"drop_tail", QueueSpec::Kind::DROP_TAIL},
        {"fair", QueueSpec::Kind::FAIR},
        {"fq_codel", QueueSpec::Kind::FQ_CODEL},
        {"red", QueueSpec::Kind::RED},
        {"ecn", QueueSpec::Kind::ECN}};
    uint32_t given = 0;
    for (const auto& [key, kind] : kinds)
    {
        if (const auto size = field.Get(key))
        {
            queue.kind = kind;
            queue.bytes = size.GetSize(0, MAX_QUEUE);
            ++given;
        }
    }
    if (given != 1)
    {
        field.Fail("a size, or a map with one of drop_tail, fair, fq_codel, red, ecn");
    }
    if (const auto threshold = field.Get("threshold"))
    {
        if (queue.kind != QueueSpec::Kind::ECN)
        {
            threshold.FailWith("found beside another queue than ecn; accepted: {ecn: SIZE, "
                               "threshold: SIZE}");
        }
        queue.threshold = threshold.GetSize(1, MAX_QUEUE);
    }
    else if (queue.kind == QueueSpec::Kind::ECN)
    {
        field.FailWith("found an ecn queue without threshold; accepted: {ecn: SIZE, threshold: "
                       "SIZE}, the size above which packets are marked");
    }
    if (const auto mark = field.Get("mark"))
    {
        if (queue.kind != QueueSpec::Kind::RED && queue.kind != QueueSpec::Kind::FQ_CODEL)
        {
            mark.FailWith("found beside another queue than red or fq_codel; accepted: {red: SIZE, "
                          "mark: true}, {fq_codel: SIZE, mark: true}");
        }
        queue.ecn = mark.GetBool();
    }
    return queue;
}

/// The properties of a link that are among the keys of a map, checked before.
LinkSpec
ReadLink(const YamlField& field)
{
    LinkSpec link;
    if (const auto rate = field.Get("rate"))
    {
        link.rate = rate.GetRate();
    }
    if (const auto delay = field.Get("delay"))
    {
        link.delay = delay.GetTime(Time(0));
    }
    if (const auto queue = field.Get("queue"))
    {
        link.queue = ReadQueue(queue);
    }
    if (const auto mtu = field.Get("mtu"))
    {
        link.mtu = mtu.GetInteger(576, 65535);
    }
    return link;
}

LinkSpec
ReadLinkMap(const YamlField& field)
{
    if (!field)
    {
        return {};
    }
    if (!field.IsMap())
    {
        field.Fail(LINK_KEYS);
    }
    field.CheckKeys({"rate", "delay", "queue", "mtu"});
    return ReadLink(field);
}

ExplicitLinkSpec
ReadExplicitLink(const YamlField& field)
{
    ExplicitLinkSpec spec;
    if (!field.IsMap())
    {
        field.Fail("a map with between: [NODE, NODE] and, if it differs, rate, delay, queue, mtu, "
                   "metric");
    }
    field.CheckKeys({"between", "rate", "delay", "queue", "mtu", "metric"});
    const auto between = field.Get("between");
    const std::string accepted = "the names of two nodes, [NODE, NODE]";
    if (!between)
    {
        field.FailWith("found no key between; accepted: between: " + accepted);
    }
    const auto ends = between.GetItems(accepted);
    if (ends.size() != 2)
    {
        between.Fail(accepted);
    }
    spec.ends = {ends[0].GetString("the name of a node"), ends[1].GetString("the name of a node")};
    spec.link = ReadLink(field);
    if (const auto metric = field.Get("metric"))
    {
        spec.metric = metric.GetInteger(1, MAX_METRIC);
    }
    return spec;
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
    field.CheckKeys({"type", "trunk", "leaves", "spines", "oversubscription", "switches", "links"});
    if (const auto type = field.Get("type"))
    {
        spec.type = type.GetChoice({"star", "dumbbell", "leaf-spine", "explicit"});
    }
    else
    {
        field.FailWith("found no key type; accepted: type: star, dumbbell, leaf-spine or explicit");
    }
    CheckTopologyKeys(field, spec.type);
    spec.trunk = ReadLinkMap(field.Get("trunk"));
    if (const auto leaves = field.Get("leaves"))
    {
        spec.leaves = leaves.GetInteger(1, MAX_SWITCHES);
    }
    if (const auto spines = field.Get("spines"))
    {
        spec.spines = spines.GetInteger(1, MAX_SWITCHES);
    }
    if (spec.type == "leaf-spine" && uint64_t{spec.leaves} * spec.spines > MAX_TRUNKS)
    {
        field.FailWith("found " + std::to_string(spec.leaves) + " leaves and " +
                       std::to_string(spec.spines) + " spines; accepted: at most " +
                       std::to_string(MAX_TRUNKS) + " links between leaves and spines");
    }
    if (const auto ratio = field.Get("oversubscription"))
    {
        spec.oversubscription =
            ratio.GetNumber(MAX_OVERSUBSCRIPTION, "bits of a leaf's hosts per bit of its trunk");
        if (spec.oversubscription <= 0)
        {
            ratio.Fail("a number above 0");
        }
        if (spec.trunk.rate)
        {
            ratio.FailWith("found together with trunk.rate; accepted: one of the two, each gives "
                           "the other");
        }
    }
    if (spec.type != "explicit")
    {
        return spec;
    }
    const auto switches = field.Get("switches");
    for (const auto& name :
         switches ? switches.GetItems("a list of names") : std::vector<YamlField>{})
    {
        spec.switches.push_back(name.GetString("the name of a switch"));
    }
    const auto links = field.Get("links");
    if (!links)
    {
        field.FailWith("found no key links; accepted: links: a list of maps with between: [NODE, "
                       "NODE]");
    }
    for (const auto& link : links.GetItems("a list of maps with between: [NODE, NODE]"))
    {
        spec.links.push_back(ReadExplicitLink(link));
    }
    return spec;
}

/// A variant, or a map.
TcpSpec
ReadTcp(const YamlField& tcp)
{
    TcpSpec spec;
    if (tcp && !tcp.IsMap())
    {
        spec.variant = tcp.GetChoice(TcpVariantNames(), "a map with the key variant");
        spec.delayedAckTimeout = DefaultDelayedAckTimeout(spec.variant);
        return spec;
    }
    if (tcp)
    {
        tcp.CheckKeys(ScenarioKeys("network.tcp"), ScenarioPaths());
    }
    if (const auto field = tcp.Get("variant"))
    {
        spec.delayedAckTimeout = DefaultDelayedAckTimeout(field.GetChoice(TcpVariantNames()));
    }
    ReadKeys(tcp, TcpKeys(), spec);
    return spec;
}

/// Who is connected how: topology, single hosts, who lives with whom.
void
ReadHosts(const YamlField& network, NetworkSpec& spec)
{
    if (const auto field = network.Get("topology"))
    {
        spec.topology = ReadTopology(field);
    }
    if (const auto field = network.Get("hosts"))
    {
        for (const auto& [name, link] : field.GetEntries("a map of links by host"))
        {
            spec.hosts[name] = ReadLinkMap(link);
        }
    }
    if (const auto field = network.Get("colocate"))
    {
        for (const auto& [guest, host] : field.GetEntries("a map of hosts, such as {ps0: worker0}"))
        {
            spec.colocate[guest] = host.GetString("the name of a host");
        }
    }
    if (const auto field = network.Get("extra_hosts"))
    {
        for (const auto& name : field.GetItems("a list of names"))
        {
            spec.extraHosts.push_back(name.GetString("the name of a host"));
        }
    }
}

} // namespace

const Keys<TcpSpec>&
TcpKeys()
{
    static const Keys<TcpSpec> KEYS{
        Key{"variant", &TcpSpec::variant, WordValue(TcpVariantNames()), "congestion control"},
        Key{"sack", &TcpSpec::sack, BoolValue(), "selective acknowledgements"},
        Key{"timestamps",
            &TcpSpec::timestamps,
            BoolValue(),
            "12 bytes of each segment; Linux has them on"},
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
            "what a connection has in flight at most; Linux' grow with the congestion window, up "
            "to 4 MB"},
        Key{"receive_buffer",
            &TcpSpec::receiveBuffer,
            SizeValue(2 * MIN_BUFFER, MAX_TCP_WINDOW),
            "at least twice the send buffer"},
    };
    return KEYS;
}

NetworkSpec
ReadNetworkSection(const YamlField& network)
{
    NetworkSpec spec;
    ReadHosts(network, spec);
    if (const auto field = network.Get("rate"))
    {
        spec.rate = field.GetRate();
    }
    if (const auto field = network.Get("delay"))
    {
        spec.delay = field.GetTime(Time(0));
    }
    if (const auto field = network.Get("mtu"))
    {
        spec.mtu = field.GetInteger(576, 65535);
    }
    if (const auto field = network.Get("queue"))
    {
        spec.queue = ReadQueue(field);
    }
    if (const auto field = network.Get("host_queue"))
    {
        spec.hostQueue = ReadQueue(field);
    }
    spec.tcp = ReadTcp(network.Get("tcp"));
    spec.background = ReadBackground(network.Get("background"));
    return spec;
}

} // namespace dml
} // namespace ns3
