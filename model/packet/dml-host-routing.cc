/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-routing.h"

#include "ns3/boolean.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-route.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <string>

namespace ns3::dml
{

namespace
{

constexpr uint32_t LOOPBACK = 0;   //!< interfaces: the loopback device, then links in order
constexpr uint32_t FIRST_LINK = 1; //!< whose address is the node's name

} // namespace

NS_OBJECT_ENSURE_REGISTERED(HostRouting);

TypeId
HostRouting::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::HostRouting")
                            .SetParent<Ipv4RoutingProtocol>()
                            .SetGroupName("Dml")
                            .AddConstructor<HostRouting>();
    return tid;
}

void
HostRouting::AddNic(uint32_t interface)
{
    m_nics.push_back(interface);
    m_nicOf[m_own->GetAddress(interface, 0).GetLocal().Get()] = interface;
}

void
HostRouting::AddNeighbour(Ipv4Address address, uint32_t interface)
{
    const auto route = MakeRoute(address, interface);
    route->SetSource(m_own->GetAddress(FIRST_LINK, 0).GetLocal());
    m_nearby[address.Get()] = route;
}

Ptr<Ipv4Route>
HostRouting::MakeRoute(Ipv4Address destination, uint32_t interface) const
{
    const auto route = ns3::Create<Ipv4Route>();
    route->SetDestination(destination);
    route->SetGateway(interface == LOOPBACK ? Ipv4Address::GetAny() : destination);
    route->SetSource(interface == LOOPBACK ? destination
                                           : m_own->GetAddress(interface, 0).GetLocal());
    route->SetOutputDevice(m_own->GetNetDevice(interface));
    return route;
}

Ptr<Ipv4Route>
HostRouting::FindPrescribed(const Ipv4Header& header, Ptr<NetDevice> device)
{
    const Ipv4Address destination = header.GetDestination();
    const auto near = m_nearby.find(destination.Get());
    if (near != m_nearby.end())
    {
        return near->second;
    }
    if (m_nics.empty())
    {
        return nullptr;
    }
    uint32_t interface = m_nics.front();
    const auto source = m_nicOf.find(header.GetSource().Get());
    if (m_nicOf.count(destination.Get()) > 0)
    {
        interface = LOOPBACK;
    }
    else if (device)
    {
        interface = m_own->GetInterfaceForDevice(device);
    }
    else if (source != m_nicOf.end())
    {
        interface = source->second;
    }
    Ptr<Ipv4Route>& route = m_leaving[uint64_t{interface} << 32 | destination.Get()];
    if (!route)
    {
        route = MakeRoute(destination, interface);
    }
    return route;
}

Ptr<Ipv4Route>
HostRouting::RouteOutput(Ptr<Packet> packet,
                         const Ipv4Header& header,
                         Ptr<NetDevice> device,
                         Socket::SocketErrno& error)
{
    if (const auto prescribed = FindPrescribed(header, device))
    {
        error = Socket::ERROR_NOTERROR;
        return prescribed;
    }
    if (device || !Keeps())
    {
        return FindOutput(packet, header, device, error);
    }
    Ptr<Ipv4Route>& known = m_outputs[header.GetDestination().Get()];
    if (!known)
    {
        known = FindOutput(packet, header, device, error);
        return known;
    }
    error = Socket::ERROR_NOTERROR;
    return known;
}

Ptr<Ipv4Route>
HostRouting::FindOutput(Ptr<Packet> packet,
                        const Ipv4Header& header,
                        Ptr<NetDevice> device,
                        Socket::SocketErrno& error)
{
    if (m_own->GetNInterfaces() <= FIRST_LINK)
    {
        return m_routes->RouteOutput(packet, header, device, error);
    }
    const Ipv4Address own = m_own->GetAddress(FIRST_LINK, 0).GetLocal();
    Ptr<Ipv4Route> route;
    if (header.GetDestination() == own)
    {
        route = MakeRoute(own, LOOPBACK);
        error = Socket::ERROR_NOTERROR;
    }
    else
    {
        route = m_routes->RouteOutput(packet, header, device, error);
    }
    if (route)
    {
        route->SetSource(own);
    }
    return route;
}

