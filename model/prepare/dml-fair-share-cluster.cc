/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-cluster.h"

#include "ns3/dml-goodput.h"
#include "ns3/dml-link-changes.h"
#include "ns3/dml-sharing-policies.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return whether flows wait in order of arrival, and what does not fit is lost
bool
MayDrop(const QueueSpec& queue)
{
    return queue.kind == QueueSpec::Kind::DROP_TAIL && queue.bytes > 0;
}

/// @return whether any port is such a queue
bool
MayDrop(const NetworkSpec& network)
{
    const auto may = [](const LinkSpec& link) { return link.queue && MayDrop(*link.queue); };
    return MayDrop(network.queue) || may(network.topology.trunk) ||
           std::any_of(network.hosts.begin(),
                       network.hosts.end(),
                       [&may](const auto& host) { return may(host.second); }) ||
           std::any_of(network.topology.links.begin(),
                       network.topology.links.end(),
                       [&may](const auto& link) { return may(link.link); });
}

/// Puts together one network.
class Translation
{
  public:
    Translation(const Scenario& scenario, const ClusterNetwork& cluster)
        : m_scenario(scenario),
          m_cluster(cluster),
          m_format(GetWireFormat(m_cluster.GetSmallestMtu(),
                                 scenario.network.tcp.timestamps,
                                 GetMessageFraming(scenario.transfer)))
    {
    }

    FairShareNetwork Translate(std::vector<JobShape> shapes)
    {
        const FairShareSpec& spec = m_scenario.fairShare;
        m_network.rule = GetSharingRule(m_scenario, m_cluster.GetJobs());
        m_network.ownRule = {spec.sharing, spec.sharingAttributes};
        m_network.seed = m_scenario.seed;
        for (const auto& link : m_cluster.GetLinks())
        {
            m_network.links.capacities.insert(m_network.links.capacities.end(),
                                              2,
                                              GetGoodput(link.rate, m_format));
        }
        ListDropTail();
        AddTraining(std::move(shapes));
        for (uint32_t i = 0; i < m_scenario.network.background.size(); ++i)
        {
            AddBackground(i);
        }
        AddFaults();
        return std::move(m_network);
    }

  private:
    /// See which ports of switches lose packets; hosts hold theirs back.
    void ListDropTail()
    {
        for (DirectedLink way = 0; way < m_cluster.GetDirectedLinks(); ++way)
        {
            const uint32_t sender = m_cluster.GetSender(way);
            const NetworkLink& link = m_cluster.GetLinks()[way / 2];
            m_network.links.dropTail.push_back(m_cluster.GetNodes()[sender].isSwitch &&
                                               MayDrop(link.queues[way % 2]));
        }
    }

    NetworkFlow MakeFlow(const std::string& from, const std::string& to) const
    {
        const uint32_t source = m_cluster.FindHost(from);
        const uint32_t target = m_cluster.FindHost(to);
        NetworkFlow flow;
        flow.forward = m_cluster.FindRoute(source, target);
        flow.reverse = m_cluster.FindRoute(target, source);
        flow.delay = flow.forward.empty() ? 0 : m_scenario.fairShare.oneWayDelay.GetSeconds();
        flow.window = m_scenario.network.tcp.sendBuffer;
        for (const auto* route : {&flow.forward, &flow.reverse})
        {
            for (const DirectedLink link : *route)
            {
                flow.roundTrip += m_cluster.GetLinks()[link / 2].delay.GetSeconds();
            }
        }
        return flow;
    }

