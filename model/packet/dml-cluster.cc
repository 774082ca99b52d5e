/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-cluster.h"

#include "dml-burst-queue.h"
#include "dml-contention-queue.h"
#include "dml-host-routing.h"
#include "dml-local-link.h"
#include "dml-multipath-routing.h"
#include "dml-ns3-compat.h"
#include "dml-port-queue.h"
#include "dml-train-queue.h"

#include "ns3/boolean.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-gso-size.h"
#include "ns3/dml-host-sockets.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/dml-modelled-queue-disc.h"
#include "ns3/dml-repeatable-error.h"
#include "ns3/double.h"
#include "ns3/fq-codel-queue-disc.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/net-device-queue-interface.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/queue.h"
#include "ns3/red-queue-disc.h"
#include "ns3/string.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr uint16_t LARGEST_MTU = 65535;      //!< of IPv4
constexpr int64_t ROUTING_STREAMS = 1700000; //!< first random stream of the nodes' routing

QueueSize
SizeOf(const QueueSpec& queue)
{
    const uint64_t bytes = queue.bytes > 0 ? queue.bytes : std::numeric_limits<uint32_t>::max();
    return QueueSize(QueueSizeUnit::BYTES, bytes);
}

/// In packets of full size: ns-3.37's FqCoDel drops everything when its size is one in bytes.
QueueSize
PacketsOf(const QueueSpec& queue, const NetworkLink& link)
{
    const uint64_t packets = std::max<uint64_t>(1, queue.bytes / link.mtu);
    return QueueSize(QueueSizeUnit::PACKETS,
                     queue.bytes > 0 ? packets : std::numeric_limits<uint32_t>::max());
}

/// @param rate at which it is served @return ns-3's queue disc for a queue that is not drop-tail
Ptr<QueueDisc>
MakeQueueDisc(const QueueSpec& queue, const NetworkLink& link, const DataRate& rate)
{
    const bool fair =
        queue.kind == QueueSpec::Kind::FAIR || queue.kind == QueueSpec::Kind::FQ_CODEL;
    ObjectFactory disc(fair ? "ns3::FqCoDelQueueDisc" : "ns3::RedQueueDisc");
    disc.Set("MaxSize", QueueSizeValue(queue.IsFifo() ? SizeOf(queue) : PacketsOf(queue, link)));
    if (queue.kind == QueueSpec::Kind::FAIR)
    {
        // FqCoDel whose CoDel never acts; so many buckets that no two flows share one
        disc.Set("Flows", UintegerValue(1 << 24));
        disc.Set("DropBatchSize", UintegerValue(1));
        disc.Set("Target", StringValue("1000000h"));
        disc.Set("Interval", StringValue("1000000h"));
        return disc.Create<QueueDisc>();
    }
    disc.Set("UseEcn", BooleanValue(queue.Marks()));
    if (fair)
    {
        return disc.Create<QueueDisc>();
    }
    disc.Set("MeanPktSize", UintegerValue(link.mtu));
    disc.Set("LinkBandwidth", DataRateValue(rate));
    disc.Set("LinkDelay", TimeValue(link.delay));
    const bool threshold = queue.threshold > 0;
    // thresholds of zero: the disc derives them from the link (target delay 5 ms)
    disc.Set("MinTh", DoubleValue(threshold ? queue.threshold : 0));
    disc.Set("MaxTh", DoubleValue(threshold ? queue.threshold : 0));
    disc.Set("UseHardDrop", BooleanValue(!queue.Marks()));
    if (threshold)
    {
        disc.Set("QW", DoubleValue(1)); // the queue as it is, not its average
        disc.Set("Gentle", BooleanValue(false));
    }
    return disc.Create<QueueDisc>();
}

/// A connection of a worker or server has been opened.
void
RegisterConnection(Ptr<LocalLink> local, DirectedLink port, Ptr<Socket> socket, uint32_t)
{
    Address address;
    socket->GetSockName(address);
    local->AddConnection(port, InetSocketAddress::ConvertFrom(address).GetPort());
}

} // namespace