bool
HostRouting::RouteInput(Ptr<const Packet> packet,
                        const Ipv4Header& header,
                        Ptr<const NetDevice> device,
                        InputCallbacks::Unicast forward,
                        InputCallbacks::Multicast forwardToMany,
                        InputCallbacks::Local deliver,
                        InputCallbacks::Error fail)
{
    const auto near = m_nearby.find(header.GetDestination().Get());
    if (near != m_nearby.end())
    {
        forward(near->second, packet, header);
        return true;
    }
    if (Keeps())
    {
        Input& input = m_inputs[PeekPointer(device)];
        const auto known = input.arrivals.find(header.GetDestination().Get());
        const Arrival& arrival = known != input.arrivals.end()
                                     ? known->second
                                     : FindArrival(packet, header, device, input);
        if (arrival.here && !deliver.IsNull())
        {
            deliver(packet, header, input.interface);
            return true;
        }
        if (arrival.onward && m_own->IsForwarding(input.interface))
        {
            forward(arrival.onward, packet, header);
            return true;
        }
    }
    return m_routes->RouteInput(packet, header, device, forward, forwardToMany, deliver, fail);
}

void
HostRouting::Arrival::Deliver(Ptr<const Packet>, const Ipv4Header&, uint32_t)
{
    here = true;
}

void
HostRouting::Arrival::Fail(Ptr<const Packet>, const Ipv4Header&, Socket::SocketErrno)
{
}

void
HostRouting::Arrival::Forward(Ptr<Ipv4Route> route, Ptr<const Packet>, const Ipv4Header&)
{
    onward = route;
}

const HostRouting::Arrival&
HostRouting::FindArrival(Ptr<const Packet> packet,
                         const Ipv4Header& header,
                         Ptr<const NetDevice> device,
                         Input& input)
{
    input.interface = m_own->GetInterfaceForDevice(device);
    Arrival& arrival = input.arrivals[header.GetDestination().Get()];
    // its lookup of routes is private: let it say what it would do
    m_routes->RouteInput(packet,
                         header,
                         device,
                         MakeCallback(&Arrival::Forward, &arrival),
                         MulticastForwardCallback(),
                         MakeCallback(&Arrival::Deliver, &arrival),
                         MakeCallback(&Arrival::Fail, &arrival));
    return arrival;
}

void
HostRouting::SetIpv4(Ptr<Ipv4> ipv4)
{
    m_own = ipv4;
    m_mayKeep = MayKeep();
    m_routes->SetIpv4(ipv4);
}

bool
HostRouting::Keeps()
{
    m_keeps = m_keeps || (m_mayKeep && Simulator::Now().IsStrictlyPositive());
    return m_keeps;
}

bool
HostRouting::MayKeep() const
{
    for (const std::string change : {"RandomEcmpRouting", "RespondToInterfaceEvents"})
    {
        BooleanValue may;
        m_routes->GetAttribute(change, may);
        if (may.Get())
        {
            return false;
        }
    }
    return true;
}

void
HostRouting::DoDispose()
{
    m_routes->Dispose();
    m_routes = nullptr;
    m_own = nullptr;
    m_outputs.clear();
    m_inputs.clear();
    m_nearby.clear();
    m_leaving.clear();
    Ipv4RoutingProtocol::DoDispose();
}

HostRoutingHelper*
HostRoutingHelper::Copy() const
{
    return new HostRoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol>
HostRoutingHelper::Create(Ptr<Node> node) const
{
    const auto routing = CreateObject<HostRouting>();
    routing->SetGlobalRouting(Ipv4GlobalRoutingHelper().Create(node));
    return routing;
}

} // namespace ns3::dml
