/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-cluster.h"

#include "dml-shared-room.h"
#include "dml-spread-links.h"

#include "ns3/dml-congestion-choice.h"
#include "ns3/dml-error.h"
#include "ns3/dml-flow-paths.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-gso-size.h"
#include "ns3/dml-link-changes.h"
#include "ns3/dml-queue-key.h"
#include "ns3/dml-rate-solver.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-sharing-policies.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return whether flows wait in order of arrival at any port, and what does not fit is lost
bool
MayDrop(const NetworkSpec& network)
{
    const auto queues = ListSwitchQueues(network);
    return std::any_of(queues.begin(), queues.end(), [](const QueueSpec& queue) {
        return queue.DropsTail();
    });
}

/// @return by link, how many bytes fit into a port of a switch that loses packets, if its memory is
/// its own, else 0; hosts hold theirs back
std::vector<double>
ListDropTail(const ClusterNetwork& cluster)
{
    std::vector<double> dropTail;
    for (DirectedLink way = 0; way < cluster.GetDirectedLinks(); ++way)
    {
        const QueueSpec& queue = cluster.GetLinks()[way / 2].queues[way % 2];
        const bool drops = cluster.GetNodes()[cluster.GetSender(way)].isSwitch &&
                           queue.DropsTail() && queue.kind == QueueSpec::Kind::DROP_TAIL;
        dropTail.push_back(drops ? static_cast<double>(queue.bytes) : 0);
    }
    return dropTail;
}

/// Mean time in which a host of a virtual network acknowledges a burst, for which no card has to
/// wake it: half of them within 13 us, 95 % within 43 us (doc/bursts.rst, Virtual networks).
const Time VIRTUAL_ACK_JITTER = MicroSeconds(15);

/**
 * @return bytes that a port sends at once after a pause. Links of virtual networks are kept at
 * their rate by token buckets: FIFO ports by `tbf`, and fair ones by `htb`, which lets a packet go
 * as long as a token is left (net/sched/sch_htb.c, htb_class_mode())
 */
uint64_t
FindTokenBucket(const NetworkSpec& spec,
                const DataRate& rate,
                uint32_t mtu,
                uint32_t gsoSize,
                bool isFifo)
{
    if (spec.tokenBucket || !spec.IsVirtual())
    {
        return spec.tokenBucket.value_or(0);
    }
    return GetTokenBucket(rate, gsoSize, mtu) + (isFifo ? 0 : gsoSize);
}

/// @return whether it is a port of a switch, or of a local link to who receives
bool
IsSwitchPort(const ClusterNetwork& cluster, DirectedLink way)
{
    return cluster.IsLocal(way) ? way % 2 == 1
                                : cluster.GetNodes()[cluster.GetSender(way)].isSwitch;
}

/// @return ports and hosts, as the packet engine has them
std::shared_ptr<const TcpNetwork>
MakeTcpNetwork(const Scenario& scenario,
               const ClusterNetwork& cluster,
               const WireFormat& format,
               const CongestionChoice& choice)
{
    auto tcp = std::make_shared<TcpNetwork>();
    tcp->tcp = scenario.network.tcp;
    for (const auto& control : choice.controls)
    {
        tcp->variants.push_back(control.name);
    }
    if (!tcp->tcp.ackJitter && scenario.network.IsVirtual())
    {
        tcp->tcp.ackJitter = VIRTUAL_ACK_JITTER;
    }
    tcp->isLinux = scenario.network.transport == "linux";
    tcp->segment = format.segment;
    tcp->header = format.wire - format.segment;
    const double payload = format.framing.payload;
    tcp->framing = (payload + format.framing.header) / payload;
    for (DirectedLink way = 0; way < cluster.GetDirectedLinks(); ++way)
    {
        const NetworkLink& link = cluster.GetLinks()[way / 2];
        const DataRate& rate = cluster.GetRate(way);
        const uint32_t gsoSize = GetGsoSize(tcp->tcp, rate);
        const QueueSpec& queue = link.queues[way % 2];
        tcp->ports.push_back(
            {link.delay.GetSeconds(),
             queue,
             gsoSize,
             IsSwitchPort(cluster, way),
             cluster.IsLocal(way)
                 ? 0
                 : FindTokenBucket(scenario.network, rate, link.mtu, gsoSize, queue.IsFifo()),
             cluster.GetSender(way)});
    }
    return tcp;
}

