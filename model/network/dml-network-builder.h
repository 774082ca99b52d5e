/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_NETWORK_BUILDER_H
#define DML_NETWORK_BUILDER_H

#include "dml-cluster-network.h"
#include "dml-host-names.h"
#include "dml-network-spec.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief What a Topology builds with: it adds the nodes and links of one network.
 *
 * Every host of GetHosts().GetOwnNodes() must get a node, and a path to every other one. What a
 * link does not say, it has as the network's other links.
 */
class NetworkBuilder
{
  public:
    /// @param spec the scenario's network @param jobs sizes of the training jobs
    NetworkBuilder(const NetworkSpec& spec, const std::vector<JobSize>& jobs);

    /// @return the scenario's network
    const NetworkSpec& GetSpec() const
    {
        return m_spec;
    }

    /// @return what the hosts are called
    const HostNames& GetHosts() const
    {
        return m_names;
    }

    /// @param name of a host @return what the scenario says of its link
    LinkSpec GetHostLink(const std::string& name) const;

    /// @param name that no other node has @return a new node
    uint32_t AddSwitch(const std::string& name);
    /// @param name of GetHosts().GetOwnNodes(), each once @return its node
    uint32_t AddHost(const std::string& name);

    /**
     * @param a node
     * @param b another node
     * @param link what differs from the network's other links
     * @param metric its length in shortest paths, 1 to 100
     * @return a link for Connect()
     */
    NetworkLink MakeLink(uint32_t a,
                         uint32_t b,
                         const LinkSpec& link = {},
                         uint32_t metric = 1) const;
    /// @brief Add a link, or one for each network card if an end is a host with several.
    /// @param link of MakeLink()
    void Connect(const NetworkLink& link);

    /// @brief Add a host and its link. @param name as for AddHost() @param node its neighbour
    void ConnectHost(const std::string& name, uint32_t node);
    /// @brief Add all hosts, each with a link to one of these in turn. @param switches nodes
    void Deal(const std::vector<uint32_t>& switches);

    /**
     * @brief Once all nodes and links are there.
     * @return the network
     * @throws NetworkError if something is missing, or there twice
     */
    ClusterNetwork Finish();

    /// Length of a link of metric 1; what is added to it to tell equal paths apart, without
    /// `multipath`, is less than 1/4.
    static constexpr uint32_t UNIT_METRIC = 256;

  private:
    void CheckSwitchNames() const;
    void CheckNodes() const;
    void CheckPaths() const;
    /// @return links of the network cards of hosts that have several, by host
    std::map<uint32_t, std::vector<uint32_t>> FindNics() const;
    /// Tell hosts with several network cards, and who lives there, which of these are theirs.
    void AssignNics();
    void AddLocalPorts();

    const NetworkSpec& m_spec; //!< what to build
    HostNames m_names;         //!< of the hosts
    ClusterNetwork m_network;  //!< being built
};

} // namespace ns3::dml

#endif /* DML_NETWORK_BUILDER_H */
