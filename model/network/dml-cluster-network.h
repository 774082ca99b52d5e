/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLUSTER_NETWORK_H
#define DML_CLUSTER_NETWORK_H

#include "dml-host-names.h"
#include "dml-multipath-policy.h"
#include "dml-network-spec.h"

#include "ns3/dml-aggregation-tree.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Index of one direction of a link: 2 * link + the index of the sending end.
using DirectedLink = uint32_t;

/// A host or switch.
struct NetworkNode
{
    std::string name;    //!< unique
    bool isSwitch{true}; //!< a switch, else a host
};

/// A full-duplex point-to-point link.
struct NetworkLink
{
    std::array<uint32_t, 2> ends{};    //!< nodes
    std::array<DataRate, 2> rates;     //!< of what each end sends
    Time delay;                        //!< propagation
    std::array<QueueSpec, 2> queues;   //!< of the port at each end
    uint32_t mtu{1500};                //!< bytes of an IP packet
    std::array<uint32_t, 2> metrics{}; //!< length in shortest paths when sent from each end
    /// Name of the worker or server whose port to its host's local link it is; empty: a link
    /// between nodes. Both ends are the host then, and what is sent from end 0 comes from the
    /// worker.
    std::string resident;
    /// Which network card of its host it leads to, from 0; nothing: the host has one.
    std::optional<uint32_t> nic;
};

/**
 * @ingroup dml-network
 * @brief The network that both engines run on: nodes, links, routes, and who lives where.
 *
 * Routes are shortest paths by the links' metrics, found with Boost.Graph. The packet engine lets
 * ns-3 find its own from the same metrics and compares.
 */
class ClusterNetwork
{
  public:
    /// @param name unique @param isSwitch whether it is a switch @return index of the new node
    uint32_t AddNode(const std::string& name, bool isSwitch);

    /// @param link between two existing nodes @return index of the new link
    uint32_t AddLink(const NetworkLink& link);

    /**
     * @brief Let a worker or server reach the others on its host by a port to the host's local
     * link.
     * @param name of the worker or server, which has a host
     * @param local the local link
     */
    void AddLocalPort(const std::string& name, const LocalLinkSpec& local);

    /// @param link any @return whether it is a port to a local link
    bool IsLocal(DirectedLink link) const
    {
        return !m_links[link / 2].resident.empty();
    }

    /// @param name of a worker or server @return its port to the local link of its host, as it
    /// sends there, or NO_LINK
    DirectedLink FindLocalPort(const std::string& name) const;

    /**
     * @brief Let a host, or a worker or server on one with several network cards, send and receive
     * over one of them only.
     * @param name of the host, worker or server
     * @param link to the network card
     */
    void SetNic(const std::string& name, uint32_t link);

    /// @param name of a worker, server or other host @return whether it has one of several network
    /// cards of its host
    bool HasNic(const std::string& name) const
    {
        return m_nics.count(name) > 0;
    }

    /// @return whether any host has several network cards
    bool HasNics() const
    {
        return !m_nics.empty();
    }

    /// @param name of a worker, server, other host or aggregator @return the link of its network
    /// card, or the first link of its node, as it sends there; the reverse is this ^ 1
    DirectedLink FindUplink(const std::string& name) const;

    /// @param name of a worker, server or other host @param node where it lives
    void SetHost(const std::string& name, uint32_t node);

    /// @param multipath which of equally short paths packets take; by default there is one path
    /// @throws InputError if there is no such policy
    void SetMultipath(const MultipathSpec& multipath);

    /// @return which of equally short paths packets take
    const MultipathSpec& GetMultipath() const
    {
        return m_multipath;
    }

    /// @return the policy of that, for questions about it; null where there is one path
    const Ptr<MultipathPolicy>& GetPathPolicy() const
    {
        return m_policy;
    }

    /// @return whether packets of one connection may take several paths
    bool SpreadsConnections() const;

    /// @param jobs sizes of the training jobs whose hosts it has
    void SetJobs(const std::vector<JobSize>& jobs)
    {
        m_jobs = jobs;
    }

    /// @return whether workers of a job share hosts
    bool HasSharedHosts() const;

    /// @return sizes of the training jobs whose hosts it has, the first one first
    const std::vector<JobSize>& GetJobs() const
    {
        return m_jobs;
    }

    /**
     * @brief Let switches add up for a job.
     * @param job from 0
     * @param tree of these switches
     * @throws KeyError likewise, if a host has the name that one of them would have
     */
    void SetAggregation(uint32_t job, AggregationTree tree);

    /// @param job from 0 @return the switches that add up for it
    const AggregationTree& GetAggregation(uint32_t job) const;

    /// @param job from 0 @param index of one of its aggregators @return what it is called
    std::string GetAggregatorName(uint32_t job, uint32_t index) const;

    /// @return all nodes, by index
    const std::vector<NetworkNode>& GetNodes() const
    {
        return m_nodes;
    }

    /// @return all links, by index
    const std::vector<NetworkLink>& GetLinks() const
    {
        return m_links;
    }

