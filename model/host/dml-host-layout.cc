/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-layout.h"

#include "ns3/dml-error.h"

#include <fmt/core.h>
#include <sstream>

namespace ns3::dml
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 0x0a010000; //!< 10.1.0.0: of the first link's first end
constexpr std::size_t MOST_LINKS = 60000;      //!< two bytes of a MAC address number the links

} // namespace

HostLayout::HostLayout(const ClusterNetwork& network)
    : m_network(network),
      m_ports(network.GetNodes().size()),
      m_port(network.GetDirectedLinks()),
      m_routes(network.GetNodes().size()),
      m_pairs(network.GetDirectedLinks())
{
    if (network.GetLinks().size() > MOST_LINKS)
    {
        throw InputError("network: found " + std::to_string(network.GetLinks().size()) +
                         " links; the host engine accepts at most " + std::to_string(MOST_LINKS));
    }
    for (DirectedLink link = 0; link < m_network.GetDirectedLinks(); ++link)
    {
        auto& ports = m_ports[m_network.GetSender(link)];
        m_port[link] = static_cast<uint32_t>(ports.size());
        ports.push_back(link);
    }
    AddRoutes();
}

void
HostLayout::AddHop(DirectedLink link, uint32_t from, uint32_t to)
{
    const auto [found, isNew] = m_routes[m_network.GetSender(link)].emplace(to, link);
    if (!isNew && found->second != link)
    {
        const auto& nodes = m_network.GetNodes();
        throw InputError("network.topology: packets to " + nodes[to].name + " leave " +
                         nodes[m_network.GetSender(link)].name + " on " + m_network.GetName(link) +
                         " if they come from " + nodes[from].name + " and on " +
                         m_network.GetName(found->second) +
                         " if they come from another host; the host engine accepts networks where "
                         "the way depends on the destination alone");
    }
}

void
HostLayout::AddRoutes()
{
    const auto& nodes = m_network.GetNodes();
    for (uint32_t from = 0; from < nodes.size(); ++from)
    {
        for (uint32_t to = 0; to < nodes.size() && !nodes[from].isSwitch; ++to)
        {
            if (to == from || nodes[to].isSwitch)
            {
                continue;
            }
            for (const DirectedLink link : m_network.FindRoute(from, to))
            {
                AddHop(link, from, to);
                m_pairs[link].emplace_back(from, to);
            }
        }
    }
    // a switch that no packet of a pair crosses says so, or what else is wrong, to the sender
    for (uint32_t from = 0; from < nodes.size(); ++from)
    {
        for (uint32_t to = 0; to < nodes.size() && nodes[from].isSwitch; ++to)
        {
            if (!nodes[to].isSwitch && m_routes[from].count(to) == 0)
            {
                m_routes[from].emplace(to, m_network.FindRoute(from, to).front());
            }
        }
    }
}

std::string
HostLayout::GetDevice(DirectedLink direction) const
{
    return "eth" + std::to_string(m_port.at(direction));
}

std::string
HostLayout::GetMac(DirectedLink direction) const
{
    const uint32_t link = direction / 2;
    return fmt::format("02:00:00:{:02x}:{:02x}:{:02x}",
                       (link >> 8) & 0xff,
                       link & 0xff,
                       direction % 2);
}

Ipv4Address
HostLayout::GetEndAddress(DirectedLink direction) const
{
    return Ipv4Address(FIRST_ADDRESS + direction);
}

Ipv4Address
HostLayout::GetAddress(uint32_t node) const
{
    return GetEndAddress(m_network.GetHostUplink(node));
}

std::string
HostLayout::ToText(const Ipv4Address& address)
{
    std::ostringstream text;
    text << address;
    return text.str();
}

} // namespace ns3::dml
