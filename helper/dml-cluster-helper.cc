/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-cluster-helper.h"

#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-error.h"
#include "ns3/dml-topology-builder.h"

#include <vector>

namespace ns3::dml
{

ClusterHelper::ClusterHelper(const NetworkSpec& network, const TrainingRun& run)
    : m_spec(network)
{
    if (!network.background.empty() || !network.faults.empty())
    {
        throw InputError("a network with " +
                         std::string(network.faults.empty() ? "background flows" : "faults") +
                         ", which a script adds itself; accepted: one without, and ns-3's own " +
                         (network.faults.empty() ? "applications" : "error models") +
                         " on its nodes");
    }
    const JobSize size{run.workers, run.plan->servers};
    m_cluster =
        std::make_unique<Cluster>(network.tcp,
                                  std::make_shared<ClusterNetwork>(BuildNetwork(network, {size})));
    m_cluster->SetCongestion(ChooseCongestion(network, std::vector<TrainingRun>{run}));
    m_cluster->Create();
}

ClusterHelper::~ClusterHelper() = default;

ApplicationContainer
ClusterHelper::Install(TrainingJob& job) const
{
    return job.Install(*m_cluster, m_spec.rate);
}

int64_t
ClusterHelper::AssignStreams(int64_t stream)
{
    return m_cluster->AssignStreams(stream);
}

Ptr<Node>
ClusterHelper::GetNode(const std::string& name) const
{
    const ClusterNetwork& network = m_cluster->GetNetwork();
    std::string names;
    for (uint32_t node = 0; node < network.GetNodes().size(); ++node)
    {
        if (network.GetNodes()[node].name == name)
        {
            return m_cluster->GetNode(node);
        }
        names += (node > 0 ? ", " : "") + network.GetNodes()[node].name;
    }
    if (network.FindHost(name) != ClusterNetwork::NO_NODE) // one that shares a host
    {
        return m_cluster->GetNode(name);
    }
    throw InputError("no node '" + name + "' in the network; accepted: " + names);
}

NodeContainer
ClusterHelper::List(bool switches) const
{
    const auto& nodes = m_cluster->GetNetwork().GetNodes();
    NodeContainer list;
    for (uint32_t node = 0; node < nodes.size(); ++node)
    {
        if (nodes[node].isSwitch == switches)
        {
            list.Add(m_cluster->GetNode(node));
        }
    }
    return list;
}

NodeContainer
ClusterHelper::GetHosts() const
{
    return List(false);
}

NodeContainer
ClusterHelper::GetSwitches() const
{
    return List(true);
}

} // namespace ns3::dml
