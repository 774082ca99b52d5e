/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What queues need: room for what comes at once, and in shared memories for all ports together.

#include "dml-congestion-keys.h"
#include "dml-scenario-checks.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-gso-size.h"
#include "ns3/dml-queue-key.h"
#include "ns3/dml-shared-buffer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/core.h>
#include <string>

namespace ns3::dml
{

namespace
{

/// Bytes beside the payload of a frame on the link (Ethernet header and checksum).
constexpr uint64_t FRAME_OVERHEAD = 18;

/// @return packets of the largest burst that a host sends
uint64_t
GetLargestBurst(const TcpSpec& tcp, const ClusterNetwork& network)
{
    uint32_t bytes = 0;
    for (const auto& link : network.GetLinks())
    {
        for (const DataRate& rate : link.rates)
        {
            bytes = std::max(bytes, link.resident.empty() ? GetGsoSize(tcp, rate) : 0);
        }
    }
    const uint32_t segment = GetWireFormat(network.GetSmallestMtu(), tcp.timestamps).segment;
    return std::max<uint64_t>(1, (bytes + segment - 1) / segment);
}

/// @param burst packets that come at once where whole bursts are taken @return bytes that a queue
/// of a link needs room for
uint64_t
GetLeast(const NetworkLink& link, const QueueSpec& queue, uint64_t burst)
{
    return (link.mtu + FRAME_OVERHEAD) * (queue.wholeBursts ? burst : 1);
}

/// @return whether a queue has room for what comes at once, and for its threshold
bool
IsQueueFine(const QueueSpec& queue, uint64_t least)
{
    const double room = GetLargestContent(queue);
    return queue.bytes == 0 ||
           (room >= static_cast<double>(least) && static_cast<double>(queue.threshold) < room);
}

/// @return "one packet, 1518 bytes (network.mtu and 18)", or a burst, which a queue has room for
std::string
DescribeLeast(const QueueSpec& queue, uint64_t least)
{
    return queue.wholeBursts
               ? fmt::format("one burst of network.tcp.gso, {} bytes with headers", least)
               : fmt::format("one packet, {} bytes (network.mtu and {})", least, FRAME_OVERHEAD);
}

[[noreturn]] void
RefuseQueue(const Scenario& scenario,
            const std::string& key,
            const QueueSpec& queue,
            uint64_t least)
{
    const double room = GetLargestContent(queue);
    if (room < static_cast<double>(least))
    {
        const bool shares = queue.kind == QueueSpec::Kind::SHARED;
        throw ScenarioError(
            scenario,
            key,
            shares
                ? fmt::format("{} shared bytes and alpha {:.6g}, of which a port may hold {:.0f}",
                              queue.bytes,
                              queue.alpha,
                              std::floor(room))
                : QuoteNumber(queue.bytes),
            "at least " + DescribeLeast(queue, least) +
                (shares ? " for each port" : ", or 0 for a queue that never drops"));
    }
    throw ScenarioError(scenario,
                        key,
                        fmt::format("a threshold of {} bytes", queue.threshold),
                        fmt::format("less than the queue, {:.0f} bytes", std::floor(room)));
}

/// @return whether what a port takes or drops is a whole burst, if it ever drops
bool
TakesTrains(const QueueSpec& queue)
{
    return !queue.own &&
           ((queue.kind == QueueSpec::Kind::DROP_TAIL && (queue.wholeBursts || queue.bytes == 0)) ||
            (queue.kind == QueueSpec::Kind::SHARED && queue.wholeBursts) ||
            (queue.kind == QueueSpec::Kind::FAIR && queue.bytes == 0));
}

/// @return whether a connection has BBR
bool
HasBbr(const Scenario& scenario)
{
    const auto keys = ListCongestionKeys(scenario);
    return std::any_of(keys.begin(), keys.end(), [](const CongestionKey& chosen) {
        return IsBbr(chosen.control);
    });
}

/// Trains must be what the hosts send, and be lost as a whole if at all.
void
CheckTrains(const Scenario& scenario, const ClusterNetwork& network)
{
    const NetworkSpec& spec = scenario.network;
    if (!spec.tcp.trains)
    {
        return;
    }
    const std::string beside = " beside network.tcp.trains";
    if (HasBbr(scenario) || !spec.tcp.sack || spec.tcp.gso == uint64_t{0})
    {
        throw ScenarioError(
            scenario,
            "network.tcp.trains",
            "true beside gso: 0B (as in transport plain and ideal), sack: false or bbr",
            "false, or bursts, sack and another variant");
    }
    for (DirectedLink port = 0; port < network.GetDirectedLinks(); ++port)
    {
        if (!TakesTrains(network.GetLinks()[port / 2].queues[port % 2]))
        {
            throw ScenarioError(scenario,
                                FindQueueKey(spec, network, port),
                                "a queue that drops or marks single packets" + beside,
                                "{drop_tail: SIZE, whole_bursts: true}, the same with shared, 0B "
                                "or {fair: 0B}");
        }
    }
    for (const auto& fault : spec.faults)
    {
        if (fault.kind == FaultSpec::Kind::LOSS)
        {
            throw ScenarioError(scenario, fault.key, "random losses" + beside, "trains: false");
        }
    }
}

/// What ports share is that of a switch, and leaves each of them enough when all are full.
/// @param burst packets that come at once where whole bursts are taken
void
CheckSharedBuffers(const Scenario& scenario, const ClusterNetwork& network, uint64_t burst)
{
    const NetworkSpec& spec = scenario.network;
    for (const auto& buffer : FindSharedBuffers(network))
    {
        double sum = 0;
        for (const DirectedLink port : buffer.ports)
        {
            sum += network.GetLinks()[port / 2].queues[port % 2].alpha;
        }
        for (const DirectedLink port : buffer.ports)
        {
            const NetworkLink& link = network.GetLinks()[port / 2];
            const QueueSpec& queue = link.queues[port % 2];
            const std::string key = FindQueueKey(spec, network, port);
            const uint64_t least = GetLeast(link, queue, burst);
            const double room = GetSteadyLimit(static_cast<double>(buffer.bytes), queue.alpha, sum);
            if (room < static_cast<double>(least))
            {
                throw ScenarioError(
                    scenario,
                    key,
                    fmt::format("{} shared bytes and alpha {:.6g}, of which {} holds {:.0f} when "
                                "all {} ports of {} that share them are full",
                                queue.bytes,
                                queue.alpha,
                                network.GetName(port),
                                std::floor(room),
                                buffer.ports.size(),
                                network.GetNodes()[buffer.node].name),
                    "at least " + DescribeLeast(queue, least) + " then");
            }
            if (scenario.packet.fastForward.on)
            {
                throw ScenarioError(scenario,
                                    key,
                                    "a shared buffer beside packet.fast_forward",
                                    "packet.fast_forward: false with it");
            }
        }
    }
}

} // namespace

void
CheckQueues(const Scenario& scenario, const ClusterNetwork& network)
{
    const NetworkSpec& spec = scenario.network;
    const uint64_t burst = GetLargestBurst(spec.tcp, network);
    for (DirectedLink port = 0; port < network.GetDirectedLinks(); ++port)
    {
        const NetworkLink& link = network.GetLinks()[port / 2];
        const QueueSpec& queue = link.queues[port % 2];
        const uint64_t least = GetLeast(link, queue, burst);
        if (!IsQueueFine(queue, least))
        {
            RefuseQueue(scenario, FindQueueKey(spec, network, port), queue, least);
        }
        if (queue.own && scenario.packet.fastForward.on)
        {
            throw ScenarioError(scenario,
                                FindQueueKey(spec, network, port),
                                "a queue of class " + queue.own->name +
                                    " beside packet.fast_forward",
                                "packet.fast_forward: false with it");
        }
    }
    CheckSharedBuffers(scenario, network, burst);
    CheckTrains(scenario, network);
}

} // namespace ns3::dml