    void AddTraining(std::vector<JobShape> shapes)
    {
        FlowNetwork& links = m_network.links;
        const auto& jobs = m_cluster.GetJobs();
        const bool known = !shapes.empty();
        std::vector<std::string> workers;
        std::vector<std::string> servers;
        for (uint32_t job = 0; job < jobs.size(); ++job)
        {
            if (!known)
            {
                shapes.push_back({jobs[job]});
            }
            for (uint32_t worker = 0; worker < jobs[job].workers; ++worker)
            {
                workers.push_back(WorkerName(job, worker));
            }
            for (uint32_t server = 0; server < jobs[job].servers; ++server)
            {
                servers.push_back(ServerName(job, server));
            }
        }
        links.training = ListTrainingFlows(shapes);
        const auto name = [&](const Endpoint& endpoint) -> const std::string& {
            return (endpoint.role == Role::SERVER ? servers : workers)[endpoint.index];
        };
        for (const auto& channel : links.training)
        {
            links.flows.push_back(MakeFlow(name(channel.from), name(channel.to)));
        }
        for (uint32_t job = 0; job < jobs.size(); ++job)
        {
            for (uint32_t server = 0; server < jobs[job].servers; ++server)
            {
                const uint32_t host = m_cluster.FindHost(ServerName(job, server));
                const DirectedLink out = m_cluster.GetHostUplink(host);
                const Endpoint endpoint{Role::SERVER, server};
                links.serverLinks.push_back({{endpoint, AccessLink::Way::OUT}, out, job});
                links.serverLinks.push_back({{endpoint, AccessLink::Way::IN}, out ^ 1, job});
            }
        }
    }

    void AddBackground(uint32_t index)
    {
        constexpr double DATAGRAM_OVERHEAD = 28; // IPv4 and UDP
        constexpr double LINK_OVERHEAD = 2;      // PPP
        const BackgroundSpec& spec = m_scenario.network.background[index];
        BackgroundFlow flow = MakeBackgroundFlow(spec, index, m_scenario.seed, 0);
        if (flow.rate > 0)
        {
            const double mtu = m_cluster.GetSmallestMtu();
            const double wire = flow.rate * (mtu + LINK_OVERHEAD) / (mtu - DATAGRAM_OVERHEAD);
            flow.rate = GetGoodput(DataRate(static_cast<uint64_t>(8 * wire)), m_format);
        }
        m_network.background.push_back(flow);
        m_network.links.flows.push_back(MakeFlow(spec.from, spec.to));
    }

    void AddFaults()
    {
        for (const auto& change : ListLinkChanges(m_cluster, m_scenario.network.faults))
        {
            m_network.changes.push_back({change.time.GetSeconds(),
                                         change.link,
                                         change.down ? 0.0 : GetGoodput(change.rate, m_format)});
        }
    }

    const Scenario& m_scenario;      //!< what to translate
    const ClusterNetwork& m_cluster; //!< nodes, links and routes
    WireFormat m_format;             //!< of a full packet
    FairShareNetwork m_network;      //!< result
};

} // namespace

SharingRule
GetSharingRule(const Scenario& scenario, const std::vector<JobSize>& jobs)
{
    const NetworkSpec& spec = scenario.network;
    const std::string& name = scenario.fairShare.sharing;
    if (name != "auto")
    {
        return SharingPolicies().HasName(name) ? SharingRuleFromString(name) : SharingRule::OWN;
    }
    if (spec.transport == "linux" && MayDrop(spec))
    {
        return SharingRule::DROP_TAIL;
    }
    const bool plain = spec.topology.type == "star" && spec.hosts.empty() &&
                       spec.colocate.empty() && spec.background.empty() && spec.faults.empty();
    return plain && jobs.size() == 1 && jobs.front().servers == 1 ? SharingRule::EQUAL
                                                                  : SharingRule::MAX_MIN;
}

FairShareNetwork
MakeFairShareNetwork(const Scenario& scenario,
                     const ClusterNetwork& cluster,
                     std::vector<JobShape> shapes)
{
    return Translation(scenario, cluster).Translate(std::move(shapes));
}

void
SetReplication(uint32_t replication, FairShareNetwork& network)
{
    network.replication = replication;
    for (auto& flow : network.background)
    {
        flow.replication = replication;
    }
}

} // namespace ns3::dml
