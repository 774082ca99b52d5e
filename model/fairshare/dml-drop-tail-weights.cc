/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-drop-tail-weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

namespace ns3::dml
{

namespace
{

/// With which probability a loss of the port changes the weight of a connection.
constexpr double CHANGES = 0.5;
/// Losses in the time in which shares persist, so that so many leave exp(-1) of a correlation.
const double LOSSES = -1 / std::log(1 - CHANGES);

/// How much less equal the first shares are of who comes to a port that others have filled, than
/// those of who is there: what the kernel's connections get (doc/bursts.rst, Virtual networks).
constexpr double COMING = 2;
/// Losses that are nearer to each other count as one, seconds.
constexpr double DUE_WITHIN = 1e-6;

} // namespace

DropTailWeights::DropTailWeights(const FlowNetwork& network, const Shares& shares)
    : m_shares(shares),
      m_random(shares.seed, STREAM, shares.replication),
      m_weights(network.flows.size(), 1),
      m_connections(network.connections),
      m_meetings(network.capacities.size())
{
    for (const auto& flow : network.flows)
    {
        for (const LinkId link : flow.forward)
        {
            ++m_meetings[link].flows;
        }
    }
    for (LinkId link = 0; link < m_meetings.size(); ++link)
    {
        m_meetings[link].bytes = network.GetDropTail(link);
        SetRate(m_meetings[link], network.capacities[link]);
        m_meetings[link].losses = m_shares.memory ? 0 : m_random.RandU01();
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
            [&](LinkId link) { return network.IsDropTail(link) && m_meetings[link].flows > 1; });
    }
    for (auto& state : m_states)
    {
        state.deviation = m_shares.memory || m_shares.begun ? DrawNormal() : 0;
    }
}

void
DropTailWeights::SetRate(Port& port, double bytesPerSecond)
{
    port.shares.clear();
    port.drain = port.bytes / bytesPerSecond;
    for (uint32_t i = 0; port.bytes > 0 && i <= std::min(port.flows, MOST_SHARING_CONNECTIONS); ++i)
    {
        port.shares.push_back(GetPortShares(port.bytes, bytesPerSecond, i));
    }
}

double
DropTailWeights::DrawNormal()
{
    // Box and Muller
    const double radius = std::sqrt(-2 * std::log1p(-m_random.RandU01()));
    return radius * std::cos(2 * M_PI * m_random.RandU01());
}

const PortShares&
DropTailWeights::GetShares(const Port& port)
{
    return port.shares[std::min(port.active, MOST_SHARING_CONNECTIONS)];
}

const DropTailWeights::Port*
DropTailWeights::FindPort(Connection connection) const
{
    const Port* found = nullptr;
    for (const LinkId link : m_ports[connection])
    {
        const Port& port = m_meetings[link];
        found = !found || GetShares(port).spread > GetShares(*found).spread ? &port : found;
    }
    return found;
}

void
DropTailWeights::CountLosses(Port& port, double now)
{
    if (port.active > 1)
    {
        port.losses += LOSSES * (now - port.counted) / GetShares(port).persistence;
    }
    port.counted = now;
}

double
DropTailWeights::GetLosses(Connection connection, double now)
{
    double losses = 0;
    for (const LinkId link : m_ports[connection])
    {
        CountLosses(m_meetings[link], now);
        losses += std::floor(m_meetings[link].losses);
    }
    return losses;
}

void
DropTailWeights::Draw(Domain& domain, Connection connection, double now)
{
    State& state = m_states[connection];
    const Port* port = FindPort(connection);
    state.spread = m_shares.spread.value_or(port ? GetShares(*port).spread : 0);
    if (m_shares.memory)
    {
        const double memory = *m_shares.memory;
        state.deviation = memory * state.deviation + std::sqrt(1 - memory * memory) * DrawNormal();
        return;
    }
    if (!port)
    {
        return;
    }
    const double losses = GetLosses(connection, now) - state.losses;
    state.losses += losses;
    if (losses > 0 && m_random.RandU01() >= std::pow(1 - CHANGES, losses))
    {
        state.deviation = DrawNormal();
    }
    if (!state.due)
    {
        const double left = std::floor(port->losses) + 1 - port->losses;
        const double loss = now + left * GetShares(*port).persistence / LOSSES;
        // connections that wait for the same loss draw in the order of their numbers
        const double due = std::max(loss, now + DUE_WITHIN / 2);
        domain.due.emplace_back(std::ceil(due / DUE_WITHIN) * DUE_WITHIN, connection);
        state.due = true;
        std::push_heap(domain.due.begin(), domain.due.end(), std::greater<>());
    }
}

