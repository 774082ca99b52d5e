/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_NETWORK_COMMANDS_H
#define DML_HOST_NETWORK_COMMANDS_H

#include "dml-host-layout.h"
#include "dml-link-shaping.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A setting of the kernel for a network namespace.
struct NetworkSetting
{
    std::string name;       //!< below /proc/sys/net, such as "ipv4/ip_forward"
    std::string value;      //!< value that it must have
    bool isOptional{false}; //!< not every kernel has it
};

/// @param layout of the network @param direction of a link @param tcp of the scenario
/// @return its sending end, to be shaped
ShapedPort MakePort(const HostLayout& layout, DirectedLink direction, const TcpSpec& tcp);

/**
 * @brief All links, with MAC addresses and MTUs.
 * @param layout of the network
 * @param paths of the nodes' network namespaces
 * @param tcp of the scenario
 * @return lines for ip -batch, in any namespace
 */
std::string MakeLinkCommands(const HostLayout& layout,
                             const std::vector<std::string>& paths,
                             const TcpSpec& tcp);

/**
 * @brief What a namespace has before it has links.
 *
 * Who has several links forwards. No IPv6, whose routers and neighbours would look for each other;
 * connections do not learn from earlier ones; TCP's options as in the scenario.
 * @param layout of the network
 * @param node a host or switch
 * @param spec the scenario's network
 * @return settings in order
 */
std::vector<NetworkSetting> MakeSettings(const HostLayout& layout,
                                         uint32_t node,
                                         const NetworkSpec& spec);

/**
 * @brief A node's addresses, fixed MAC addresses of its neighbours, and routes.
 * @param layout of the network
 * @param node a host or switch
 * @param tcp whose initial window and least retransmission timeout the routes carry
 * @return lines for ip -batch, in the node's namespace
 */
std::string MakeNodeCommands(const HostLayout& layout, uint32_t node, const TcpSpec& tcp);

/// @param layout of the network @param node a host or switch @param tcp of the scenario
/// @return lines for tc -batch, in the node's namespace: the shaping of all its ports
std::string MakeShapingCommands(const HostLayout& layout, uint32_t node, const TcpSpec& tcp);

} // namespace ns3::dml

#endif /* DML_HOST_NETWORK_COMMANDS_H */
