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
      m_weights(network.flows.size(), 1),
      m_connections(network.connections),
      m_established(network.capacities.size())
{
    for (const auto& flow : network.flows)
    {
        for (const LinkId link : flow.forward)
        {
            ++m_established[link].flows;
        }
    }
    for (FlowId id = 0; id < m_weights.size(); ++id)
    {
        const Connection connection = Of(id);
        if (connection >= m_states.size())
        {
            m_states.resize(connection + 1);
            m_ports.resize(connection + 1);
            m_sending.resize(m_connections.empty() ? 0 : connection + 1);
        }
        if (!m_ports[connection].empty())
        {
            continue;
        }
        const auto& route = network.flows[id].forward;
        std::copy_if(
            route.begin(),
            route.end(),
            std::back_inserter(m_ports[connection]),
            [&](LinkId link) { return network.IsDropTail(link) && m_established[link].flows > 1; });
    }
    for (auto& state : m_states)
    {
        state.logarithm = m_shares.spread * DrawNormal();
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
DropTailWeights::DrawWeight(FlowId flow)
{
    double& logarithm = m_states[Of(flow)].logarithm;
    const double fresh = m_shares.spread * std::sqrt(1 - m_shares.memory * m_shares.memory);
    logarithm = m_shares.memory * logarithm + fresh * DrawNormal();
    m_weights[flow] = std::exp(logarithm);
}

const std::vector<FlowId>&
DropTailWeights::Change(const FlowChanges& changes)
{
    m_changed.clear();
    for (const FlowId flow : changes.started)
    {
        DrawWeight(flow);
    }
    if (m_shares.newcomer < 1)
    {
        m_domains.resize(std::max<std::size_t>(m_domains.size(), changes.domain + 1));
        FindNewcomers(m_domains[changes.domain], changes);
    }
    return m_changed;
}

bool
DropTailWeights::Count(Connection connection, int32_t flows)
{
    bool few = false;
    for (const LinkId link : m_ports[connection])
    {
        m_established[link].established += flows;
        few |= m_established[link].established <= 1;
    }
    return few;
}

bool
DropTailWeights::MeetsOthers(Connection connection) const
{
    const State& state = m_states[connection];
    const uint32_t itself = state.established ? state.active : 0;
    const auto& ports = m_ports[connection];
    return std::any_of(ports.begin(), ports.end(), [&](LinkId link) {
        return m_established[link].established > itself;
    });
}

void
DropTailWeights::EndNewcomer(Connection connection)
{
    State& state = m_states[connection];
    if (!state.newcomer)
    {
        return;
    }
    state.newcomer = false;
    if (m_connections.empty())
    {
        m_weights[connection] = std::exp(state.logarithm);
        if (state.active > 0)
        {
            m_changed.push_back(connection);
        }
        return;
    }
    for (const FlowId flow : m_sending[connection])
    {
        m_weights[flow] = std::exp(state.logarithm);
        m_changed.push_back(flow);
    }
}

void
DropTailWeights::FindEstablished(Domain& domain, double now)
{
    for (; domain.established < domain.begun.size(); ++domain.established)
    {
        const Connection connection = domain.begun[domain.established];
        State& state = m_states[connection];
        if (now - state.begun < ESTABLISHED)
        {
            return;
        }
        state.established = true;
        Count(connection, static_cast<int32_t>(state.active));
    }
}

void
DropTailWeights::Start(FlowId flow)
{
    const Connection connection = Of(flow);
    State& state = m_states[connection];
    ++state.active;
    if (!m_connections.empty())
    {
        m_sending[connection].push_back(flow);
    }
    if (state.established)
    {
        Count(connection, 1);
    }
}

bool
DropTailWeights::End(FlowId flow)
{
    const Connection connection = Of(flow);
    State& state = m_states[connection];
    const bool few = state.established && Count(connection, -1);
    --state.active;
    if (!m_connections.empty())
    {
        auto& sending = m_sending[connection];
        sending.erase(std::find(sending.begin(), sending.end(), flow));
    }
    return few;
}

void
DropTailWeights::FindNewcomers(Domain& domain, const FlowChanges& changes)
{
    FindEstablished(domain, changes.now);
    bool few = false; // else nobody can be alone who was not
    for (const FlowId flow : changes.ended)
    {
        few |= End(flow);
        if (m_states[Of(flow)].active == 0)
        {
            EndNewcomer(Of(flow));
        }
    }
    for (const FlowId flow : changes.started)
    {
        Start(flow);
    }
    for (; domain.grown < domain.begun.size() &&
           changes.now - m_states[domain.begun[domain.grown]].begun >= GROWN;
         ++domain.grown)
    {
        EndNewcomer(domain.begun[domain.grown]);
    }
    for (std::size_t i = domain.grown; few && i < domain.begun.size(); ++i)
    {
        if (m_states[domain.begun[i]].newcomer && !MeetsOthers(domain.begun[i]))
        {
            EndNewcomer(domain.begun[i]);
        }
    }
    for (const FlowId flow : changes.started)
    {
        State& state = m_states[Of(flow)];
        if (state.begun == NOT_YET && MeetsOthers(Of(flow)))
        {
            state.newcomer = true;
            m_weights[flow] *= m_shares.newcomer;
        }
    }
    for (const FlowId flow : changes.started)
    {
        State& state = m_states[Of(flow)];
        if (state.begun == NOT_YET)
        {
            state.begun = changes.now;
            domain.begun.push_back(Of(flow));
        }
    }
}

} // namespace ns3::dml
