/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-star-cluster-helper.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/dml-goodput.h"
#include "ns3/dml-tcp-variants.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-interface-container.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/queue-size.h"
#include "ns3/queue.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

/// A queue that never drops.
const QueueSize BOUNDLESS(QueueSizeUnit::BYTES, std::numeric_limits<uint32_t>::max());

void
SetQueue(Ptr<NetDevice> device, const QueueSize& size)
{
    DynamicCast<PointToPointNetDevice>(device)->GetQueue()->SetMaxSize(size);
}

} // namespace

StarClusterHelper::StarClusterHelper(const NetworkSpec& network)
    : m_network(network)
{
}

void
StarClusterHelper::Create(uint32_t workers, uint32_t servers)
{
    m_switch = CreateObject<Node>();
    m_servers.Create(servers);
    m_workers.Create(workers);

    InternetStackHelper internet;
    internet.SetRoutingHelper(Ipv4StaticRoutingHelper());
    internet.SetIpv6StackInstall(false);
    internet.Install(m_switch);
    internet.Install(m_servers);
    internet.Install(m_workers);

    uint32_t subnet = 0;
    for (auto node = m_servers.Begin(); node != m_servers.End(); ++node)
    {
        m_serverAddresses.push_back(Connect(*node, subnet++));
    }
    for (auto node = m_workers.Begin(); node != m_workers.End(); ++node)
    {
        m_workerAddresses.push_back(Connect(*node, subnet++));
    }
}

Ipv4Address
StarClusterHelper::Connect(Ptr<Node> host, uint32_t subnet)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(m_network.rate));
    link.SetDeviceAttribute("Mtu", UintegerValue(m_network.mtu));
    link.SetChannelAttribute("Delay", TimeValue(m_network.delay));
    link.DisableFlowControl(); // else a queue disc is installed, and packets vanish in it
    const NetDeviceContainer devices = link.Install(host, m_switch);
    SetQueue(devices.Get(0), BOUNDLESS);
    SetQueue(devices.Get(1),
             m_network.queue == 0 ? BOUNDLESS
                                  : QueueSize(QueueSizeUnit::BYTES, m_network.queue));
    m_hostDevices.push_back(DynamicCast<PointToPointNetDevice>(devices.Get(0)));
    m_switchPorts.push_back(DynamicCast<PointToPointNetDevice>(devices.Get(1)));

    // subnets of four addresses: 10.0.0.0/30, 10.0.0.4/30, ...
    const Ipv4Address network(Ipv4Address("10.0.0.0").Get() + 4 * subnet);
    Ipv4AddressHelper addresses(network, "255.255.255.252");
    const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
    const Ptr<Ipv4> ipv4 = host->GetObject<Ipv4>();
    Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->SetDefaultRoute(interfaces.GetAddress(1),
                                                                      interfaces.Get(0).second);
    return interfaces.GetAddress(0);
}

void
StarClusterHelper::Install(Ptr<StepApplication> application, Ptr<Node> node) const
{
    const TcpSpec& tcp = m_network.tcp;
    node->GetObject<TcpL4Protocol>()->SetAttribute(
        "SocketType",
        TypeIdValue(TypeId::LookupByName(TcpVariantTypeId(tcp.variant))));
    application->SetSocketAttribute("SegmentSize",
                                    UintegerValue(GetWireFormat(m_network).segment));
    application->SetSocketAttribute("SndBufSize", UintegerValue(tcp.sendBuffer));
    application->SetSocketAttribute("RcvBufSize", UintegerValue(tcp.receiveBuffer));
    application->SetSocketAttribute("InitialCwnd", UintegerValue(tcp.initialWindow));
    // as often as Linux (tcp_retries2), where ns-3 gives up after 6
    application->SetSocketAttribute("DataRetries", UintegerValue(15));
    application->SetSocketAttribute("DelAckTimeout", TimeValue(tcp.delayedAckTimeout));
    application->SetSocketAttribute("MinRto", TimeValue(tcp.minRto));
    application->SetSocketAttribute("Sack", BooleanValue(tcp.sack));
    application->SetSocketAttribute("Timestamp", BooleanValue(tcp.timestamps));
    application->SetSocketAttribute("TcpNoDelay", BooleanValue(true));
    node->AddApplication(application);
}

void
StarClusterHelper::EnablePcap(const std::string& prefix) const
{
    PointToPointHelper pcap;
    for (uint32_t i = 0; i < m_hostDevices.size(); ++i)
    {
        const bool server = i < m_servers.GetN();
        const uint32_t index = server ? i : i - m_servers.GetN();
        pcap.EnablePcap(prefix + (server ? "-ps" : "-worker") + std::to_string(index) + ".pcap",
                        m_hostDevices[i],
                        false,
                        true);
    }
}

NodeContainer
StarClusterHelper::GetWorkers() const
{
    return m_workers;
}

NodeContainer
StarClusterHelper::GetServers() const
{
    return m_servers;
}

const std::vector<Ipv4Address>&
StarClusterHelper::GetWorkerAddresses() const
{
    return m_workerAddresses;
}

const std::vector<Ipv4Address>&
StarClusterHelper::GetServerAddresses() const
{
    return m_serverAddresses;
}

Ptr<PointToPointNetDevice>
StarClusterHelper::GetServerDevice(uint32_t server) const
{
    return m_hostDevices[server];
}

Ptr<PointToPointNetDevice>
StarClusterHelper::GetServerPort(uint32_t server) const
{
    return m_switchPorts[server];
}

const std::vector<Ptr<PointToPointNetDevice>>&
StarClusterHelper::GetSwitchPorts() const
{
    return m_switchPorts;
}

} // namespace dml
} // namespace ns3
