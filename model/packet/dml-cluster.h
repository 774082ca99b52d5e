/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLUSTER_H
#define DML_CLUSTER_H

#include "ns3/dml-cluster-network.h"
#include "ns3/dml-congestion-choice.h"
#include "ns3/dml-flow-paths.h"
#include "ns3/dml-rank-assignment.h"
#include "ns3/dml-step-application.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

class LocalLink;
template <typename Item>
class PortQueue;
struct SwitchMemory;

/**
 * @ingroup dml-packet
 * @brief Builds the nodes, links, queues and routes of a network in ns-3.
 *
 * Every port has the queue that the network says. A drop-tail queue is the device's own, which may
 * share the memory of its switch with others; the others are ns-3 queue discs above a device queue
 * of one packet. Routes are ns-3's (global routing), from
 * the metrics of the network's links.
 */
class Cluster
{
  public:
    /**
     * @param tcp settings of every socket
     * @param network as BuildNetwork() makes it; not null
     */
    Cluster(const TcpSpec& tcp, std::shared_ptr<const ClusterNetwork> network);

    /// @brief Let Create() give the nodes ns-3's global routing alone, without HostRouting.
    void UseGlobalRouting()
    {
        m_globalRouting = true;
    }

    /// @brief Let jobs and background flows have congestion controls of their own. Before Create().
    /// @param choice of all connections; its first control is that of the network
    void SetCongestion(const CongestionChoice& choice)
    {
        m_congestion = choice;
    }

    /// @brief Create nodes, links, addresses and routes.
    void Create();

    /**
     * @brief Create them all on one rank of several, which simulates some of the nodes.
     * @param assignment of nodes to ranks
     * @param rank this one
     */
    void Create(const RankAssignment& assignment, uint32_t rank);

    /**
     * @brief Use given random streams instead of those of its own, after Create().
     * @param stream number of the first one
     * @return how many are used: by routing, then by hosts and queues in the order in which they
     * were made
     */
    int64_t AssignStreams(int64_t stream);

    /// @param host name of a host @return whether this rank simulates it
    bool IsHere(const std::string& host) const;

    /// @param node index in GetNetwork().GetNodes() @return whether this rank simulates it
    bool IsHere(uint32_t node) const
    {
        return m_assignment.GetRank(node) == m_rank;
    }

    /**
     * @brief Put an application on a host and give it the scenario's sockets.
     * @param application a TrainingWorker, ParameterServer or SwitchAggregator
     * @param host name of the worker or server, such as "worker0", or of the aggregator
     * @param job number of its job
     */
    void Install(Ptr<StepApplication> application, const std::string& host, uint32_t job = 0) const;

    /// @param flow number of a background flow that is TCP @return what makes its sockets, at both
    /// ends
    TypeId GetBackgroundTcp(uint32_t flow) const;

    /**
     * @brief Compare ns-3's route with the network's, at the nodes of this rank. Where packets of a
     * connection are spread over several paths, there is nothing to compare.
     * @param from name of the worker or server that sends
     * @param to name of the one that receives
     * @throws RunError if they differ
     */
    void CheckRoute(const std::string& from, const std::string& to) const;

    /// @brief Likewise, in both directions. @param flow of the scenario @param number its number
    void CheckRoute(const BackgroundSpec& flow, uint32_t number) const;

    /// @param prefix path and first part of the names; a file "PREFIX-worker0.pcap" per host of
    /// this rank
    void EnablePcap(const std::string& prefix) const;

    /// @return nodes, links and routes
    const ClusterNetwork& GetNetwork() const
    {
        return *m_network;
    }

    /// @param host name of a host @return its node
    Ptr<Node> GetNode(const std::string& host) const
    {
        return m_nodes.Get(m_network->FindHost(host));
    }

    /// @param node index in GetNetwork().GetNodes() @return the ns-3 node
    Ptr<Node> GetNode(uint32_t node) const
    {
        return m_nodes.Get(node);
    }

    /// @param host name of a worker or server @return where it listens
    InetSocketAddress GetAddress(const std::string& host) const;

    /**
     * @param peer an endpoint
     * @param host name of another one
     * @param name that of the peer
     * @return how the other one connects to it
     */
    PeerAddress FindPeer(const Endpoint& peer,
                         const std::string& host,
                         const std::string& name) const;

    /// @param flow number of a background flow @return port from which it is sent; 0: any
    uint16_t GetSourcePort(uint32_t flow) const;

    /// @param link direction of a link @return the device that sends on it; null: the host's
    /// GetLocalLink()
    Ptr<PointToPointNetDevice> GetDevice(DirectedLink link) const
    {
        return m_devices[link];
    }

    /// @param link a port to a local link @return the local link; null on ranks that do not
    /// simulate the host
    Ptr<LocalLink> GetLocalLink(DirectedLink link) const;

  private:
    void Connect(uint32_t link);
    /// Give the hosts that have local links these, in place of ns-3's loopback devices.
    void AddLocalLinks();
    /// Tell hosts that have several network cards, and switches beside them, which packets these
    /// carry. Global routing takes such links for one.
    void AddNicRoutes();
    /// @return switches that add up, which talk TCP as hosts do
    std::set<uint32_t> ListAggregators() const;
    /// @return what makes the nodes' routing
    std::unique_ptr<Ipv4RoutingHelper> MakeRouting() const;

    /// @return whether equally short paths are all used
    bool IsMultipath() const
    {
        return m_network->GetMultipath().IsOn();
    }

    /// Compare ns-3's route of a packet with a path. @param path from the packet's source
    void CheckPath(const std::vector<DirectedLink>& path, const FiveTuple& tuple) const;
    /// Give a host what makes its sockets. @param host index of a node
    void InstallTcp(uint32_t host);
    /// @param device that sends on a link @param side index of its end of the link
    void InstallQueue(Ptr<PointToPointNetDevice> device, const NetworkLink& link, uint32_t side);
    /// @param device that sends on a link @param disc that is to queue above it
    void InstallDisc(const Ptr<PointToPointNetDevice>& device, const Ptr<QueueDisc>& disc);
    /// @param queue of a port @return what its device needs instead of ns-3's queue, or null
    Ptr<PortQueue<Packet>> MakeDeviceQueue(const QueueSpec& queue);
    /// Have a queue of a port of a switch share its memory. @param node the switch
    template <typename Item>
    void Share(PortQueue<Item>& queue, const QueueSpec& spec, uint32_t node);

    TcpSpec m_tcp;                                     //!< of every socket
    CongestionChoice m_congestion;                     //!< see SetCongestion()
    RankAssignment m_assignment;                       //!< rank of each node
    uint32_t m_rank{0};                                //!< this one
    std::shared_ptr<const ClusterNetwork> m_network;   //!< what to build
    NodeContainer m_nodes;                             //!< by index of the network's nodes
    std::vector<Ptr<PointToPointNetDevice>> m_devices; //!< by directed link: the sending end
    std::map<Ptr<NetDevice>, DirectedLink> m_links;    //!< what each device sends on
    std::map<uint32_t, std::shared_ptr<SwitchMemory>> m_memories; //!< by switch that shares its own
    FlowPaths m_paths;                                            //!< of its connections
    bool m_globalRouting{false};                                  //!< ns-3's routing alone
    int64_t m_stream{1000000};                                    //!< next random stream
    int64_t m_portStream{1500000};                                //!< next one of a port
    /// Give what is random at a host or port its streams, and tell how many these are.
    std::vector<std::function<int64_t(int64_t)>> m_assigns;
};

} // namespace ns3::dml

#endif /* DML_CLUSTER_H */