/// @return which congestion control each job and background flow has
CongestionChoice
ChooseCongestion(const Scenario& scenario)
{
    std::vector<std::optional<PluginSpec>> jobs;
    for (uint32_t job = 0; job <= scenario.otherJobs.size(); ++job)
    {
        jobs.push_back(GetJob(scenario, job).tcp);
    }
    return ChooseCongestion(scenario.network, jobs);
}

/// @return seconds
double
GetRouteDelay(const ClusterNetwork& cluster, const std::vector<DirectedLink>& route)
{
    double delay = 0;
    for (const DirectedLink link : route)
    {
        delay += cluster.GetLinks()[link / 2].delay.GetSeconds();
    }
    return delay;
}

/// @param path from a host to another one @return it, with links that are spread over others
std::vector<LinkId>
Spread(const ClusterNetwork& cluster, const std::vector<DirectedLink>& path, SpreadLinks& spread)
{
    const bool first = cluster.GetLinks()[path.front() / 2].nic.has_value();
    const bool last = cluster.GetLinks()[path.back() / 2].nic.has_value();
    std::vector<LinkId> links;
    if (first) // the network card is given
    {
        links.push_back(path.front());
    }
    const auto between = spread.FindRoute(
        first ? cluster.GetReceiver(path.front()) : cluster.GetSender(path.front()),
        last ? cluster.GetSender(path.back()) : cluster.GetReceiver(path.back()));
    links.insert(links.end(), between.begin(), between.end());
    if (last)
    {
        links.push_back(path.back());
    }
    return links;
}

/// @param path of the flow @param spread where its packets are spread over several; null: nowhere
NetworkFlow
MakeFlow(const Scenario& scenario,
         const ClusterNetwork& cluster,
         const ConnectionPath& path,
         SpreadLinks* spread)
{
    NetworkFlow flow;
    flow.forward = path.forward;
    flow.reverse = path.reverse;
    flow.delay = GetRouteDelay(cluster, flow.forward);
    flow.returnDelay = GetRouteDelay(cluster, flow.reverse);
    if (spread && !path.forward.empty() && !cluster.IsLocal(path.forward.front()))
    {
        flow.forward = Spread(cluster, path.forward, *spread);
        flow.reverse = Spread(cluster, path.reverse, *spread);
    }
    flow.window = scenario.network.tcp.sendBuffer;
    flow.roundTrip = flow.delay + flow.returnDelay;
    if (const auto& given = scenario.fairShare.oneWayDelay)
    {
        flow.delay = flow.forward.empty() ? 0 : given->GetSeconds();
        flow.returnDelay = flow.delay;
    }
    return flow;
}

/// @return delays between the workers of all jobs and who coordinates these
std::vector<CoordinatorDelays>
ListCoordinatorDelays(const ClusterNetwork& cluster)
{
    std::vector<CoordinatorDelays> delays;
    const auto& jobs = cluster.GetJobs();
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const bool served = jobs[job].servers > 0;
        const std::string coordinator = served ? ServerName(job, 0) : WorkerName(job, 0);
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            delays.push_back(FindDelays(cluster, WorkerName(job, worker), coordinator));
        }
    }
    return delays;
}

/// A worker, server or aggregator of one of the jobs.
struct Member
{
    std::string name; //!< of its host
    uint32_t job;     //!< number of its job
};

