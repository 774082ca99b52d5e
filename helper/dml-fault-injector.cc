/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fault-injector.h"

#include "ns3/simulator.h"

namespace ns3
{
namespace dml
{

FaultInjector::FaultInjector(const ClusterHelper& cluster, Time origin, int64_t stream)
    : m_cluster(cluster),
      m_origin(origin),
      m_stream(stream)
{
}

void
FaultInjector::Add(const FaultSpec& fault, const std::string& key)
{
    for (const DirectedLink direction : FindFaultLinks(m_cluster.GetNetwork(), fault, key))
    {
        GetModel(direction);
        if (fault.kind == FaultSpec::Kind::LOSS)
        {
            // independent losses: a packet survives all of them
            Link& link = m_links[direction];
            link.loss = 1 - (1 - link.loss) * (1 - fault.probability);
            Simulator::Schedule(m_origin - Simulator::Now(),
                                &FaultInjector::Change,
                                this,
                                direction,
                                0);
            continue;
        }
        const Time start = m_origin + fault.start - Simulator::Now();
        Simulator::Schedule(start, &FaultInjector::Change, this, direction, 1);
        Simulator::Schedule(start + fault.duration, &FaultInjector::Change, this, direction, -1);
    }
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
FaultInjector::Change(DirectedLink direction, int change)
{
    Link& link = m_links[direction];
    link.down += change;
    link.model->SetRate(link.down > 0 ? 1 : link.loss);
}

} // namespace dml
} // namespace ns3
