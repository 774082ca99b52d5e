/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How connections begin and end, and what is known of all of them; what bursts do is in
// dml-burst-sharing.cc.

#include "dml-burst-sharing.h"

#include "ns3/dml-instant.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

constexpr uint32_t RANDOM_STREAM = 7011; //!< ns-3 stream of all that is random

} // namespace

BurstSharing::BurstSharing(const FairShareNetwork& network, RunObserver* observer)
    : m_tcp(*network.tcp),
      m_linkRatio(m_tcp.framing * (m_tcp.segment + m_tcp.header) / m_tcp.segment),
      m_ackSize(m_tcp.header),
      m_ackTimeout(m_tcp.tcp.delayedAckTimeout.GetSeconds()),
      m_random(network.seed, RANDOM_STREAM, network.replication),
      m_ackTimes(GetAckJitter(m_tcp.tcp).GetSeconds(), m_random),
      m_network(network, m_linkRatio, m_random),
      m_meter(network.links, METER_INTERVAL, observer)
{
    MakeConnections(network);
    m_network.FindOrderedPorts();
}

BurstSharing::~BurstSharing() = default;

void
BurstSharing::MakeConnections(const FairShareNetwork& network)
{
    const FlowNetwork& links = network.links;
    for (FlowId id = 0; id < links.flows.size(); ++id)
    {
        const NetworkFlow& flow = links.flows[id];
        const uint32_t number = links.connections.empty() ? id : links.connections[id];
        m_connectionOf.push_back(number);
        if (number >= m_connections.size())
        {
            m_connections.resize(number + 1);
        }
        Connection& connection = m_connections[number];
        if (connection.forward != NO_ROUTE || flow.forward.empty())
        {
            continue;
        }
        connection.forward = m_network.AddRoute(flow.forward);
        connection.reverse = m_network.AddRoute(flow.reverse);
        connection.returnDelay = flow.reverse.empty() ? flow.returnDelay : 0;
        connection.rate = flow.cap * m_linkRatio;
        connection.control = flow.control;
        connection.roundTrip = connection.returnDelay;
        for (const uint32_t route : {connection.forward, connection.reverse})
        {
            connection.roundTrip = m_network.AddDelay(connection.roundTrip, route, m_ackSize);
        }
        const LinkId first = flow.forward.front();
        connection.gsoSize = first < m_tcp.ports.size() ? m_tcp.ports[first].gsoSize : 0;
    }
}

void
BurstSharing::Close(Connection& connection)
{
    AddTotals(connection, m_tcp.segment, m_closed);
    ++connection.life;
    connection.sender.reset();
    connection.receiver = BurstReceiver();
    connection.turns = BurstTurns();
    connection.ackAt = BurstSender::NEVER;
    connection.acksBurst = false;
    connection.unacknowledged = 0;
    connection.timerAt = BurstSender::NEVER;
    connection.leaving.clear();
}

void
BurstSharing::Stop(FlowId flow, double now)
{
    m_now = now;
    Connection& connection = m_connections[m_connectionOf[flow]];
    // a flow that goes on and off sends at its rate over all its times together
    connection.pause = connection.rate > 0 ? std::max(0.0, connection.timerAt - now) : 0;
    Close(connection);
    m_ends.erase(std::remove_if(m_ends.begin(),
                                m_ends.end(),
                                [flow](const FlowEnd& end) { return end.flow == flow; }),
                 m_ends.end());
}

void
BurstSharing::MoveOrigin(double seconds)
{
    m_events.ChangeAll(
        [seconds](Event& event) { event.rank = RankOf(TimeOf(event.rank) - seconds); });
    m_network.MoveOrigin(seconds);
    for (auto& connection : m_connections)
    {
        if (connection.sender)
        {
            connection.sender->MoveOrigin(seconds);
        }
        connection.ackAt -= seconds;
        connection.ackWatchedAt -= seconds;
        connection.timerAt -= seconds;
        for (auto& burst : connection.leaving)
        {
            burst.time -= seconds;
        }
    }
    for (auto& end : m_ends)
    {
        end.time -= seconds;
        end.instant = InstantOf(end.time);
    }
    m_now -= seconds;
    m_meter.MoveOrigin(seconds);
}

void
BurstSharing::AddTotals(const Connection& connection, uint32_t segment, TransportTotals& totals)
{
    if (connection.sender)
    {
        totals.retransmissions += (connection.sender->GetRetransmitted() + segment - 1) / segment;
        totals.timeouts += connection.sender->GetTimeouts();
        totals.recoveries += connection.sender->GetRecoveries();
    }
}

double
BurstSharing::GetReturnWait(FlowId flow, double now) const
{
    const uint32_t route = m_connections[m_connectionOf[flow]].reverse;
    return route == NO_ROUTE ? 0 : m_network.GetWait(route, now);
}

std::optional<TransportTotals>
BurstSharing::GetTotals() const
{
    TransportTotals totals = m_closed;
    for (const auto& connection : m_connections)
    {
        AddTotals(connection, m_tcp.segment, totals);
    }
    for (const auto& port : m_network.GetPorts())
    {
        totals.links.push_back(port.GetUse());
        totals.links.back().bytes -= port.GetWait(m_now) * port.GetRate(); // it is not sent yet
    }
    return totals;
}

void
BurstSharing::Flush(double now)
{
    m_meter.Flush(now);
}

} // namespace ns3::dml