Cluster::Cluster(const TcpSpec& tcp, std::shared_ptr<const ClusterNetwork> network)
    : m_tcp(tcp),
      m_congestion{{tcp.GetControl()}, {}, {}},
      m_network(std::move(network)),
      m_paths(*m_network)
{
}

void
Cluster::Create(const RankAssignment& assignment, uint32_t rank)
{
    m_assignment = assignment;
    m_rank = rank;
    Create();
}

void
Cluster::Create()
{
    for (uint32_t node = 0; node < m_network->GetNodes().size(); ++node)
    {
        m_nodes.Add(CreateObject<Node>(m_assignment.GetRank(node)));
    }
    AddLocalLinks();
    InternetStackHelper internet;
    internet.SetRoutingHelper(*MakeRouting());
    internet.SetIpv6StackInstall(false);
    internet.Install(m_nodes);
    for (uint32_t node = 0; node < m_nodes.GetN(); ++node)
    {
        if (!m_network->GetNodes()[node].isSwitch)
        {
            InstallTcp(node);
        }
    }
    for (const uint32_t node : ListAggregators())
    {
        InstallTcp(node);
    }
    MultipathRoutingHelper::AssignStreams(m_nodes, ROUTING_STREAMS);
    for (uint32_t link = 0; link < m_network->GetLinks().size(); ++link)
    {
        if (m_network->IsLocal(2 * link))
        {
            m_devices.resize(m_devices.size() + 2);
            continue;
        }
        Connect(link);
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    AddNicRoutes();
}

void
Cluster::AddNicRoutes()
{
    for (uint32_t index = 0; index < m_network->GetLinks().size(); ++index)
    {
        if (!m_network->GetLinks()[index].nic)
        {
            continue;
        }
        for (const DirectedLink link : {2 * index, 2 * index + 1})
        {
            const auto ipv4 = GetNode(m_network->GetSender(link))->GetObject<Ipv4>();
            const auto routing = DynamicCast<HostRouting>(ipv4->GetRoutingProtocol());
            const uint32_t interface = ipv4->GetInterfaceForDevice(m_devices[link]);
            if (!m_network->GetNodes()[m_network->GetSender(link)].isSwitch)
            {
                routing->AddNic(interface);
                continue;
            }
            const uint32_t subnet = AddressPlan::GetSubnet(index);
            routing->AddNeighbour(Ipv4Address(subnet + 1 + (link ^ 1) % 2), interface);
        }
    }
}

int64_t
Cluster::AssignStreams(int64_t stream)
{
    int64_t used = MultipathRoutingHelper::AssignStreams(m_nodes, stream);
    for (const auto& assign : m_assigns)
    {
        used += assign(stream + used);
    }
    return used;
}

void
Cluster::AddLocalLinks()
{
    const WireFormat format = GetWireFormat(m_network->GetSmallestMtu(), m_tcp.timestamps);
    for (DirectedLink link = 0; link < m_network->GetDirectedLinks(); link += 2)
    {
        const uint32_t host = m_network->GetSender(link);
        if (!m_network->IsLocal(link) || !IsHere(host))
        {
            continue;
        }
        auto local = GetLocalLink(link);
        if (!local)
        {
            local = CreateObject<LocalLink>();
            local->SetAddress(Mac48Address::Allocate());
            m_nodes.Get(host)->AddDevice(local);
        }
        if (m_tcp.trains)
        {
            local->SetTrains(format.segment, format.wire - format.segment);
        }
        const NetworkLink& port = m_network->GetLinks()[link / 2];
        local->AddPort(link, port.rates[0], port.delay, m_paths.GetPlan().GetPort(port.resident));
    }
}

Ptr<LocalLink>
Cluster::GetLocalLink(DirectedLink link) const
{
    const Ptr<Node> host = m_nodes.Get(m_network->GetSender(link));
    // the first device: internet stacks and links come after it
    return host->GetNDevices() > 0 ? DynamicCast<LocalLink>(host->GetDevice(0)) : nullptr;
}

std::set<uint32_t>
Cluster::ListAggregators() const
{
    std::set<uint32_t> nodes;
    for (uint32_t job = 0; job < m_network->GetJobs().size(); ++job)
    {
        const auto& switches = m_network->GetAggregation(job).switches;
        nodes.insert(switches.begin(), switches.end());
    }
    return nodes;
}

std::unique_ptr<Ipv4RoutingHelper>
Cluster::MakeRouting() const
{
    if (m_globalRouting)
    {
        return std::make_unique<Ipv4GlobalRoutingHelper>();
    }
    if (IsMultipath())
    {
        return std::make_unique<MultipathRoutingHelper>(m_network->GetMultipath());
    }
    return std::make_unique<HostRoutingHelper>();
}

void
Cluster::Connect(uint32_t index)
{
    const NetworkLink& link = m_network->GetLinks()[index];
    const bool crossed = m_assignment.IsCrossed(link);
    // without flow control: else a queue disc is installed, and packets vanish in it
    const NetDeviceContainer devices =
        InstallPointToPoint(m_nodes.Get(link.ends[0]),
                            m_nodes.Get(link.ends[1]),
                            link.rates[0],
                            m_tcp.trains ? LARGEST_MTU : link.mtu,
                            crossed ? link.delay - TimeStep(RankAssignment::EARLY) : link.delay);
    for (uint32_t side = 0; side < 2; ++side)
    {
        const auto device = DynamicCast<PointToPointNetDevice>(devices.Get(side));
        m_links[device] = m_devices.size();
        m_devices.push_back(device);
        device->SetDataRate(link.rates[side]);
        InstallQueue(device, link, side);
    }
    const Ipv4Address network(AddressPlan::GetSubnet(index));
    const Ipv4InterfaceContainer interfaces =
        Ipv4AddressHelper(network, "255.255.255.252").Assign(devices);
    for (uint32_t side = 0; side < 2; ++side)
    {
        const auto& [ipv4, interface] = interfaces.Get(side);
        ipv4->SetMetric(interface, link.metrics[side]);
    }
}

void
Cluster::InstallQueue(Ptr<PointToPointNetDevice> device, const NetworkLink& link, uint32_t side)
{
    const QueueSpec& queue = link.queues[side];
    const bool shares = queue.kind == QueueSpec::Kind::SHARED;
    if (queue.own)
    {
        InstallDisc(device, QueueDiscs().Create<QueueDisc>(*queue.own));
        return;
    }
    if (const auto own = MakeDeviceQueue(queue))
    {
        device->SetQueue(own);
        if (shares && queue.DropsTail())
        {
            Share(*own, queue, link.ends[side]);
            return;
        }
    }
    if (queue.kind == QueueSpec::Kind::DROP_TAIL)
    {
        device->GetQueue()->SetMaxSize(SizeOf(queue));
        return;
    }
    const auto disc = MakeQueueDisc(queue, link, link.rates[side]);
    if (shares)
    {
        const auto within = CreateObject<PortQueue<QueueDiscItem>>();
        Share(*within, queue, link.ends[side]);
        disc->AddInternalQueue(within);
    }
    InstallDisc(device, disc);
    if (const auto fair = DynamicCast<FqCoDelQueueDisc>(disc))
    {
        fair->SetQuantum(link.mtu); // not that of the device, which trains need
    }
    if (const auto red = DynamicCast<RedQueueDisc>(disc))
    {
        m_stream += red->AssignStreams(m_stream);
        m_assigns.emplace_back([red](int64_t stream) { return red->AssignStreams(stream); });
    }
}

void
Cluster::InstallDisc(const Ptr<PointToPointNetDevice>& device, const Ptr<QueueDisc>& disc)
{
    // the device holds back the disc when it has a packet to send besides the one on the wire
    device->GetQueue()->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, 1));
    const auto control = CreateObject<NetDeviceQueueInterface>();
    control->GetTxQueue(0)->ConnectQueueTraces(device->GetQueue());
    device->AggregateObject(control);
    device->GetNode()->GetObject<TrafficControlLayer>()->SetRootQueueDiscOnDevice(device, disc);
    if (const auto random = DynamicCast<ModelledQueueDisc>(disc))
    {
        m_portStream += random->AssignStreams(m_portStream);
        m_assigns.emplace_back([random](int64_t stream) { return random->AssignStreams(stream); });
    }
}