/// Adds the flows of jobs, and the links of their servers.
void
AddTraining(const Scenario& scenario,
            const ClusterNetwork& cluster,
            const FlowPaths& paths,
            const CongestionChoice& choice,
            SpreadLinks* spread,
            std::vector<JobShape> shapes,
            FlowNetwork& links)
{
    const auto& jobs = cluster.GetJobs();
    const bool known = !shapes.empty();
    std::vector<Member> workers;
    std::vector<Member> servers;
    std::vector<Member> aggregators;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        if (!known)
        {
            shapes.push_back({jobs[job]});
        }
        for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
        {
            workers.push_back({WorkerName(job, worker), job});
        }
        for (uint32_t server = 0; server < jobs[job].servers; ++server)
        {
            servers.push_back({ServerName(job, server), job});
            const DirectedLink out = cluster.FindUplink(servers.back().name);
            const Endpoint endpoint{Role::SERVER, server};
            links.serverLinks.push_back({{endpoint, AccessLink::Way::OUT}, out, job});
            links.serverLinks.push_back({{endpoint, AccessLink::Way::IN}, out ^ 1, job});
        }
        for (uint32_t aggregator = 0; aggregator < jobs[job].aggregators; ++aggregator)
        {
            aggregators.push_back({cluster.GetAggregatorName(job, aggregator), job});
        }
    }
    links.training = ListTrainingFlows(shapes);
    const auto find = [&](const Endpoint& endpoint) -> const Member& {
        return (endpoint.role == Role::SERVER   ? servers
                : endpoint.role == Role::WORKER ? workers
                                                : aggregators)[endpoint.index];
    };
    for (const auto& channel : links.training)
    {
        const Member& from = find(channel.from);
        const ConnectionPath path = paths.FindChannel(from.name, find(channel.to).name);
        links.flows.push_back(MakeFlow(scenario, cluster, path, spread));
        links.flows.back().control = choice.OfJob(from.job);
    }
}

/// @param format of a full packet
/// @return a flow of datagrams as the tensor bytes that would take the same time
BackgroundFlow
MakeBackground(const Scenario& scenario,
               const ClusterNetwork& cluster,
               const WireFormat& format,
               uint32_t index)
{
    constexpr double DATAGRAM_OVERHEAD = 28; // IPv4 and UDP
    constexpr double LINK_OVERHEAD = 2;      // PPP
    BackgroundFlow flow =
        MakeBackgroundFlow(scenario.network.background[index], index, scenario.seed, 0);
    if (flow.rate > 0)
    {
        const double mtu = cluster.GetSmallestMtu();
        const double wire = flow.rate * (mtu + LINK_OVERHEAD) / (mtu - DATAGRAM_OVERHEAD);
        flow.rate = GetGoodput(DataRate(static_cast<uint64_t>(8 * wire)), format);
    }
    return flow;
}

/// @throws KeyError if one of several links that are one changes its rate
void
CheckForSpread(const SpreadLinks& spreading, const ClusterNetwork& cluster, DirectedLink link)
{
    if (spreading.IsSpread(link))
    {
        throw KeyError("network.multipath",
                       "found " + cluster.GetMultipath().policy + " beside a fault of " +
                           cluster.GetName(link) +
                           ", one of several links that packets are spread over, which the "
                           "fair-share engine cannot express; accepted: ecmp, or --engine=packet");
    }
}

/// @return how packets of a connection use its paths, where there are several
std::optional<MultipathPolicy::Spread>
GetSpread(const ClusterNetwork& cluster)
{
    const auto& policy = cluster.GetPathPolicy();
    return policy ? std::optional(policy->GetSpread()) : std::nullopt;
}

/// @throws KeyError if paths are chosen as no rule can express
void
CheckPaths(const ClusterNetwork& cluster)
{
    if (GetSpread(cluster) == MultipathPolicy::Spread::OTHERWISE)
    {
        throw KeyError("network.multipath",
                       "found " + cluster.GetMultipath().policy +
                           ", which only the packet engine knows; accepted: none or ecmp, "
                           "or --engine=packet");
    }
}

/// @throws KeyError if nothing is known that stands for the queue of a port
void
CheckOwnQueues(const NetworkSpec& spec, const ClusterNetwork& cluster)
{
    for (DirectedLink port = 0; port < cluster.GetDirectedLinks(); ++port)
    {
        const QueueSpec& queue = cluster.GetLinks()[port / 2].queues[port % 2];
        if (queue.own && !queue.isModelled)
        {
            throw KeyError(FindQueueKey(spec, cluster, port),
                           "found class " + queue.own->name +
                               ", of which nothing says what stands for it where there are no "
                               "packets; accepted: a class that derives from "
                               "ns3::dml::ModelledQueueDisc, or --engine=packet");
        }
    }
}

} // namespace

