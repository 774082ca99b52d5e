/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HOST_NETWORK_H
#define DML_HOST_NETWORK_H

#include "dml-host-abilities.h"
#include "dml-host-layout.h"
#include "dml-kernel-tcp-counts.h"
#include "dml-network-namespace.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What one direction of a link has done since the network was made.
struct HostLinkCount
{
    uint64_t bytes{0};   //!< sent, Ethernet headers included
    uint64_t packets{0}; //!< sent; each segment of a large piece counts
    uint64_t drops{0};   //!< pieces that the queue dropped: packets, or TCP's of several segments
    uint64_t overlimits{0}; //!< how often something had to wait for the link
    uint64_t backlog{0};    //!< bytes that wait
};

/**
 * @ingroup dml-host
 * @brief Read the output of tc -s -j qdisc show.
 * @param json the output
 * @return what the discipline "1:" of each device and, in htb, those below it have counted
 * @throws RunError if it is something else
 */
std::map<std::string, HostLinkCount> ParseLinkCounts(const std::string& json);

/**
 * @ingroup dml-host
 * @brief The network of a scenario on this machine.
 *
 * Every host and every switch is a network namespace, every link a pair of virtual Ethernet devices
 * whose sending ends tc shapes. Switches route, on the routes of the ClusterNetwork. Who lives on
 * the same host talks over its loopback device, which nothing limits. Everything is gone with this
 * object and the processes and sockets in it, however they end.
 */
class HostNetwork
{
  public:
    /**
     * @brief Make it. Takes rights that EnterUserNamespace() gives.
     * @param network of the spec; must outlive this
     * @param spec the scenario's network
     * @param abilities of this machine, as ProbeHostAbilities() found them
     * @throws InputError as CheckHostNetwork()
     * @throws RunError if the system forbids something, or a program fails
     */
    HostNetwork(const ClusterNetwork& network,
                const NetworkSpec& spec,
                const HostAbilities& abilities);
    HostNetwork(const HostNetwork&) = delete;
    HostNetwork& operator=(const HostNetwork&) = delete;

    /// @return what differs from the scenario, a sentence each; see CheckHostNetwork()
    const std::vector<std::string>& GetNotes() const
    {
        return m_notes;
    }

    /// @return devices, addresses and routes
    const HostLayout& GetLayout() const
    {
        return m_layout;
    }

    /// @param node a host @return its address
    Ipv4Address GetAddress(uint32_t node) const
    {
        return m_layout.GetAddress(node);
    }

    /// @param node a host or switch @return its network namespace
    const NetworkNamespace& GetNamespace(uint32_t node) const
    {
        return m_namespaces.at(node);
    }

    /// @return what every directed link has done so far @throws RunError if tc fails
    std::vector<HostLinkCount> ReadCounters() const;

    /// @return what TCP of all hosts has met so far @throws RunError if the kernel does not tell it
    KernelTcpCounts CountTcp() const;

  private:
    std::string m_tc;                           //!< path of the program
    std::vector<std::string> m_notes;           //!< what differs from the scenario
    HostLayout m_layout;                        //!< devices, addresses and routes
    std::vector<NetworkNamespace> m_namespaces; //!< by node
};

} // namespace ns3::dml

#endif /* DML_HOST_NETWORK_H */