template <typename Item>
void
Cluster::Share(PortQueue<Item>& queue, const QueueSpec& spec, uint32_t node)
{
    auto& memory = m_memories[node];
    if (!memory)
    {
        memory = std::make_shared<SwitchMemory>(SwitchMemory{static_cast<double>(spec.bytes)});
    }
    queue.Share(memory, spec.alpha);
}

Ptr<PortQueue<Packet>>
Cluster::MakeDeviceQueue(const QueueSpec& queue)
{
    if (m_tcp.trains)
    {
        const WireFormat format = GetWireFormat(m_network->GetSmallestMtu(), m_tcp.timestamps);
        return CreateObjectWithAttributes<TrainQueue>("SegmentSize",
                                                      UintegerValue(format.segment),
                                                      "HeaderSize",
                                                      UintegerValue(format.wire - format.segment));
    }
    if (queue.wholeBursts)
    {
        return CreateObject<BurstQueue>();
    }
    if (!queue.DropsTail())
    {
        return nullptr;
    }
    if (m_tcp.IsPlain()) // all is ns-3's own, which has no shared memory
    {
        const bool shares = queue.kind == QueueSpec::Kind::SHARED;
        return shares ? CreateObject<PortQueue<Packet>>() : nullptr;
    }
    const auto contended = CreateObject<ContentionQueue>();
    contended->AssignStream(m_portStream++);
    m_assigns.emplace_back([contended](int64_t stream) {
        contended->AssignStream(stream);
        return 1;
    });
    return contended;
}

