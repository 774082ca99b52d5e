/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-multipath-routing.h"

#include "dml-packet-tuple.h"

#include "ns3/dml-multipath-policies.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-route.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(MultipathRouting);

TypeId
MultipathRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::MultipathRouting")
                            .SetParent<HostRouting>()
                            .SetGroupName("Dml")
                            .AddConstructor<MultipathRouting>();
    return tid;
}

void
MultipathRouting::SetChoice(const MultipathSpec& spec, uint32_t node)
{
    m_policy = MakeMultipathPolicy(spec);
    m_node = node;
}

int64_t
MultipathRouting::AssignStreams(int64_t stream)
{
    return m_policy ? m_policy->AssignStreams(stream) : 0;
}

const MultipathRouting::Routes&
MultipathRouting::FindRoutes(const Ipv4Header& header)
{
    Routes& routes = m_found[header.GetDestination().Get()];
    if (!routes.empty() && Keeps())
    {
        return routes;
    }
    routes.clear();
    const Ptr<Ipv4>& ipv4 = GetIpv4();
    // its tables hold nothing but shortest routes, and it finds the one that begins with a device
    for (uint32_t interface = 1; interface < ipv4->GetNInterfaces(); ++interface)
    {
        Socket::SocketErrno error = Socket::ERROR_NOTERROR;
        const auto route = GetGlobalRouting()->RouteOutput(Create<Packet>(),
                                                           header,
                                                           ipv4->GetNetDevice(interface),
                                                           error);
        if (route)
        {
            routes.push_back(route);
        }
    }
    return routes;
}

uint32_t
MultipathRouting::Choose(const Packet& packet, const Ipv4Header& header, uint32_t choices)
{
    return m_policy ? ChoosePath(*m_policy,
                                 {ReadFiveTuple(packet, header),
                                  m_node,
                                  choices,
                                  packet.GetSize() + header.GetSerializedSize(),
                                  Simulator::Now()})
                    : 0;
}

Ptr<Ipv4Route>
MultipathRouting::RouteOutput(Ptr<Packet> packet,
                              const Ipv4Header& header,
                              Ptr<NetDevice> device,
                              Socket::SocketErrno& error)
{
    if (const auto prescribed = FindPrescribed(header, device))
    {
        error = Socket::ERROR_NOTERROR;
        return prescribed;
    }
    const auto first = HostRouting::RouteOutput(packet, header, device, error);
    const uint32_t links = GetIpv4()->GetNInterfaces() - 1; // without the loopback device
    if (device || !packet || !first || links < 2 ||
        GetIpv4()->GetInterfaceForDevice(first->GetOutputDevice()) == 0)
    {
        return first;
    }
    const Routes& routes = FindRoutes(header);
    if (routes.size() < 2)
    {
        return first;
    }
    const auto route = routes[Choose(*packet, header, routes.size())];
    route->SetSource(first->GetSource());
    return route;
}

bool
MultipathRouting::RouteInput(Ptr<const Packet> packet,
                             const Ipv4Header& header,
                             Ptr<const NetDevice> device,
                             InputCallbacks::Unicast forward,
                             InputCallbacks::Multicast forwardToMany,
                             InputCallbacks::Local deliver,
                             InputCallbacks::Error fail)
{
    const Ptr<Ipv4>& ipv4 = GetIpv4();
    const uint32_t interface = ipv4->GetInterfaceForDevice(device);
    if (ipv4->IsForwarding(interface) && !FindPrescribed(header, nullptr) &&
        !ipv4->IsDestinationAddress(header.GetDestination(), interface))
    {
        const Routes& routes = FindRoutes(header);
        if (routes.size() > 1)
        {
            forward(routes[Choose(*packet, header, routes.size())], packet, header);
            return true;
        }
    }
    return HostRouting::RouteInput(packet, header, device, forward, forwardToMany, deliver, fail);
}

void
MultipathRouting::DoDispose()
{
    m_found.clear();
    m_policy = nullptr;
    HostRouting::DoDispose();
}

MultipathRoutingHelper*
MultipathRoutingHelper::Copy() const
{
    return new MultipathRoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol>
MultipathRoutingHelper::Create(Ptr<Node> node) const
{
    const auto routing = CreateObject<MultipathRouting>();
    routing->SetGlobalRouting(Ipv4GlobalRoutingHelper().Create(node));
    routing->SetChoice(m_spec, node->GetId());
    return routing;
}

int64_t
MultipathRoutingHelper::AssignStreams(const NodeContainer& nodes, int64_t stream)
{
    int64_t used = 0;
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto ipv4 = (*node)->GetObject<Ipv4>();
        const auto routing =
            ipv4 ? DynamicCast<MultipathRouting>(ipv4->GetRoutingProtocol()) : nullptr;
        used += routing ? routing->AssignStreams(stream + used) : 0;
    }
    return used;
}

} // namespace ns3::dml
