/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-topology-builder.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace ns3
{
namespace dml
{

namespace
{

/// Length of a link of metric 1; what is added to it to tell equal paths apart is less than 1/4.
constexpr uint32_t UNIT_METRIC = 256;
/// ns-3's interfaces have metrics of 16 bits.
constexpr uint32_t TIE_BREAKERS = 61;

/// Fastest trunk that a ratio may give, bits/s.
constexpr double MAX_TRUNK = 1e13;

/// Networks that were built.
uint64_t g_built = 0;

/// A trunk's length from one end: odd multiples, so that sums of two differ.
uint32_t
TieBreaker(uint32_t link, uint32_t side)
{
    return (link * 7 + side * 3) * 11 % TIE_BREAKERS;
}

/// Builds one network.
class Builder
{
  public:
    Builder(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
        : m_spec(spec),
          m_names(spec, jobs)
    {
        m_network.SetJobs(jobs);
    }

    ClusterNetwork Build()
    {
        m_names.Check();
        const std::string& type = m_spec.topology.type;
        if (type == "star")
        {
            const uint32_t centre = m_network.AddNode("switch", true);
            Deal({centre});
        }
        else if (type == "dumbbell")
        {
            BuildDumbbell();
        }
        else if (type == "leaf-spine")
        {
            BuildLeafSpine();
        }
        else
        {
            BuildExplicit();
        }
        CheckSwitchNames();
        for (const auto& [guest, host] : m_spec.colocate)
        {
            if (m_names.IsPresent(guest))
            {
                m_network.SetHost(guest, m_network.FindHost(host));
            }
        }
        CheckPaths();
        return std::move(m_network);
    }

  private:
    /// The switches that a topology makes have names, too.
    void CheckSwitchNames() const
    {
        for (std::size_t i = 0; i < m_spec.extraHosts.size(); ++i)
        {
            for (const auto& node : m_network.GetNodes())
            {
                if (node.isSwitch && node.name == m_spec.extraHosts[i])
                {
                    throw NetworkError("extra_hosts[" + std::to_string(i) + "]",
                                       "'" + node.name + "', which a switch is called",
                                       "names that no other node has");
                }
            }
        }
    }

    NetworkLink MakeLink(uint32_t a, uint32_t b, const LinkSpec& link, uint32_t metric = 1) const
    {
        const uint32_t index = m_network.GetLinks().size();
        NetworkLink result;
        result.ends = {a, b};
        result.rate = link.rate.value_or(m_spec.rate);
        result.delay = link.delay.value_or(m_spec.delay);
        result.mtu = link.mtu.value_or(m_spec.mtu);
        for (uint32_t side = 0; side < 2; ++side)
        {
            const bool isSwitch = m_network.GetNodes()[result.ends[side]].isSwitch;
            result.queues[side] = isSwitch ? link.queue.value_or(m_spec.queue) : m_spec.hostQueue;
            result.metrics[side] = metric * UNIT_METRIC + TieBreaker(index, side);
        }
        return result;
    }

    LinkSpec GetHostLink(const std::string& name) const
    {
        const auto own = m_spec.hosts.find(name);
        return own == m_spec.hosts.end() ? LinkSpec{} : own->second;
    }

    uint32_t AddHost(const std::string& name)
    {
        const uint32_t node = m_network.AddNode(name, false);
        m_network.SetHost(name, node);
        return node;
    }

    /// Hosts with a node of their own, dealt to the switches in turn.
    void Deal(const std::vector<uint32_t>& switches)
    {
        uint32_t next = 0;
        for (const auto& name : m_names.GetOwnNodes())
        {
            const uint32_t centre = switches[next++ % switches.size()];
            m_network.AddLink(MakeLink(AddHost(name), centre, GetHostLink(name)));
        }
    }

    void BuildDumbbell()
    {
        const uint32_t left = m_network.AddNode("left", true);
        const uint32_t right = m_network.AddNode("right", true);
        m_network.AddLink(MakeLink(left, right, m_spec.topology.trunk));
        std::set<std::string> onLeft(m_names.GetServers().begin(), m_names.GetServers().end());
        for (std::size_t i = 0; i < m_spec.extraHosts.size(); i += 2)
        {
            onLeft.insert(m_spec.extraHosts[i]);
        }
        for (const auto& name : m_names.GetOwnNodes())
        {
            const uint32_t side = onLeft.count(name) > 0 ? left : right;
            m_network.AddLink(MakeLink(AddHost(name), side, GetHostLink(name)));
        }
    }

    /// @return the largest rate of the hosts of a leaf together, bits/s
    double GetBusiestLeaf() const
    {
        std::vector<double> bits(m_spec.topology.leaves);
        uint32_t next = 0;
        for (const auto& name : m_names.GetOwnNodes())
        {
            const DataRate rate = GetHostLink(name).rate.value_or(m_spec.rate);
            bits[next++ % bits.size()] += rate.GetBitRate();
        }
        return *std::max_element(bits.begin(), bits.end());
    }

    void BuildLeafSpine()
    {
        const TopologySpec& topology = m_spec.topology;
        std::vector<uint32_t> leaves;
        for (uint32_t leaf = 0; leaf < topology.leaves; ++leaf)
        {
            leaves.push_back(m_network.AddNode("leaf" + std::to_string(leaf), true));
        }
        LinkSpec trunk = topology.trunk;
        if (!trunk.rate)
        {
            // a leaf sends over one of its trunks only
            const double bits = GetBusiestLeaf() / topology.oversubscription;
            if (!(bits >= 1 && bits <= MAX_TRUNK))
            {
                std::ostringstream found;
                found << topology.oversubscription << ", which makes trunks of " << bits
                      << " bit/s";
                throw NetworkError("topology.oversubscription",
                                   found.str(),
                                   "a ratio that gives trunks of 1 to 1e+13 bit/s");
            }
            trunk.rate = DataRate(static_cast<uint64_t>(bits));
        }
        for (uint32_t spine = 0; spine < topology.spines; ++spine)
        {
            const uint32_t node = m_network.AddNode("spine" + std::to_string(spine), true);
            for (uint32_t leaf = 0; leaf < topology.leaves; ++leaf)
            {
                NetworkLink link = MakeLink(leaves[leaf], node, trunk);
                // upwards, a leaf's own spine is the nearest
                const uint32_t rank =
                    (spine + topology.spines - leaf % topology.spines) % topology.spines;
                link.metrics = {UNIT_METRIC + rank, UNIT_METRIC};
                m_network.AddLink(link);
            }
        }
        Deal(leaves);
    }

    void BuildExplicit()
    {
        const TopologySpec& topology = m_spec.topology;
        std::map<std::string, uint32_t> nodes;
        for (std::size_t i = 0; i < topology.switches.size(); ++i)
        {
            const std::string& name = topology.switches[i];
            const std::string key = "topology.switches[" + std::to_string(i) + "]";
            HostNames::CheckLetters(key, name);
            if (HostNames::IsJobName(name) || m_names.IsPresent(name) || nodes.count(name) > 0)
            {
                throw NetworkError(key, "'" + name + "'", "names that no other node has");
            }
            nodes[name] = m_network.AddNode(name, true);
        }
        for (const auto& name : m_names.GetOwnNodes())
        {
            nodes[name] = AddHost(name);
        }
        std::set<std::set<uint32_t>> seen;
        for (std::size_t i = 0; i < topology.links.size(); ++i)
        {
            const ExplicitLinkSpec& link = topology.links[i];
            const std::string key = "topology.links[" + std::to_string(i) + "].between";
            std::vector<uint32_t> ends;
            for (const auto& name : link.ends)
            {
                if (nodes.count(name) > 0)
                {
                    ends.push_back(nodes[name]);
                }
                else if (!HostNames::IsJobName(name))
                {
                    throw NetworkError(key,
                                       "'" + name + "', no such node",
                                       "one of topology.switches, workerN, psN or extra_hosts",
                                       name);
                }
                else if (m_spec.colocate.count(name) > 0)
                {
                    throw NetworkError(key,
                                       "'" + name + "', which lives with " +
                                           m_spec.colocate.at(name),
                                       "nodes of their own");
                }
            }
            if (ends.size() < 2)
            {
                continue; // of a worker or server that this cluster does not have
            }
            if (ends[0] == ends[1] || !seen.insert({ends[0], ends[1]}).second)
            {
                throw NetworkError(key,
                                   "'" + link.ends[0] + "' and '" + link.ends[1] + "'",
                                   "each pair of different nodes once");
            }
            LinkSpec own = link.link;
            for (const auto& name : link.ends)
            {
                const LinkSpec host = GetHostLink(name);
                own.rate = own.rate ? own.rate : host.rate;
                own.delay = own.delay ? own.delay : host.delay;
                own.queue = own.queue ? own.queue : host.queue;
                own.mtu = own.mtu ? own.mtu : host.mtu;
            }
            m_network.AddLink(MakeLink(ends[0], ends[1], own, link.metric));
        }
    }

    /// Every host must reach every other one.
    void CheckPaths() const
    {
        const auto names = m_names.GetOwnNodes();
        for (const auto& name : names)
        {
            const uint32_t from = m_network.FindHost(names.front());
            const uint32_t to = m_network.FindHost(name);
            try
            {
                m_network.FindRoute(from, to);
            }
            catch (const InputError& error)
            {
                throw NetworkError("topology.links", error.what(), "links that connect all hosts");
            }
        }
    }

    const NetworkSpec& m_spec; //!< what to build
    HostNames m_names;         //!< of the hosts
    ClusterNetwork m_network;  //!< being built
};

} // namespace

ClusterNetwork
BuildNetwork(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
{
    ++g_built;
    return Builder(spec, jobs).Build();
}

uint64_t
CountBuiltNetworks()
{
    return g_built;
}

std::vector<DirectedLink>
FindFaultLinks(const ClusterNetwork& network, const FaultSpec& fault)
{
    const std::string key = fault.key + ".link";
    std::vector<DirectedLink> links;
    if (fault.link.empty())
    {
        for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
        {
            links.push_back(link);
        }
        return links;
    }
    std::vector<uint32_t> nodes;
    for (const auto& name : fault.link)
    {
        uint32_t node = network.FindHost(name);
        for (uint32_t i = 0; i < network.GetNodes().size() && node == ClusterNetwork::NO_NODE; ++i)
        {
            node = network.GetNodes()[i].name == name ? i : node;
        }
        if (node == ClusterNetwork::NO_NODE)
        {
            throw NetworkError(key,
                               "'" + name + "', no such node",
                               "a host, or two neighbours",
                               name);
        }
        nodes.push_back(node);
    }
    const uint32_t link =
        nodes.size() == 1 ? network.GetHostLink(nodes[0]) : network.FindLink(nodes[0], nodes[1]);
    if (link == ClusterNetwork::NO_LINK ||
        (nodes.size() == 1 && network.GetNodes()[nodes[0]].isSwitch))
    {
        throw NetworkError(key, "no such link", "a host, or two nodes with a link between them");
    }
    return {2 * link, 2 * link + 1};
}

} // namespace dml
} // namespace ns3
