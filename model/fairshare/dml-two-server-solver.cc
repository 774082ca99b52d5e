/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-two-server-solver.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

void
Refuse(const std::string& found)
{
    throw SharingError(
        "two-ps",
        found,
        "a star of two parameter servers with equal links and nothing else on it, or "
        "the rule max-min");
}

/// Whether each flow crosses a link of its server and one of its worker, which nobody else uses.
bool
IsStar(const FlowNetwork& network)
{
    std::map<LinkId, std::set<std::pair<bool, uint32_t>>> users; // hosts that a link could be of
    for (std::size_t i = 0; i < network.training.size(); ++i)
    {
        const TransferChannel& flow = network.training[i];
        const auto& links = network.flows[i].forward;
        const auto server = std::find_if(network.serverLinks.begin(),
                                         network.serverLinks.end(),
                                         [&](const auto& s) { return s.IsOn(flow); });
        const bool found = links.size() == 2 && server != network.serverLinks.end() &&
                           std::count(links.begin(), links.end(), server->link) == 1;
        if (!found)
        {
            return false;
        }
        users[server->link].insert({true, GetServer(flow)});
        users[links[0] == server->link ? links[1] : links[0]].insert({false, GetWorker(flow)});
    }
    return std::all_of(users.begin(), users.end(), [](const auto& link) {
        return link.second.size() == 1;
    });
}

} // namespace

TwoServerSolver::TwoServerSolver(const FlowNetwork& network)
    : m_rate(network.capacities.empty() ? 0 : network.capacities.front())
{
    uint32_t servers = 0;
    uint32_t workers = 0;
    for (const auto& channel : network.training)
    {
        if (GetDirection(channel) == Direction::PEER)
        {
            Refuse("workers that send to each other");
        }
        const Flow flow{GetWorker(channel), GetServer(channel), GetDirection(channel)};
        servers = std::max(servers, flow.server + 1);
        workers = std::max(workers, flow.worker + 1);
        m_flows.push_back(flow);
    }
    if (servers != 2)
    {
        Refuse(std::to_string(servers) + " parameter servers");
    }
    if (network.flows.size() != m_flows.size())
    {
        Refuse("background flows");
    }
    if (std::count(network.capacities.begin(), network.capacities.end(), m_rate) !=
        static_cast<std::ptrdiff_t>(network.capacities.size()))
    {
        Refuse("links of different rates");
    }
    if (!IsStar(network))
    {
        Refuse("another topology");
    }
    for (auto& state : m_states)
    {
        state.servers.resize(workers);
    }
}

void
TwoServerSolver::SetCapacity(LinkId, double)
{
    Refuse("a link that changes its rate");
}

void
TwoServerSolver::Solve(const std::vector<FlowId>& active, std::vector<double>& rates)
{
    for (const FlowId id : active)
    {
        State& state = m_states[static_cast<std::size_t>(m_flows[id].direction)];
        state.count = {};
        state.servers[m_flows[id].worker] = 0;
    }
    for (const FlowId id : active)
    {
        State& state = m_states[static_cast<std::size_t>(m_flows[id].direction)];
        ++state.count[m_flows[id].server];
        state.servers[m_flows[id].worker] |= 1u << m_flows[id].server;
    }
    for (const FlowId id : active)
    {
        const Flow& flow = m_flows[id];
        const State& state = m_states[static_cast<std::size_t>(flow.direction)];
        const uint32_t here = state.count[flow.server];
        const uint32_t there = state.count[1 - flow.server];
        double share = 1.0 / here;
        if (here == 1 && state.servers[flow.worker] == 3)
        {
            share = there == 1 ? 0.5 : 1 - 1.0 / there;
        }
        rates[id] = share * m_rate;
    }
}

} // namespace ns3::dml
