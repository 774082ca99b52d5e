/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-network-commands.h"

#include "dml-host-checks.h"

#include <algorithm>
#include <sstream>

namespace ns3::dml
{

namespace
{

/// @param network some network @return bytes of its smallest FIFO that is limited; 0: there is none
uint64_t
FindSmallestFifo(const ClusterNetwork& network)
{
    uint64_t smallest = 0;
    for (const auto& link : network.GetLinks())
    {
        for (const auto& queue : link.queues)
        {
            if (queue.IsFifo() && queue.bytes > 0 && (smallest == 0 || queue.bytes < smallest))
            {
                smallest = queue.bytes;
            }
        }
    }
    return smallest;
}

/// @param tcp the scenario's transport @return what routes say of it, where the kernel's differs
std::string
MakeRouteOptions(const TcpSpec& tcp)
{
    std::string options;
    if (tcp.initialWindow != 10)
    {
        options += " initcwnd " + std::to_string(tcp.initialWindow);
    }
    if (tcp.minRto != MilliSeconds(200))
    {
        options +=
            " rto_min " + std::to_string(std::max<int64_t>(tcp.minRto.GetMilliSeconds(), 1)) + "ms";
    }
    return options;
}

} // namespace

ShapedPort
MakePort(const HostLayout& layout, DirectedLink direction, const TcpSpec& tcp)
{
    const ClusterNetwork& network = layout.GetNetwork();
    const NetworkLink& link = network.GetLinks()[direction / 2];
    ShapedPort port;
    port.device = layout.GetDevice(direction);
    port.rate = GetShapedRate(network.GetRate(direction), link.mtu);
    port.mtu = link.mtu;
    port.gso = ChooseGsoSize(tcp, network.GetRate(direction), link.mtu, FindSmallestFifo(network));
    port.queue = link.queues[direction % 2];
    port.delay = GetAddedDelay(link.delay);
    for (const auto& [from, to] : layout.GetPairs(direction))
    {
        port.pairs.emplace_back(HostLayout::ToText(layout.GetAddress(from)),
                                HostLayout::ToText(layout.GetAddress(to)));
    }
    return port;
}

std::string
MakeLinkCommands(const HostLayout& layout,
                 const std::vector<std::string>& paths,
                 const TcpSpec& tcp)
{
    const ClusterNetwork& network = layout.GetNetwork();
    std::ostringstream lines;
    const auto writeEnd = [&](DirectedLink direction) {
        const NetworkLink& link = network.GetLinks()[direction / 2];
        lines << layout.GetDevice(direction) << " mtu " << link.mtu << " address "
              << layout.GetMac(direction) << " gso_max_size "
              << ChooseGsoSize(tcp, network.GetRate(direction), link.mtu, FindSmallestFifo(network))
              << " netns " << paths.at(network.GetSender(direction));
    };
    for (DirectedLink direction = 0; direction < network.GetDirectedLinks(); direction += 2)
    {
        lines << "link add ";
        writeEnd(direction);
        lines << " type veth peer name ";
        writeEnd(direction + 1);
        lines << "\n";
    }
    return lines.str();
}

std::vector<NetworkSetting>
MakeSettings(const HostLayout& layout, uint32_t node, const NetworkSpec& spec)
{
    bool marks = false;
    for (const auto& link : layout.GetNetwork().GetLinks())
    {
        marks = marks || link.queues[0].Marks() || link.queues[1].Marks();
    }
    const auto flag = [](bool value) { return std::string(value ? "1" : "0"); };
    return {
        {"ipv6/conf/all/disable_ipv6", "1", true},
        {"ipv6/conf/default/disable_ipv6", "1", true},
        {"ipv4/ip_forward", flag(layout.GetPorts(node).size() > 1)},
        {"ipv4/conf/all/rp_filter", "0"},
        {"ipv4/conf/default/rp_filter", "0"},
        {"ipv4/tcp_no_metrics_save", "1"},
        {"ipv4/tcp_sack", flag(spec.tcp.sack)},
        {"ipv4/tcp_timestamps", flag(spec.tcp.timestamps)},
        {"ipv4/tcp_ecn", flag(marks)},
    };
}

std::string
MakeNodeCommands(const HostLayout& layout, uint32_t node, const TcpSpec& tcp)
{
    const ClusterNetwork& network = layout.GetNetwork();
    std::ostringstream lines;
    lines << "link set lo up\n";
    for (const DirectedLink port : layout.GetPorts(node))
    {
        const std::string device = layout.GetDevice(port);
        lines << "addr add " << layout.GetEndAddress(port) << "/31 dev " << device << "\n"
              << "link set " << device << " up\n"
              << "neigh add " << layout.GetEndAddress(port ^ 1) << " lladdr "
              << layout.GetMac(port ^ 1) << " dev " << device << " nud permanent\n";
    }
    const bool isHost = !network.GetNodes()[node].isSwitch;
    for (const auto& [to, port] : layout.GetRoutes(node))
    {
        const Ipv4Address next = layout.GetEndAddress(port ^ 1);
        lines << "route add " << layout.GetAddress(to) << "/32";
        if (next != layout.GetAddress(to))
        {
            lines << " via " << next;
        }
        lines << " dev " << layout.GetDevice(port);
        if (isHost)
        {
            lines << " src " << layout.GetAddress(node) << MakeRouteOptions(tcp);
        }
        lines << "\n";
    }
    return lines.str();
}

std::string
MakeShapingCommands(const HostLayout& layout, uint32_t node, const TcpSpec& tcp)
{
    std::string lines;
    for (const DirectedLink direction : layout.GetPorts(node))
    {
        lines += MakeShaping(MakePort(layout, direction, tcp));
    }
    return lines;
}

} // namespace ns3::dml
