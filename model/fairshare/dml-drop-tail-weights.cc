/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-drop-tail-weights.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ns3::dml
{

DropTailWeights::DropTailWeights(const FlowNetwork& network, const Shares& shares)
    : m_shares(shares),
      m_random(shares.seed, STREAM, shares.replication),
      m_flows(network.flows.size()),
      m_ports(network.flows.size()),
      m_established(network.capacities.size())
{
    for (const auto& flow : network.flows)
    {
        for (const LinkId link : flow.forward)
        {
            ++m_established[link].flows;
        }
    }
    for (FlowId id = 0; id < m_flows.size(); ++id)
    {
        const auto& route = network.flows[id].forward;
        std::copy_if(route.begin(), route.end(), std::back_inserter(m_ports[id]), [&](LinkId link) {
            return network.IsDropTail(link) && m_established[link].flows > 1;
        });
        m_flows[id].logarithm = m_shares.spread * DrawNormal();
    }
}

double
DropTailWeights::DrawNormal()
{
    // Box and Muller
    const double radius = std::sqrt(-2 * std::log1p(-m_random.RandU01()));
    return radius * std::cos(2 * M_PI * m_random.RandU01());
}

void
DropTailWeights::DrawWeight(Flow& flow)
{
    const double fresh = m_shares.spread * std::sqrt(1 - m_shares.memory * m_shares.memory);
    flow.logarithm = m_shares.memory * flow.logarithm + fresh * DrawNormal();
    flow.weight = std::exp(flow.logarithm);
}

const std::vector<FlowId>&
DropTailWeights::Change(const FlowChanges& changes)
{
    m_changed.clear();
    for (const FlowId flow : changes.started)
    {
        DrawWeight(m_flows[flow]);
    }
    if (m_shares.newcomer < 1)
    {
        m_domains.resize(std::max<std::size_t>(m_domains.size(), changes.domain + 1));
        FindNewcomers(m_domains[changes.domain], changes);
    }
    return m_changed;
}

bool
DropTailWeights::Count(FlowId flow, int32_t sign)
{
    bool few = false;
    for (const LinkId link : m_ports[flow])
    {
        m_established[link].established += sign;
        few |= m_established[link].established <= 1;
    }
    return few;
}

bool
DropTailWeights::MeetsOthers(FlowId id) const
{
    const Flow& flow = m_flows[id];
    const uint32_t itself = flow.active && flow.established ? 1 : 0;
    return std::any_of(m_ports[id].begin(), m_ports[id].end(), [&](LinkId link) {
        return m_established[link].established > itself;
    });
}

void
DropTailWeights::EndNewcomer(FlowId id)
{
    Flow& flow = m_flows[id];
    if (flow.newcomer)
    {
        flow.newcomer = false;
        flow.weight = std::exp(flow.logarithm);
        if (flow.active)
        {
            m_changed.push_back(id);
        }
    }
}

void
DropTailWeights::FindEstablished(Domain& domain, double now)
{
    for (; domain.established < domain.begun.size(); ++domain.established)
    {
        const FlowId id = domain.begun[domain.established];
        Flow& flow = m_flows[id];
        if (now - flow.begun < ESTABLISHED)
        {
            return;
        }
        flow.established = true;
        if (flow.active)
        {
            Count(id, 1);
        }
    }
}

void
DropTailWeights::FindNewcomers(Domain& domain, const FlowChanges& changes)
{
    FindEstablished(domain, changes.now);
    bool few = false; // else nobody can be alone who was not
    for (const FlowId id : changes.ended)
    {
        Flow& flow = m_flows[id];
        few |= flow.established && Count(id, -1);
        flow.active = false;
        EndNewcomer(id);
    }
    for (const FlowId id : changes.started)
    {
        Flow& flow = m_flows[id];
        flow.active = true;
        if (flow.established)
        {
            Count(id, 1);
        }
    }
    for (; domain.grown < domain.begun.size() &&
           changes.now - m_flows[domain.begun[domain.grown]].begun >= GROWN;
         ++domain.grown)
    {
        EndNewcomer(domain.begun[domain.grown]);
    }
    for (std::size_t i = domain.grown; few && i < domain.begun.size(); ++i)
    {
        if (m_flows[domain.begun[i]].newcomer && !MeetsOthers(domain.begun[i]))
        {
            EndNewcomer(domain.begun[i]);
        }
    }
    for (const FlowId id : changes.started)
    {
        Flow& flow = m_flows[id];
        if (flow.begun == NOT_YET && MeetsOthers(id))
        {
            flow.newcomer = true;
            flow.weight *= m_shares.newcomer;
        }
    }
    for (const FlowId id : changes.started)
    {
        if (m_flows[id].begun == NOT_YET)
        {
            m_flows[id].begun = changes.now;
            domain.begun.push_back(id);
        }
    }
}

} // namespace ns3::dml
