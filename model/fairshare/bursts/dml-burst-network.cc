/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-network.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

BurstNetwork::BurstNetwork(const FairShareNetwork& network, double linkRatio, RngStream& random)
{
    const TcpNetwork& tcp = *network.tcp;
    const auto& capacities = network.links.capacities;
    const double full = tcp.segment + tcp.header;
    double burst = full;
    for (const auto& port : tcp.ports)
    {
        burst = std::max(burst, std::floor(double(port.gsoSize) / tcp.segment) * full);
    }
    m_ports.reserve(capacities.size());
    for (LinkId link = 0; link < capacities.size(); ++link)
    {
        const TcpPort port = link < tcp.ports.size() ? tcp.ports[link] : TcpPort();
        m_ports.emplace_back(
            port,
            capacities[link] * linkRatio,
            BurstPort::Settings{full, burst, tcp.tcp.trains, &random, !network.changes.empty()},
            m_bursts);
        if (port.atSwitch && port.queue.kind == QueueSpec::Kind::SHARED)
        {
            const auto bytes = static_cast<double>(port.queue.bytes);
            m_ports.back().Share(m_memories.try_emplace(port.node, bytes).first->second);
            m_sharing[port.node].push_back(link);
        }
    }
}

uint32_t
BurstNetwork::AddRoute(const std::vector<LinkId>& links)
{
    const uint32_t first = m_hops.size();
    for (const LinkId link : links)
    {
        m_hops.push_back({link, m_ports[link].AddQueue(m_hops.size() > first), false});
    }
    m_hops.push_back({NO_LINK, 0, false});
    return first;
}

void
BurstNetwork::FindOrderedPorts()
{
    constexpr double UNKNOWN = -1;
    std::vector<double> delays(m_ports.size(), UNKNOWN); // of the links before a port
    std::vector<bool> ordered(m_ports.size(), true);
    for (std::size_t hop = 1; hop < m_hops.size(); ++hop)
    {
        const LinkId link = m_hops[hop].link;
        if (m_hops[hop - 1].link == NO_LINK || link == NO_LINK)
        {
            continue;
        }
        const BurstPort& before = m_ports[m_hops[hop - 1].link];
        const bool alike = delays[link] == UNKNOWN || delays[link] == before.GetDelay();
        ordered[link] = ordered[link] && alike && before.IsFair() && !m_ports[link].IsFair();
        delays[link] = before.GetDelay();
    }
    // what comes to one port of a memory is to be known in order with what comes to the others
    for (const auto& [node, ports] : m_sharing)
    {
        double delay = UNKNOWN;
        bool all = true;
        for (const LinkId link : ports)
        {
            if (delays[link] != UNKNOWN)
            {
                all = all && ordered[link] && (delay == UNKNOWN || delay == delays[link]);
                delay = delays[link];
            }
        }
        for (const LinkId link : ports)
        {
            ordered[link] = all;
        }
    }
    for (auto& hop : m_hops)
    {
        hop.ordered = hop.link != NO_LINK && ordered[hop.link];
    }
}

double
BurstNetwork::AddDelay(double seconds, uint32_t hop, double bytes) const
{
    for (; m_hops[hop].link != NO_LINK; ++hop)
    {
        const BurstPort& port = m_ports[m_hops[hop].link];
        seconds += port.GetDelay() + bytes / port.GetRate();
    }
    return seconds;
}

double
BurstNetwork::GetWait(uint32_t hop, double now) const
{
    double wait = 0;
    for (; m_hops[hop].link != NO_LINK; ++hop)
    {
        wait += m_ports[m_hops[hop].link].GetWait(now);
    }
    return wait;
}

void
BurstNetwork::MoveOrigin(double seconds)
{
    m_bursts.MoveOrigin(seconds);
    for (auto& port : m_ports)
    {
        port.MoveOrigin(seconds);
    }
}

} // namespace ns3::dml