void
DropTailWeights::DrawDue(Domain& domain, double now, std::size_t most)
{
    const double until = now + DUE_WITHIN / 2; // but for rounding
    for (; most > 0 && !domain.due.empty() && domain.due.front().first <= until; --most)
    {
        const Connection connection = domain.due.front().second;
        std::pop_heap(domain.due.begin(), domain.due.end(), std::greater<>());
        domain.due.pop_back();
        m_states[connection].due = false;
        if (m_states[connection].active > 0)
        {
            Draw(domain, connection, now);
            Apply(connection);
        }
    }
}

double
DropTailWeights::GetNextChange(uint32_t domain) const
{
    const bool knows = domain < m_domains.size() && !m_domains[domain].due.empty() &&
                       m_domains[domain].due.size() <= MOST_SHARING_CONNECTIONS;
    return knows ? m_domains[domain].due.front().first : NOT_YET;
}

double
DropTailWeights::GetWeight(Connection connection) const
{
    const State& state = m_states[connection];
    return std::exp(state.spread * state.deviation) * (state.newcomer ? m_shares.newcomer : 1);
}

void
DropTailWeights::Apply(Connection connection)
{
    const double weight = GetWeight(connection);
    if (m_connections.empty())
    {
        m_weights[connection] = weight;
        if (m_states[connection].active > 0)
        {
            m_changed.push_back(connection);
        }
        return;
    }
    for (const FlowId flow : m_sending[connection])
    {
        m_weights[flow] = weight;
        m_changed.push_back(flow);
    }
}

const std::vector<FlowId>&
DropTailWeights::Change(const FlowChanges& changes)
{
    m_changed.clear();
    m_domains.resize(std::max<std::size_t>(m_domains.size(), changes.domain + 1));
    Domain& domain = m_domains[changes.domain];
    for (const auto& [link, rate] : m_rates)
    {
        CountLosses(m_meetings[link], changes.now);
        SetRate(m_meetings[link], rate);
    }
    m_rates.clear();
    FindEstablished(domain, changes.now);
    bool few = false; // else nobody can be alone who was not
    for (const FlowId flow : changes.ended)
    {
        few |= End(flow, changes.now);
    }
    // many connections wait for their turn, so that a change costs no more than what has started
    const bool many = domain.due.size() > MOST_SHARING_CONNECTIONS;
    DrawDue(domain, changes.now, many ? changes.started.size() : domain.due.size());
    for (const FlowId flow : changes.started)
    {
        Start(flow, changes.now);
    }
    for (const FlowId flow : changes.started)
    {
        Draw(domain, Of(flow), changes.now);
    }
    if (m_shares.newcomer < 1)
    {
        FindNewcomers(domain, changes, few);
    }
    for (const FlowId flow : changes.started)
    {
        m_weights[flow] = GetWeight(Of(flow));
    }
    return m_changed;
}

void
DropTailWeights::SetCapacity(LinkId link, double bytesPerSecond)
{
    if (bytesPerSecond > 0) // a link that is down keeps its shares
    {
        m_rates.emplace_back(link, bytesPerSecond);
    }
}

bool
DropTailWeights::IsFilled(Connection connection, double now) const
{
    const auto& ports = m_ports[connection];
    return std::any_of(ports.begin(), ports.end(), [&](LinkId link) {
        const Port& port = m_meetings[link];
        return port.active > 0 && now - port.filling > port.drain;
    });
}

void
DropTailWeights::CountActive(Connection connection, int32_t change, double now)
{
    for (const LinkId link : m_ports[connection])
    {
        Port& port = m_meetings[link];
        CountLosses(port, now);
        port.filling = port.active == 0 ? now : port.filling;
        port.active += change;
    }
}

bool
DropTailWeights::Count(Connection connection, int32_t flows)
{
    bool few = false;
    for (const LinkId link : m_ports[connection])
    {
        m_meetings[link].established += flows;
        few |= m_meetings[link].established <= 1;
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
        return m_meetings[link].established > itself;
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
    Apply(connection);
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
DropTailWeights::Start(FlowId flow, double now)
{
    const Connection connection = Of(flow);
    State& state = m_states[connection];
    if (state.active == 0)
    {
        state.losses += GetLosses(connection, now);
        if (!m_shares.memory && IsFilled(connection, now))
        {
            state.deviation = COMING * DrawNormal();
        }
        CountActive(connection, 1, now);
    }
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
DropTailWeights::End(FlowId flow, double now)
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
    if (state.active == 0)
    {
        CountActive(connection, -1, now);
        state.losses -= GetLosses(connection, now);
        EndNewcomer(connection);
    }
    return few;
}

void
DropTailWeights::FindNewcomers(Domain& domain, const FlowChanges& changes, bool few)
{
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
        state.newcomer |= state.begun == NOT_YET && MeetsOthers(Of(flow));
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
