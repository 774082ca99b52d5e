/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fault-injector.h"

#include "ns3/dml-model-clock.h"
#include "ns3/dml-topology-builder.h"

namespace ns3::dml
{

FaultInjector::FaultInjector(const Cluster& cluster, Time origin, int64_t stream)
    : m_cluster(cluster),
      m_origin(origin),
      m_stream(stream)
{
}

void
FaultInjector::Add(const std::vector<FaultSpec>& faults)
{
    const ClusterNetwork& network = m_cluster.GetNetwork();
    for (const auto& fault : faults)
    {
        if (fault.kind != FaultSpec::Kind::LOSS)
        {
            continue;
        }
        for (const DirectedLink link : FindFaultLinks(network, fault))
        {
            // independent losses: a packet survives all of them
            Link& lossy = m_links[link];
            lossy.loss = 1 - (1 - lossy.loss) * (1 - fault.probability);
            Schedule({Time(0), link, network.GetRate(link), false});
        }
    }
    for (const auto& change : ListLinkChanges(network, faults))
    {
        Schedule(change);
    }
}

void
FaultInjector::Schedule(const LinkChange& change)
{
    GetModel(change.link);
    ModelClock::Schedule(m_origin + change.time - ModelClock::Now(),
                         [this, change] { Change(change); });
}

RateErrorModel&
FaultInjector::GetModel(DirectedLink direction)
{
    Link& link = m_links[direction];
    if (!link.model)
    {
        link.model = CreateObject<RateErrorModel>();
        link.model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
        link.model->SetRate(0);
        m_stream += link.model->AssignStreams(m_stream);
        // the receiving end of one direction is the sending end of the other
        m_cluster.GetDevice(direction ^ 1)->SetReceiveErrorModel(link.model);
    }
    return *link.model;
}

void
FaultInjector::Change(const LinkChange& change)
{
    const Link& link = m_links[change.link];
    link.model->SetRate(change.down ? 1 : link.loss);
    m_cluster.GetDevice(change.link)->SetDataRate(change.rate);
    if (m_changed)
    {
        m_changed();
    }
}

} // namespace ns3::dml