    /// @return the number of directed links
    uint32_t GetDirectedLinks() const;

    /// @param name of a worker, server, other host or aggregator @return its node, or NO_NODE
    uint32_t FindHost(const std::string& name) const;
    /// @param a node @param b node @return a link between them, or NO_LINK
    uint32_t FindLink(uint32_t a, uint32_t b) const;

    /// @param node any @return how many links it has
    uint32_t CountLinks(uint32_t node) const
    {
        return m_ports[node].count;
    }

    /// @param node any @return its links, in ascending order, without ports to local links
    std::vector<uint32_t> ListLinks(uint32_t node) const;

    /// @param node a host @return its first link
    uint32_t GetHostLink(uint32_t node) const;
    /// @param node a host @return its first link, as it sends on it; the reverse is this ^ 1
    DirectedLink GetHostUplink(uint32_t node) const;

    /// @param direction of a link @return the sending node
    uint32_t GetSender(DirectedLink direction) const;
    /// @param direction of a link @return the receiving node
    uint32_t GetReceiver(DirectedLink direction) const;

    /// @param direction of a link @return its rate
    const DataRate& GetRate(DirectedLink direction) const
    {
        return m_links[direction / 2].rates[direction % 2];
    }

    /// @param direction of a link @return its name, "SENDER->RECEIVER"
    std::string GetName(DirectedLink direction) const;

    /**
     * @brief Shortest path; one of several where GetMultipath() has them, see FlowPaths.
     * @param from node
     * @param to node
     * @return directed links in order, empty if from is to
     * @throws InputError if there is none
     */
    std::vector<DirectedLink> FindRoute(uint32_t from, uint32_t to) const;

    /**
     * @brief Shortest path between two that may live on one host.
     * @param from name of a worker, server or other host
     * @param to name of another one
     * @return directed links in order: those of FindRoute(), or the ports to their host's local
     * link; empty if they share a host that has none
     */
    std::vector<DirectedLink> FindRoute(const std::string& from, const std::string& to) const;

    /// Finds a path from a node to another one.
    using PathFinder = std::function<std::vector<DirectedLink>(uint32_t from, uint32_t to)>;

    /**
     * @brief A path between two hosts over the network cards of those who talk.
     * @param from name of a worker, server or other host
     * @param to name of one on another host
     * @param find finds what lies between: from a host, or the switch that the card of @p from
     * leads to, to the other host, or the switch of the card of @p to
     * @return directed links in order
     */
    std::vector<DirectedLink> FindRoute(const std::string& from,
                                        const std::string& to,
                                        const PathFinder& find) const;

    /// @return the smallest MTU of all links, bytes
    uint32_t GetSmallestMtu() const;

    static constexpr uint32_t NO_NODE = UINT32_MAX; //!< no such node
    static constexpr uint32_t NO_LINK = UINT32_MAX; //!< no such link

  private:
    /// How to come to a node from a fixed one.
    struct Tree
    {
        std::vector<DirectedLink> last; //!< by node: last link of the path; of the root: none
        bool isUnique{true};            //!< there are no other paths of the same length
    };

    /// The links of a node.
    struct Ports
    {
        uint32_t first{NO_LINK}; //!< first link
        uint32_t count{0};       //!< number of ends of links
    };

    const Tree& GetTree(uint32_t from) const;
    /// @param from node @return it, or the neighbour through whose tree its routes lead: a host
    /// with one link needs no tree of its own
    uint32_t FindRoot(uint32_t from) const;

    MultipathSpec m_multipath;                         //!< which of equally short paths are taken
    Ptr<MultipathPolicy> m_policy;                     //!< made of it; may be null
    std::vector<JobSize> m_jobs;                       //!< jobs that have hosts here
    std::vector<NetworkNode> m_nodes;                  //!< by index
    std::vector<NetworkLink> m_links;                  //!< by index
    std::vector<Ports> m_ports;                        //!< by node
    std::map<std::string, uint32_t> m_hosts;           //!< node by name of who lives there
    std::map<std::string, uint32_t> m_localPorts;      //!< link by name of who has it
    std::map<std::string, uint32_t> m_nics;            //!< link by name of who sends over it
    std::map<uint32_t, AggregationTree> m_aggregation; //!< by job, where it has any
    mutable std::map<uint32_t, Tree> m_trees; //!< shortest paths from a node, once asked for
};

/**
 * @param network with the job's hosts
 * @param job from 0
 * @return for each worker, the number of its rack: of the node that its host's first link leads to;
 * where workers share hosts, of its host, so that hosts of a rack have consecutive numbers
 */
std::vector<uint32_t> FindRacks(const ClusterNetwork& network, uint32_t job);

/// @param network with the job's hosts @param job from 0 @return its racks, and the switches that
/// add up for it
CollectivePlaces FindPlaces(const ClusterNetwork& network, uint32_t job);

} // namespace ns3::dml

#endif /* DML_CLUSTER_NETWORK_H */
