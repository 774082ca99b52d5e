/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-checks.h"

#include "dml-host-layout.h"
#include "dml-host-network-commands.h"

#include "ns3/dml-error.h"
#include "ns3/dml-queue-key.h"
#include "ns3/dml-suggestion.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_HOST_NODES = 64;
constexpr uint64_t MOST_HOST_RATE = 4000000000; //!< bit/s: more than laptops shape exactly
constexpr uint64_t DOUBTFUL_RATE = 1000000000;  //!< bit/s above which it takes an idle machine

/// Longest delay of a link that the host engine leaves out where there is no netem.
const Time LONGEST_IGNORED = MicroSeconds(100);

/// @param rate of a link @return "2500Mbps"
std::string
TextOfRate(const DataRate& rate)
{
    uint64_t number = rate.GetBitRate();
    std::string unit;
    for (const auto* larger : {"k", "M", "G"})
    {
        if (number == 0 || number % 1000 != 0)
        {
            break;
        }
        number /= 1000;
        unit = larger;
    }
    return std::to_string(number) + unit + "bps";
}

/// @param delay of a link @return "250us", rounded
std::string
TextOfDelay(const Time& delay)
{
    return std::to_string(delay.GetMicroSeconds()) + "us";
}

/// @throws KeyError that the host engine does not know a thing of the scenario
[[noreturn]] void
RefuseKey(const std::string& key, const std::string& found, const std::string& accepted)
{
    throw KeyError(key, "found " + found + "; the host engine accepts " + accepted);
}

/// Whatever happens besides the training job.
void
CheckHostTraffic(const NetworkSpec& spec)
{
    if (!spec.background.empty())
    {
        RefuseKey("network.background",
                  spec.background.size() == 1 ? "a flow"
                                              : std::to_string(spec.background.size()) + " flows",
                  "none; the fair-share and packet engines have them");
    }
    if (spec.multipath.IsOn())
    {
        RefuseKey("network.multipath", "several paths", "none; the other engines have them");
    }
    if (spec.local)
    {
        RefuseKey("network.local",
                  "a link within hosts",
                  "none; this machine's loopback devices have their own speed");
    }
    if (const auto key = spec.FindNicsKey(); !key.empty())
    {
        RefuseKey(key,
                  "several network cards of a host",
                  "1; the kernel routes by destination, whichever worker sends");
    }
    if (!spec.faults.empty())
    {
        RefuseKey(spec.faults.front().key,
                  "a fault of links",
                  "none; the fair-share and packet engines have them");
    }
}

/// @param port of a link end @param where its name @param key of the scenario that gives its queue
/// @param abilities of this machine @throws InputError if a queueing discipline is missing
void
CheckQdiscs(const ShapedPort& port,
            const std::string& where,
            const std::string& key,
            const HostAbilities& abilities)
{
    for (const auto& kind : GetQdiscKinds(port))
    {
        if (abilities.qdiscs.count(kind) == 1)
        {
            continue;
        }
        const std::string missing = ", for which this machine's kernel lacks the queueing "
                                    "discipline " +
                                    kind;
        if (kind == "netem")
        {
            RefuseKey("network.delay",
                      TextOfDelay(port.delay) + " on " + where + missing,
                      "delays up to " + TextOfDelay(LONGEST_IGNORED) +
                          " there, which it leaves out");
        }
        if (kind == "fq_codel" || kind == "red")
        {
            const std::string name = kind == "fq_codel"                        ? "fq_codel"
                                     : port.queue.kind == QueueSpec::Kind::ECN ? "ecn"
                                                                               : "red";
            RefuseKey(key,
                      "the queue " + name + " on " + where + missing,
                      "a size or {fair: SIZE} there, such as " +
                          (kind == "fq_codel" ? "{fair: " + std::to_string(port.queue.bytes) + "}"
                                              : std::to_string(port.queue.bytes)));
        }
        throw RunError("the host engine needs the queueing discipline " + kind +
                       ", which this machine's kernel lacks (module sch_" + kind + ")");
    }
}

