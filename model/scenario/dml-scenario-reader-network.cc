/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-scenario-reader-network.h"

#include "dml-scenario-reader-keys.h"
#include "dml-tcp-variants.h"

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
constexpr uint64_t MAX_RATE = 10000000000000; // bit/s: a small packet takes a nanosecond no more
const std::string LINK_KEYS = "a map with rate, delay, queue, mtu";

DataRate
ReadRate(const YamlField& field)
{
    const DataRate rate = field.GetRate();
    if (rate.GetBitRate() > MAX_RATE)
    {
        field.Fail("a rate of at most 10000Gbps");
    }
    return rate;
}

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
        link.rate = ReadRate(rate);
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
        spec.oversubscription = ratio.GetNumber(MAX_OVERSUBSCRIPTION, "bits of a leaf's hosts per bit of its trunk");
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
    for (const auto& name : switches ? switches.GetItems("a list of names")
                                     : std::vector<YamlField>{})
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
        spec.variant = field.GetChoice(TcpVariantNames());
        spec.delayedAckTimeout = DefaultDelayedAckTimeout(spec.variant);
    }
    if (const auto field = tcp.Get("sack"))
    {
        spec.sack = field.GetBool();
    }
    if (const auto field = tcp.Get("timestamps"))
    {
        spec.timestamps = field.GetBool();
    }
    if (const auto field = tcp.Get("min_rto"))
    {
        spec.minRto = field.GetTime(MilliSeconds(1));
    }
    if (const auto field = tcp.Get("delayed_ack_timeout"))
    {
        spec.delayedAckTimeout = field.GetTime(Time(0));
    }
    if (const auto field = tcp.Get("initial_window"))
    {
        spec.initialWindow = field.GetInteger(1, MAX_INITIAL_WINDOW);
    }
    if (const auto field = tcp.Get("send_buffer"))
    {
        spec.sendBuffer = field.GetSize(MIN_BUFFER, MAX_TCP_WINDOW / 2);
    }
    if (const auto field = tcp.Get("receive_buffer"))
    {
        spec.receiveBuffer = field.GetSize(2 * MIN_BUFFER, MAX_TCP_WINDOW);
    }
    return spec;
}

BackgroundSpec
ReadBackground(const YamlField& field)
{
    const std::string forms = "{from: HOST, to: HOST} with rate: RATE (constant), with rate, on "
                              "and off (on/off), or with bytes: SIZE or bulk: true (TCP)";
    if (!field.IsMap())
    {
        field.Fail(forms);
    }
    field.CheckKeys({"from", "to", "rate", "on", "off", "exponential", "bytes", "bulk", "start",
                     "stop"});
    BackgroundSpec flow;
    for (const auto& [key, name] : {std::pair{"from", &flow.from}, std::pair{"to", &flow.to}})
    {
        const auto host = field.Get(key);
        if (!host)
        {
            field.FailWith(std::string("found no key ") + key + "; accepted: " + forms);
        }
        *name = host.GetString("the name of a host");
    }
    const auto bulk = field.Get("bulk");
    const bool isBulk = (bulk && bulk.GetBool()) || field.Get("bytes");
    if (bulk && !bulk.GetBool() && isBulk)
    {
        bulk.FailWith("found false beside bytes, which only bulk has; accepted: true, or no bulk");
    }
    if (isBulk == bool(field.Get("rate")))
    {
        field.FailWith("found " + std::string(isBulk ? "both rate and bulk or bytes" : "no rate") +
                       "; accepted: " + forms);
    }
    if (isBulk)
    {
        flow.kind = BackgroundSpec::Kind::BULK;
        if (const auto bytes = field.Get("bytes"))
        {
            flow.bytes = bytes.GetSize(1, std::numeric_limits<int64_t>::max());
        }
    }
    else
    {
        flow.rate = ReadRate(field.Get("rate"));
    }
    const auto on = field.Get("on");
    const auto off = field.Get("off");
    if (bool(on) != bool(off) || (on && isBulk))
    {
        (on ? on : off).FailWith("found alone, or with bulk; accepted: on and off together, with "
                                 "rate");
    }
    if (on)
    {
        flow.kind = BackgroundSpec::Kind::ON_OFF;
        flow.on = on.GetTime(MicroSeconds(1));
        flow.off = off.GetTime(MicroSeconds(1));
    }
    if (const auto exponential = field.Get("exponential"))
    {
        if (flow.kind != BackgroundSpec::Kind::ON_OFF)
        {
            exponential.FailWith("found without on and off; accepted: beside on and off");
        }
        flow.exponential = exponential.GetBool();
    }
    if (const auto start = field.Get("start"))
    {
        flow.start = start.GetTime(Time(0));
    }
    if (const auto stop = field.Get("stop"))
    {
        flow.stop = stop.GetTime(Time(0));
        if (flow.stop <= flow.start)
        {
            stop.Fail("a time after start");
        }
    }
    return flow;
}

FaultSpec
ReadFault(const YamlField& field)
{
    const std::string forms = "{loss: PROBABILITY} or {down: DURATION, at: TIME}, with link: HOST "
                              "or link: [NODE, NODE]";
    if (!field.IsMap())
    {
        field.Fail(forms);
    }
    field.CheckKeys({"loss", "down", "at", "link"});
    FaultSpec fault;
    const auto loss = field.Get("loss");
    const auto down = field.Get("down");
    if (bool(loss) == bool(down))
    {
        field.FailWith("found " + std::string(loss ? "both loss and down" : "neither loss nor down") +
                       "; accepted: " + forms);
    }
    if (loss)
    {
        fault.probability = loss.GetNumber(1, "losses per packet");
    }
    else
    {
        fault.kind = FaultSpec::Kind::DOWN;
        fault.duration = down.GetTime(MicroSeconds(1));
    }
    if (const auto at = field.Get("at"))
    {
        if (loss)
        {
            at.FailWith("found beside loss, which lasts for the whole run; accepted: beside down");
        }
        fault.start = at.GetTime(Time(0));
    }
    if (const auto link = field.Get("link"))
    {
        const std::string accepted = "a host, or two nodes with a link between them";
        if (!link.IsList())
        {
            fault.link.push_back(link.GetString(accepted));
        }
        else
        {
            for (const auto& node : link.GetItems(accepted))
            {
                fault.link.push_back(node.GetString(accepted));
            }
            if (fault.link.size() != 2)
            {
                link.Fail(accepted);
            }
        }
    }
    return fault;
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
        for (const auto& [guest, host] :
             field.GetEntries("a map of hosts, such as {ps0: worker0}"))
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

NetworkSpec
ReadNetworkSection(const YamlField& network)
{
    NetworkSpec spec;
    ReadHosts(network, spec);
    if (const auto field = network.Get("rate"))
    {
        spec.rate = ReadRate(field);
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
    if (const auto field = network.Get("background"))
    {
        for (const auto& flow : field.GetItems("a list of flows"))
        {
            spec.background.push_back(ReadBackground(flow));
        }
    }
    return spec;
}

std::vector<FaultSpec>
ReadFaults(const YamlField& faults)
{
    std::vector<FaultSpec> specs;
    for (const auto& fault : faults ? faults.GetItems("a list of faults")
                                    : std::vector<YamlField>{})
    {
        specs.push_back(ReadFault(fault));
    }
    return specs;
}

} // namespace dml
} // namespace ns3
