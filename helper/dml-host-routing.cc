/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-routing.h"

#include "ns3/global-router-interface.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4.h"
#include "ns3/net-device.h"
#include "ns3/node.h"

namespace ns3
{
namespace dml
{

NS_OBJECT_ENSURE_REGISTERED(HostRouting);

TypeId
HostRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::HostRouting")
                            .SetParent<Ipv4GlobalRouting>()
                            .SetGroupName("Dml")
                            .AddConstructor<HostRouting>();
    return tid;
}

Ptr<Ipv4Route>
HostRouting::RouteOutput(Ptr<Packet> packet,
                         const Ipv4Header& header,
                         Ptr<NetDevice> device,
                         Socket::SocketErrno& error)
{
    constexpr uint32_t LOOPBACK = 0; // interfaces: the loopback device, then links in order
    constexpr uint32_t FIRST_LINK = 1;
    if (m_own->GetNInterfaces() <= FIRST_LINK)
    {
        return Ipv4GlobalRouting::RouteOutput(packet, header, device, error);
    }
    const Ipv4Address own = m_own->GetAddress(FIRST_LINK, 0).GetLocal();
    Ptr<Ipv4Route> route;
    if (header.GetDestination() == own)
    {
        route = ns3::Create<Ipv4Route>();
        route->SetDestination(own);
        route->SetGateway(Ipv4Address::GetAny());
        route->SetOutputDevice(m_own->GetNetDevice(LOOPBACK));
        error = Socket::ERROR_NOTERROR;
    }
    else
    {
        route = Ipv4GlobalRouting::RouteOutput(packet, header, device, error);
    }
    if (route)
    {
        route->SetSource(own);
    }
    return route;
}

void
HostRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_own = ipv4;
    Ipv4GlobalRouting::SetIpv4(ipv4);
}

void
HostRouting::DoDispose()
{
    m_own = nullptr;
    Ipv4GlobalRouting::DoDispose();
}

HostRoutingHelper*
HostRoutingHelper::Copy() const
{
    return new HostRoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol>
HostRoutingHelper::Create(Ptr<Node> node) const
{
    const auto router = CreateObject<GlobalRouter>();
    node->AggregateObject(router);
    const auto routing = CreateObject<HostRouting>();
    router->SetRoutingProtocol(routing);
    return routing;
}

} // namespace dml
} // namespace ns3