/// What the kernel's TCP does in its own way.
/// @param largest burst of any port, bytes
/// @param notes to add to
void
NoteTcp(const TcpSpec& tcp, uint32_t largest, std::vector<std::string>& notes)
{
    const TcpSpec standard = tcp.IsPlain() ? PlainTcp() : TcpSpec();
    if (tcp.sendBuffer != standard.sendBuffer || tcp.receiveBuffer != standard.receiveBuffer)
    {
        notes.emplace_back("network.tcp.send_buffer, receive_buffer: ignored, the kernel tunes its "
                           "buffers");
    }
    if (tcp.delayedAckTimeout != standard.delayedAckTimeout)
    {
        notes.emplace_back("network.tcp.delayed_ack: ignored, the kernel's is 40 ms or more");
    }
    if (!tcp.IsPlain() && tcp.gso && largest > *tcp.gso)
    {
        notes.emplace_back("network.tcp.gso: bursts have up to " + std::to_string(largest) +
                           " B, the least that the kernel accepts");
    }
}

} // namespace

Time
GetAddedDelay(const Time& delay)
{
    return delay > LONGEST_IGNORED ? delay : Time(0);
}

std::vector<std::string>
CheckHostNetwork(const ClusterNetwork& network,
                 const NetworkSpec& spec,
                 const HostAbilities& abilities)
{
    std::vector<std::string> notes;
    if (network.GetNodes().size() > MOST_HOST_NODES)
    {
        RefuseKey("network.topology",
                  std::to_string(network.GetNodes().size()) + " hosts and switches",
                  "at most " + std::to_string(MOST_HOST_NODES));
    }
    CheckHostTraffic(spec);
    if (!abilities.canForward)
    {
        throw RunError("the host engine needs to write /proc/sys/net of its network namespaces, "
                       "which this system forbids: in a container, run it with --privileged");
    }
    const HostLayout layout(network);
    Time longest;
    uint32_t largestBurst = 0;
    bool isFast = false;
    bool isFair = false;
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        const NetworkLink& both = network.GetLinks()[link / 2];
        const std::string where = network.GetName(link);
        const QueueSpec& queue = both.queues[link % 2];
        const std::string key = FindQueueKey(spec, network, link);
        if (queue.kind == QueueSpec::Kind::SHARED)
        {
            RefuseKey(key,
                      "a shared buffer on " + where + ", which the kernel's queues do not have",
                      "a size, or a map with another kind; the other engines have it");
        }
        if (queue.own)
        {
            RefuseKey(key,
                      "a queue of class " + queue.own->name + " on " + where +
                          ", which the kernel does not have",
                      std::string("a size, or a map with another kind; the ") +
                          (queue.isModelled ? "other engines have it" : "packet engine has it"));
        }
        const ShapedPort port = MakePort(layout, link, spec.tcp);
        const DataRate& rate = network.GetRate(link);
        if (rate.GetBitRate() > MOST_HOST_RATE || rate.GetBitRate() < 1000000)
        {
            RefuseKey("network.rate", TextOfRate(rate) + " on " + where, "1Mbps to 4Gbps");
        }
        CheckQdiscs(port, where, key, abilities);
        largestBurst = std::max(largestBurst, port.gso);
        isFast = isFast || rate.GetBitRate() > DOUBTFUL_RATE;
        isFair = isFair || (port.queue.kind == QueueSpec::Kind::FAIR && port.queue.bytes > 0);
        longest = std::max(longest, port.delay.IsZero() ? both.delay : Time(0));
    }
    if (isFast)
    {
        notes.emplace_back("network.rate: links above 1 Gbit/s take an idle machine with several "
                           "cores");
    }
    if (longest.IsStrictlyPositive())
    {
        notes.emplace_back("network.delay: " + TextOfDelay(longest) +
                           " is left out; links of this machine have a delay of their own of some "
                           "10 us");
    }
    if (isFair)
    {
        notes.emplace_back("network.queue: a fair queue has its size for each pair of hosts, not "
                           "for all together");
    }
    NoteTcp(spec.tcp, largestBurst, notes);
    return notes;
}

std::string
ChooseCongestionControl(const std::string& key,
                        const std::string& variant,
                        const HostAbilities& abilities,
                        std::vector<std::string>& notes)
{
    const bool isReno = variant == "linux-reno" || variant == "new-reno";
    const std::string wanted = isReno ? "reno" : variant;
    if (abilities.congestionControl.count(wanted) == 1)
    {
        if (variant == "new-reno")
        {
            notes.emplace_back(key + ": new-reno is the kernel's reno");
        }
        return wanted;
    }
    const std::string chosen = abilities.congestionControl.count("cubic") == 1 ? "cubic" : "reno";
    notes.emplace_back(
        key + ": the run has " + chosen + " instead of " + variant +
        ", which this machine's kernel lacks; it has " +
        JoinWords({abilities.congestionControl.begin(), abilities.congestionControl.end()}));
    return chosen;
}

} // namespace ns3::dml
