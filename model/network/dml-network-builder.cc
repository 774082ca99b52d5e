/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-builder.h"

#include "ns3/dml-suggestion.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ns3::dml
{

namespace
{

/// ns-3's interfaces have metrics of 16 bits.
constexpr uint32_t TIE_BREAKERS = 61;

/// A trunk's length from one end: odd multiples, so that sums of two differ.
uint32_t
TieBreaker(uint32_t link, uint32_t side)
{
    return (link * 7 + side * 3) * 11 % TIE_BREAKERS;
}

} // namespace

NetworkBuilder::NetworkBuilder(const NetworkSpec& spec, const std::vector<JobSize>& jobs)
    : m_spec(spec),
      m_names(spec, jobs)
{
    m_network.SetMultipath(spec.multipath);
    m_network.SetJobs(jobs);
    m_names.Check();
}

LinkSpec
NetworkBuilder::GetHostLink(const std::string& name) const
{
    const auto own = m_spec.hosts.find(name);
    return own == m_spec.hosts.end() ? LinkSpec{} : own->second;
}

uint32_t
NetworkBuilder::AddSwitch(const std::string& name)
{
    return m_network.AddNode(name, true);
}

uint32_t
NetworkBuilder::AddHost(const std::string& name)
{
    const uint32_t node = m_network.AddNode(name, false);
    m_network.SetHost(name, node);
    return node;
}

NetworkLink
NetworkBuilder::MakeLink(uint32_t a, uint32_t b, const LinkSpec& link, uint32_t metric) const
{
    const uint32_t index = m_network.GetLinks().size();
    NetworkLink result;
    result.ends = {a, b};
    const LinkRates rates = link.rate.value_or(m_spec.rate);
    result.rates = {rates.up, rates.down};
    result.delay = link.delay.value_or(m_spec.delay);
    result.mtu = link.mtu.value_or(m_spec.mtu);
    for (uint32_t side = 0; side < 2; ++side)
    {
        const bool isSwitch = m_network.GetNodes()[result.ends[side]].isSwitch;
        result.queues[side] = isSwitch ? link.queue.value_or(m_spec.queue) : m_spec.hostQueue;
        QueueSpec& queue = result.queues[side];
        queue.threshold =
            queue.thresholdPackets > 0 ? queue.thresholdPackets * result.mtu : queue.threshold;
        result.metrics[side] = metric * UNIT_METRIC;
        if (!m_spec.multipath.IsOn())
        {
            result.metrics[side] += TieBreaker(index, side);
        }
    }
    return result;
}

void
NetworkBuilder::Connect(const NetworkLink& link)
{
    uint32_t nics = 1;
    for (const uint32_t end : link.ends)
    {
        nics = std::max(nics, m_names.CountNics(m_network.GetNodes()[end].name));
    }
    for (uint32_t nic = 0; nic < nics; ++nic)
    {
        NetworkLink each = link;
        if (nics > 1)
        {
            each.nic = nic;
            each.metrics = {link.metrics[0] + nic, link.metrics[1] + nic}; // all are different
        }
        m_network.AddLink(each);
    }
}

void
NetworkBuilder::ConnectHost(const std::string& name, uint32_t node)
{
    Connect(MakeLink(AddHost(name), node, GetHostLink(name)));
}

void
NetworkBuilder::Deal(const std::vector<uint32_t>& switches)
{
    uint32_t next = 0;
    for (const auto& name : m_names.GetOwnNodes())
    {
        ConnectHost(name, switches[next++ % switches.size()]);
    }
}

ClusterNetwork
NetworkBuilder::Finish()
{
    CheckSwitchNames();
    CheckNodes();
    for (const auto& [worker, host] : m_names.GetSharedHosts())
    {
        m_network.SetHost(worker, m_network.FindHost(host));
    }
    for (const auto& [guest, host] : m_spec.colocate)
    {
        if (m_names.IsPresent(guest))
        {
            m_network.SetHost(guest, m_network.FindHost(host));
        }
    }
    AssignNics();
    CheckPaths();
    AddLocalPorts();
    return std::move(m_network);
}

/// The switches that a topology makes have names, too.
void
NetworkBuilder::CheckSwitchNames() const
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

/// Nothing that a Topology of the user's may have forgotten is missing.
void
NetworkBuilder::CheckNodes() const
{
    std::set<std::string> names;
    for (const auto& node : m_network.GetNodes())
    {
        if (!names.insert(node.name).second)
        {
            throw NetworkError("topology",
                               "two nodes '" + node.name + "'",
                               "a topology whose nodes have names of their own");
        }
    }
    for (const auto& name : m_names.GetOwnNodes())
    {
        if (m_network.FindHost(name) == ClusterNetwork::NO_NODE)
        {
            throw NetworkError("topology",
                               "no node for '" + name + "'",
                               "a topology with a node for every host");
        }
    }
}

std::map<uint32_t, std::vector<uint32_t>>
NetworkBuilder::FindNics() const
{
    std::map<uint32_t, std::vector<uint32_t>> nics;
    for (const auto& name : m_names.GetOwnNodes())
    {
        if (m_names.CountNics(name) == 1)
        {
            continue;
        }
        const uint32_t host = m_network.FindHost(name);
        auto& links = nics[host];
        links = m_network.ListLinks(host);
        std::set<uint32_t> neighbours;
        for (const uint32_t link : links)
        {
            const auto& [a, b] = m_network.GetLinks()[link].ends;
            neighbours.insert(a == host ? b : a);
        }
        if (neighbours.size() != 1 || !m_network.GetNodes()[*neighbours.begin()].isSwitch)
        {
            std::vector<std::string> found;
            for (const uint32_t node : neighbours)
            {
                found.push_back(m_network.GetNodes()[node].name);
            }
            throw NetworkError(m_spec.FindNicsKey().substr(std::string("network.").size()),
                               "several network cards of " + name + ", which has links to " +
                                   (found.empty() ? "no node" : JoinWords(found)),
                               "hosts with links to one switch");
        }
    }
    return nics;
}

void
NetworkBuilder::AssignNics()
{
    const auto nics = FindNics();
    for (const auto& [host, links] : nics)
    {
        m_network.SetNic(m_network.GetNodes()[host].name, links.front());
    }
    std::map<uint32_t, uint32_t> residents;     // by host
    for (const bool areWorkers : {true, false}) // of the host; then who moves in
    {
        for (const auto& name : m_names.GetEndpoints())
        {
            const auto host = nics.find(m_network.FindHost(name));
            if (host != nics.end() && areWorkers == (m_names.GetSharedHosts().count(name) > 0))
            {
                const auto& links = host->second;
                m_network.SetNic(name, links[residents[host->first]++ % links.size()]);
            }
        }
    }
}

/// Workers and servers that share a host get ports to its local link, after all other links.
void
NetworkBuilder::AddLocalPorts()
{
    if (!m_spec.local)
    {
        return;
    }
    std::map<uint32_t, uint32_t> residents; // by host
    const auto endpoints = m_names.GetEndpoints();
    for (const auto& name : endpoints)
    {
        ++residents[m_network.FindHost(name)];
    }
    for (const auto& name : endpoints)
    {
        if (residents.at(m_network.FindHost(name)) > 1)
        {
            m_network.AddLocalPort(name, *m_spec.local);
        }
    }
}

/// Every host must reach every other one.
void
NetworkBuilder::CheckPaths() const
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

} // namespace ns3::dml
