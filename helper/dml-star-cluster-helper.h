/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STAR_CLUSTER_HELPER_H
#define DML_STAR_CLUSTER_HELPER_H

#include "ns3/dml-scenario.h"
#include "ns3/dml-step-application.h"
#include "ns3/ipv4-address.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief Builds a star: servers and workers, each on its own link to one switch.
 *
 * The queue of the scenario is that of the switch's ports. Hosts never drop what they send
 * themselves (a real host holds its sockets back, which ns-3 does not model). No queue disc is
 * installed: the drop-tail queue of the device is the only one.
 */
class StarClusterHelper
{
  public:
    /// @param network links and TCP; its topology must be "star"
    explicit StarClusterHelper(const NetworkSpec& network);

    /**
     * @brief Create nodes, links, addresses and routes.
     * @param workers number of workers
     * @param servers number of parameter servers
     */
    void Create(uint32_t workers, uint32_t servers);

    /**
     * @brief Put an application on a host and give its sockets the scenario's TCP settings.
     * @param application a TrainingWorker or ParameterServer
     * @param node host of this cluster
     */
    void Install(Ptr<StepApplication> application, Ptr<Node> node) const;

    /// @param prefix path and first part of the names; a file "PREFIX-worker0.pcap" per host
    void EnablePcap(const std::string& prefix) const;

    /// @return the workers' nodes
    NodeContainer GetWorkers() const;
    /// @return the servers' nodes
    NodeContainer GetServers() const;
    /// @return IPv4 address of each worker
    const std::vector<Ipv4Address>& GetWorkerAddresses() const;
    /// @return IPv4 address of each server
    const std::vector<Ipv4Address>& GetServerAddresses() const;
    /// @param server index @return the device that sends from the server to the switch
    Ptr<PointToPointNetDevice> GetServerDevice(uint32_t server) const;
    /// @param server index @return the switch's device that sends to the server
    Ptr<PointToPointNetDevice> GetServerPort(uint32_t server) const;
    /// @return the switch's devices, those of the servers first
    const std::vector<Ptr<PointToPointNetDevice>>& GetSwitchPorts() const;

  private:
    Ipv4Address Connect(Ptr<Node> host, uint32_t subnet);

    NetworkSpec m_network;                                //!< links and TCP
    Ptr<Node> m_switch;                                   //!< centre of the star
    NodeContainer m_workers;                              //!< hosts
    NodeContainer m_servers;                              //!< hosts
    std::vector<Ipv4Address> m_workerAddresses;           //!< by index
    std::vector<Ipv4Address> m_serverAddresses;           //!< by index
    std::vector<Ptr<PointToPointNetDevice>> m_hostDevices; //!< servers first
    std::vector<Ptr<PointToPointNetDevice>> m_switchPorts; //!< servers first
};

} // namespace dml
} // namespace ns3

#endif /* DML_STAR_CLUSTER_HELPER_H */