void
Cluster::InstallTcp(uint32_t host)
{
    const WireFormat format = GetWireFormat(m_network->GetSmallestMtu(), m_tcp.timestamps);
    HostSockets sockets{m_tcp, {}, format.segment, 0, false};
    for (const auto& link : m_network->GetLinks())
    {
        sockets.marks = sockets.marks || link.queues[0].Marks() || link.queues[1].Marks();
        for (uint32_t side = 0; side < 2; ++side)
        {
            if (link.resident.empty() && link.ends[side] == host)
            {
                sockets.burst = std::max(sockets.burst, GetGsoSize(m_tcp, link.rates[side]));
            }
        }
    }
    for (uint32_t i = 0; i < m_congestion.controls.size(); ++i)
    {
        sockets.control = m_congestion.controls[i];
        if (m_congestion.IsUsed(i))
        {
            const auto factory = MakeTcpFactory(sockets, i, m_stream);
            m_nodes.Get(host)->AggregateObject(factory);
            m_assigns.emplace_back(
                [factory](int64_t stream) { return factory->AssignStreams(stream); });
        }
    }
}

void
Cluster::Install(Ptr<StepApplication> application, const std::string& host, uint32_t job) const
{
    const Ptr<Node> node = GetNode(host);
    application->SetAttribute(
        "SocketFactory",
        TypeIdValue(ConfiguredTcpFactory::GetNumberedType(m_congestion.OfJob(job))));
    application->SetAttribute("Port", UintegerValue(m_paths.GetPlan().GetPort(host)));
    node->AddApplication(application);
    const DirectedLink port = m_network->FindLocalPort(host);
    if (port != ClusterNetwork::NO_LINK)
    {
        application->TraceConnectWithoutContext(
            "Connection",
            MakeBoundCallback(&RegisterConnection, GetLocalLink(port), port));
    }
}

void
Cluster::CheckRoute(const std::string& from, const std::string& to) const
{
    CheckPath(m_paths.FindChannel(from, to).forward, m_paths.GetPlan().FindChannel(from, to));
}

void
Cluster::CheckRoute(const BackgroundSpec& flow, uint32_t number) const
{
    const ConnectionPath path = m_paths.FindBackground(flow, number);
    const FiveTuple tuple = m_paths.GetPlan().FindBackground(flow, number);
    CheckPath(path.forward, tuple);
    CheckPath(path.reverse, tuple.Reverse());
}

