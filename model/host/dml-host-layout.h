/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_LAYOUT_H
#define DML_HOST_LAYOUT_H

#include "ns3/dml-cluster-network.h"
#include "ns3/ipv4-address.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-host
 * @brief Devices, addresses and routes of a cluster's network in Linux' terms.
 *
 * Every end of a link has a device, "eth0" being the one of its node's first link, a MAC address,
 * and an address of the link's own /31. Packets between hosts take the routes of
 * ClusterNetwork::FindRoute(), which both other engines use.
 */
class HostLayout
{
  public:
    /// Two hosts, the sending and the receiving node.
    using Pair = std::pair<uint32_t, uint32_t>;

    /**
     * @param network must outlive this
     * @throws InputError if the way to a host is another one for packets of another host, which
     * takes more than a table of routes, or if there are more than 60000 links
     */
    explicit HostLayout(const ClusterNetwork& network);

    /// @return the network
    const ClusterNetwork& GetNetwork() const
    {
        return m_network;
    }

    /// @param direction of a link @return name of its sending end's device, in the sender
    std::string GetDevice(DirectedLink direction) const;
    /// @param direction of a link @return MAC address of its sending end
    std::string GetMac(DirectedLink direction) const;
    /// @param direction of a link @return IP address of its sending end
    Ipv4Address GetEndAddress(DirectedLink direction) const;
    /// @param node a host @return its address: that of its first link
    Ipv4Address GetAddress(uint32_t node) const;

    /// @param node a host or switch @return the links that it has, in order, as it sends on them
    const std::vector<DirectedLink>& GetPorts(uint32_t node) const
    {
        return m_ports.at(node);
    }

    /// @param node a host or switch @return first link of the way by destination, a host
    const std::map<uint32_t, DirectedLink>& GetRoutes(uint32_t node) const
    {
        return m_routes.at(node);
    }

    /// @param direction of a link @return hosts whose packets it carries, in order
    const std::vector<Pair>& GetPairs(DirectedLink direction) const
    {
        return m_pairs.at(direction);
    }

    /// @param address IP address @return "10.1.0.0"
    static std::string ToText(const Ipv4Address& address);

  private:
    void AddRoutes();
    /// @param to a host whose packets take this link when they come from another host
    void AddHop(DirectedLink link, uint32_t from, uint32_t to);

    const ClusterNetwork& m_network;                        //!< of whom it is
    std::vector<std::vector<DirectedLink>> m_ports;         //!< by node
    std::vector<uint32_t> m_port;                           //!< number of a directed link's device
    std::vector<std::map<uint32_t, DirectedLink>> m_routes; //!< by node
    std::vector<std::vector<Pair>> m_pairs;                 //!< by directed link
};

} // namespace ns3::dml

#endif /* DML_HOST_LAYOUT_H */