CoordinatorDelays
FindDelays(const ClusterNetwork& cluster, const std::string& host, const std::string& coordinator)
{
    return {GetRouteDelay(cluster, cluster.FindRoute(host, coordinator)),
            GetRouteDelay(cluster, cluster.FindRoute(coordinator, host))};
}

SharingRule
GetSharingRule(const Scenario& scenario, const std::vector<JobSize>& jobs)
{
    const NetworkSpec& spec = scenario.network;
    const std::string& name = scenario.fairShare.sharing;
    if (name != "auto")
    {
        return SharingPolicies().HasName(name) ? SharingRuleFromString(name) : SharingRule::OWN;
    }
    if (spec.transport == "linux" && MayDrop(spec))
    {
        return SharingRule::DROP_TAIL;
    }
    const bool plain = spec.topology.type == "star" && spec.hosts.empty() &&
                       spec.colocate.empty() && spec.background.empty() && spec.faults.empty();
    return plain && jobs.size() == 1 && jobs.front().servers == 1 &&
                   !jobs.front().workersPerHost.AreShared()
               ? SharingRule::EQUAL
               : SharingRule::MAX_MIN;
}

void
CheckBurstPaths(const ClusterNetwork& cluster, const FairShareNetwork& network)
{
    if (network.links.capacities.size() > cluster.GetDirectedLinks())
    {
        throw SharingError("bursts",
                           "network.multipath " + cluster.GetMultipath().policy,
                           "none or ecmp, which keep bursts of a connection in order");
    }
}

FairShareNetwork
MakeFairShareNetwork(const Scenario& scenario,
                     const ClusterNetwork& cluster,
                     std::vector<JobShape> shapes)
{
    CheckPaths(cluster);
    CheckOwnQueues(scenario.network, cluster);
    const WireFormat format = GetWireFormat(cluster.GetSmallestMtu(),
                                            scenario.network.tcp.timestamps,
                                            GetMessageFraming(scenario.transfer));
    FairShareNetwork network;
    network.rule = GetSharingRule(scenario, cluster.GetJobs());
    network.ownRule = {scenario.fairShare.sharing, scenario.fairShare.sharingAttributes};
    network.seed = scenario.seed;
    for (DirectedLink way = 0; way < cluster.GetDirectedLinks(); ++way)
    {
        network.links.capacities.push_back(GetGoodput(cluster.GetRate(way), format));
    }
    network.links.dropTail = ListDropTail(cluster);
    const CongestionChoice choice = ChooseCongestion(scenario);
    network.tcp = MakeTcpNetwork(scenario, cluster, format, choice);
    const FlowPaths paths(cluster);
    SpreadLinks spreading(cluster, paths.GetEqual(), network.links);
    SpreadLinks* const spread =
        GetSpread(cluster) == MultipathPolicy::Spread::EVENLY ? &spreading : nullptr;
    AddTraining(scenario, cluster, paths, choice, spread, std::move(shapes), network.links);
    network.links.delaysRequests = !scenario.fairShare.oneWayDelay;
    network.links.coordinators = ListCoordinatorDelays(cluster);
    for (uint32_t i = 0; i < scenario.network.background.size(); ++i)
    {
        const BackgroundSpec& spec = scenario.network.background[i];
        network.background.push_back(MakeBackground(scenario, cluster, format, i));
        network.links.flows.push_back(
            MakeFlow(scenario, cluster, paths.FindBackground(spec, i), spread));
        network.links.flows.back().control = choice.OfBackground(i);
    }
    SetSharedRoom(cluster, network.links);
    for (const auto& change : ListLinkChanges(cluster, scenario.network.faults))
    {
        CheckForSpread(spreading, cluster, change.link);
        network.changes.push_back({change.time.GetSeconds(),
                                   change.link,
                                   change.down ? 0.0 : GetGoodput(change.rate, format)});
    }
    if (network.rule == SharingRule::BURSTS)
    {
        CheckBurstPaths(cluster, network);
    }
    return network;
}

void
SetReplication(uint32_t replication, FairShareNetwork& network)
{
    network.replication = replication;
    for (auto& flow : network.background)
    {
        flow.replication = replication;
    }
}

} // namespace ns3::dml