void
Cluster::CheckPath(const std::vector<DirectedLink>& path, const FiveTuple& tuple) const
{
    if (path.empty() || m_network->IsLocal(path.front()) || m_network->SpreadsConnections())
    {
        return;
    }
    Ipv4Header header;
    header.SetSource(Ipv4Address(tuple.source));
    header.SetDestination(Ipv4Address(tuple.destination));
    header.SetProtocol(tuple.protocol);
    const std::array<uint8_t, 4> ports{static_cast<uint8_t>(tuple.sourcePort >> 8),
                                       static_cast<uint8_t>(tuple.sourcePort),
                                       static_cast<uint8_t>(tuple.destinationPort >> 8),
                                       static_cast<uint8_t>(tuple.destinationPort)};
    for (const DirectedLink expected : path)
    {
        const uint32_t node = m_network->GetSender(expected);
        if (!IsHere(node))
        {
            continue; // ns-3 finds the routes of a rank's own nodes only
        }
        Socket::SocketErrno error = Socket::ERROR_NOTERROR;
        const Ptr<Ipv4Route> route =
            m_nodes.Get(node)->GetObject<Ipv4>()->GetRoutingProtocol()->RouteOutput(
                ns3::Create<Packet>(ports.data(), ports.size()), // not the method
                header,
                nullptr,
                error);
        const auto found = route ? m_links.find(route->GetOutputDevice()) : m_links.end();
        if (found == m_links.end() || found->second != expected)
        {
            throw RepeatableError(
                "the route from " + m_network->GetNodes()[m_network->GetSender(path.front())].name +
                " to " + m_network->GetNodes()[m_network->GetReceiver(path.back())].name +
                " is not unique: ns-3 takes " +
                (found == m_links.end() ? "none" : m_network->GetName(found->second)) +
                " where the fair-share engine takes " + m_network->GetName(expected) +
                "; accepted: metrics on network.topology.links that make one path the "
                "shortest");
        }
    }
}

void
Cluster::EnablePcap(const std::string& prefix) const
{
    PointToPointHelper pcap;
    for (uint32_t link = 0; link < m_devices.size(); ++link)
    {
        const auto& sender = m_network->GetNodes()[m_network->GetSender(link)];
        if (m_devices[link] && !sender.isSwitch && IsHere(m_network->GetSender(link)))
        {
            const bool first = m_network->GetHostLink(m_network->GetSender(link)) == link / 2;
            const auto& nic = m_network->GetLinks()[link / 2].nic;
            const std::string other = nic ? "." + std::to_string(*nic) // as its link is called
                                          : "-" + std::to_string(link / 2);
            pcap.EnablePcap(prefix + "-" + sender.name + (first ? "" : other) + ".pcap",
                            m_devices[link],
                            false,
                            true);
        }
    }
}

bool
Cluster::IsHere(const std::string& host) const
{
    return IsHere(m_network->FindHost(host));
}

InetSocketAddress
Cluster::GetAddress(const std::string& host) const
{
    const AddressPlan& plan = m_paths.GetPlan();
    return InetSocketAddress(Ipv4Address(plan.GetAddress(host)),
                             plan.IsKnown(host) ? plan.GetPort(host) : StepApplication::PORT);
}

PeerAddress
Cluster::FindPeer(const Endpoint& peer, const std::string& host, const std::string& name) const
{
    const AddressPlan& plan = m_paths.GetPlan();
    const ClientPorts theirs = plan.GetClientPorts(name, host);
    PeerAddress address{peer,
                        GetAddress(name),
                        {},
                        plan.GetClientPorts(host, name),
                        theirs.step > 0 ? theirs : ClientPorts{}};
    const bool isLocal = m_network->FindHost(host) == m_network->FindHost(name);
    if (m_network->HasNic(host) && isLocal)
    {
        // what stays on a host comes from the address that it goes to
        address.sources = {GetAddress(host).GetIpv4()};
    }
    else if (m_network->HasNic(host))
    {
        address.device = GetDevice(m_network->FindUplink(host));
    }
    return address;
}

TypeId
Cluster::GetBackgroundTcp(uint32_t flow) const
{
    return ConfiguredTcpFactory::GetNumberedType(m_congestion.OfBackground(flow));
}

uint16_t
Cluster::GetSourcePort(uint32_t flow) const
{
    return IsMultipath() ? AddressPlan::GetSourcePort(flow) : 0;
}

} // namespace ns3::dml
