/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-sharing.h"

#include "ns3/dml-instant.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr uint32_t RANDOM_STREAM = 7011;        //!< of the times until bursts are acknowledged
constexpr uint64_t ENDLESS = uint64_t{1} << 62; //!< bytes of what is sent until it is stopped
constexpr uint32_t DELAYED_ACKS = 2;            //!< segments after which an ACK is due (RFC 1122)

} // namespace

BurstSharing::BurstSharing(const FairShareNetwork& network, RunObserver* observer)
    : m_tcp(*network.tcp),
      m_linkRatio(m_tcp.framing * (m_tcp.segment + m_tcp.header) / m_tcp.segment),
      m_ackSize(m_tcp.header),
      m_jitter(m_tcp.tcp.ackJitter.GetSeconds()),
      m_random(network.seed, RANDOM_STREAM, network.replication),
      m_meter(network.links, METER_INTERVAL, observer)
{
    MakePorts(network);
    MakeConnections(network);
    FindOrderedPorts();
}

BurstSharing::~BurstSharing() = default;

void
BurstSharing::MakePorts(const FairShareNetwork& network)
{
    const auto& capacities = network.links.capacities;
    const double full = m_tcp.segment + m_tcp.header;
    double burst = full;
    for (const auto& port : m_tcp.ports)
    {
        burst = std::max(burst, std::floor(double(port.gsoSize) / m_tcp.segment) * full);
    }
    m_ports.reserve(capacities.size());
    for (LinkId link = 0; link < capacities.size(); ++link)
    {
        const TcpPort port = link < m_tcp.ports.size() ? m_tcp.ports[link] : TcpPort();
        m_ports.emplace_back(
            port,
            capacities[link] * m_linkRatio,
            BurstPort::Settings{full, burst, m_tcp.tcp.trains, &m_random, !network.changes.empty()},
            m_bursts);
    }
}

std::vector<BurstSharing::Hop>
BurstSharing::MakeRoute(const std::vector<LinkId>& links)
{
    std::vector<Hop> route;
    for (const LinkId link : links)
    {
        route.push_back({link, m_ports[link].AddQueue()});
    }
    return route;
}

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
        if (!connection.forward.empty() || flow.forward.empty())
        {
            continue;
        }
        connection.forward = MakeRoute(flow.forward);
        connection.reverse = MakeRoute(flow.reverse);
        connection.returnDelay = flow.returnDelay;
        connection.rate = flow.cap * m_linkRatio;
        double roundTrip = connection.reverse.empty() ? flow.returnDelay : 0;
        for (const auto* route : {&connection.forward, &connection.reverse})
        {
            for (const Hop& hop : *route)
            {
                const BurstPort& port = m_ports[hop.link];
                roundTrip += port.GetDelay() + m_ackSize / port.GetRate();
            }
        }
        const LinkId first = flow.forward.front();
        connection.settings = {m_tcp.tcp,
                               m_tcp.segment,
                               first < m_tcp.ports.size() ? m_tcp.ports[first].gsoSize : 0,
                               roundTrip};
    }
}

void
BurstSharing::FindOrderedPorts()
{
    constexpr double UNKNOWN = -1;
    std::vector<double> delays(m_ports.size(), UNKNOWN); // of the links before a port
    m_ordered.assign(m_ports.size(), true);
    for (const auto& connection : m_connections)
    {
        for (const auto* route : {&connection.forward, &connection.reverse})
        {
            for (std::size_t hop = 0; hop + 1 < route->size(); ++hop)
            {
                const BurstPort& before = m_ports[(*route)[hop].link];
                const LinkId link = (*route)[hop + 1].link;
                const bool alike = delays[link] == UNKNOWN || delays[link] == before.GetDelay();
                m_ordered[link] =
                    m_ordered[link] && alike && before.IsFair() && !m_ports[link].IsFair();
                delays[link] = before.GetDelay();
            }
        }
    }
}

uint32_t
BurstSharing::CountSegments(uint32_t bytes) const
{
    return (bytes + m_tcp.segment - 1) / m_tcp.segment;
}

double
BurstSharing::GetLinkBytes(uint32_t bytes) const
{
    const uint32_t segments = CountSegments(bytes);
    return bytes + double(segments) * m_tcp.header;
}

void
BurstSharing::Schedule(double time, Kind kind, uint32_t index)
{
    m_events.Push({time, m_order++, index, kind});
}

const std::vector<BurstSharing::Hop>&
BurstSharing::GetRoute(const NetworkBurst& burst) const
{
    const Connection& connection = m_connections[burst.connection];
    return burst.bytes > 0 ? connection.forward : connection.reverse;
}

void
BurstSharing::Enter(BurstId id, double time)
{
    ++m_closed.events;
    NetworkBurst& burst = m_bursts[id];
    const auto [link, queue] = GetRoute(burst)[burst.hop];
    BurstPort& port = m_ports[link];
    const uint32_t segments = burst.segments;
    const BurstPort::Verdict verdict = port.Take(time, id, queue);
    if (verdict.dropped > 0 && verdict.dropped == segments)
    {
        LoseAll(port, id);
        return;
    }
    if (verdict.dropped > 0)
    {
        LoseEnd(port, burst, verdict.dropped);
    }
    if (verdict.departs)
    {
        Depart(id, verdict.departure, link);
        return;
    }
    Serve(link);
}

void
BurstSharing::LoseAll(BurstPort& port, BurstId id)
{
    port.CountDropped(m_bursts[id].segments);
    Drop(m_bursts[id], m_bursts[id].bytes);
    m_bursts.Remove(id);
}

void
BurstSharing::LoseEnd(BurstPort& port, NetworkBurst& burst, uint32_t segments)
{
    const uint32_t left = burst.segments * m_tcp.segment;
    port.CountDropped(segments);
    Drop(burst, burst.bytes - left);
    burst.bytes = left;
}

void
BurstSharing::Serve(LinkId link)
{
    BurstPort& port = m_ports[link];
    const double end = port.Serve(m_now);
    for (const BurstId out : port.GetPushedOut())
    {
        LoseAll(port, out);
    }
    port.GetPushedOut().clear();
    for (const auto& cut : port.GetCuts())
    {
        LoseEnd(port, m_bursts[cut.burst], cut.segments);
    }
    port.GetCuts().clear();
    if (end >= 0)
    {
        Schedule(end, Kind::SERVED, link);
    }
}

void
BurstSharing::HandleServed(LinkId link)
{
    const BurstId id = m_ports[link].Finish();
    const uint32_t owner = m_bursts[id].connection;
    const Connection& connection = m_connections[owner];
    const bool ofSender = m_bursts[id].hop == 0 && m_bursts[id].bytes > 0 && connection.sender &&
                          m_bursts[id].life == connection.life;
    const double size = m_bursts[id].size;
    Depart(id, m_now, link);
    Serve(link);
    if (ofSender)
    {
        connection.sender->Leave(size);
        SendData(owner);
    }
}

void
BurstSharing::Depart(BurstId id, double departure, LinkId link)
{
    NetworkBurst& burst = m_bursts[id];
    if (burst.bytes > 0)
    {
        m_meter.Count(link, burst.size / m_linkRatio, departure);
    }
    ++burst.hop;
    const double arrival = departure + m_ports[link].GetDelay();
    const auto& route = GetRoute(burst);
    if (burst.hop < route.size() && m_ordered[route[burst.hop].link])
    {
        Enter(id, arrival);
        return;
    }
    burst.due = arrival;
    m_ports[link].NoteDeparture(m_now, id);
    Schedule(arrival, Kind::ARRIVAL, id);
}

void
BurstSharing::HandleArrival(BurstId id)
{
    const NetworkBurst burst = m_bursts[id];
    if (burst.hop < GetRoute(burst).size())
    {
        Enter(id, m_now);
        return;
    }
    ++m_closed.events;
    m_bursts.Remove(id);
    const uint32_t index = burst.connection;
    const Connection& connection = m_connections[index];
    if (!connection.sender || burst.life != connection.life)
    {
        return; // a datagram, or of a connection that was closed
    }
    burst.bytes > 0 ? TakeData(index, burst) : TakeAck(index, burst);
}

void
BurstSharing::Drop(const NetworkBurst& burst, uint32_t bytes)
{
    const Connection& connection = m_connections[burst.connection];
    if (burst.bytes == 0 || !connection.sender || burst.life != connection.life)
    {
        return;
    }
    if (connection.sender->Knows(burst.number))
    {
        connection.sender->Get(burst.number).dropped += bytes;
    }
    if (burst.hop == 0) // its host's link is down
    {
        connection.sender->Leave(GetLinkBytes(bytes));
    }
}

void
BurstSharing::TakeData(uint32_t index, const NetworkBurst& burst)
{
    Connection& connection = m_connections[index];
    const bool hadGap = connection.receiver.HasGap();
    connection.receiver.Take(burst.number, burst.begin, burst.bytes);
    if (connection.sender->Knows(burst.number))
    {
        connection.sender->Get(burst.number).marked = burst.marked;
    }
    connection.unacknowledged += burst.segments;
    EndTurns(connection);
    if (hadGap || connection.receiver.HasGap())
    {
        SendAck(index);
        return;
    }
    const bool ofBurst = connection.unacknowledged >= DELAYED_ACKS;
    if (connection.acksBurst || (!ofBurst && connection.ackAt != BurstSender::NEVER))
    {
        return; // the ACK that is due covers this too
    }
    double delay = m_tcp.tcp.delayedAckTimeout.GetSeconds();
    if (ofBurst)
    {
        const bool merges = connection.settings.gsoSize > 0 && m_jitter > 0;
        delay = merges ? -m_jitter * std::log1p(-m_random.RandU01()) : 0;
    }
    if (delay == 0)
    {
        SendAck(index);
        return;
    }
    connection.acksBurst = ofBurst;
    connection.ackAt = m_now + delay;
    Schedule(connection.ackAt, Kind::ACK, index);
}

void
BurstSharing::SendAck(uint32_t index)
{
    Connection& connection = m_connections[index];
    connection.ackAt = BurstSender::NEVER;
    connection.acksBurst = false;
    connection.unacknowledged = 0;
    const BurstId id = m_bursts.Add({index,
                                     0,
                                     m_ackSize,
                                     1,
                                     0,
                                     0,
                                     connection.receiver.GetReceived(),
                                     connection.receiver.GetTaken(),
                                     0,
                                     m_now,
                                     m_now + connection.returnDelay,
                                     connection.life});
    if (connection.reverse.empty())
    {
        Schedule(m_now + connection.returnDelay, Kind::ARRIVAL, id);
        return;
    }
    Enter(id, m_now);
}

void
BurstSharing::TakeAck(uint32_t index, const NetworkBurst& burst)
{
    Connection& connection = m_connections[index];
    BurstReceiver& receiver = connection.receiver;
    const uint64_t reported = receiver.GetTaken() - receiver.bursts.size();
    const std::size_t count = burst.number > reported ? burst.number - reported : 0;
    connection.sender->Receive(m_now, {burst.begin, receiver.bursts, count});
    AcceptTurns(connection);
    SendData(index);
}

void
BurstSharing::SendData(uint32_t index)
{
    Connection& connection = m_connections[index];
    BurstSender& sender = *connection.sender;
    for (uint64_t number = sender.Send(m_now); number != BurstSender::NONE;
         number = sender.Send(m_now))
    {
        const SentBurst& burst = sender.Get(number);
        const double size = GetLinkBytes(burst.bytes);
        const uint32_t segments = CountSegments(burst.bytes);
        sender.Queue(size);

        Enter(m_bursts.Add({index,
                            burst.bytes,
                            size,
                            segments,
                            0,
                            0,
                            burst.begin,
                            number,
                            0,
                            m_now,
                            m_now,
                            connection.life}),
              m_now);
    }
    WatchTimer(index);
}

void
BurstSharing::WatchTimer(uint32_t index)
{
    Connection& connection = m_connections[index];
    const double wanted = connection.sender->GetTimeout();
    if (wanted < connection.timerAt)
    {
        connection.timerAt = wanted;
        Schedule(wanted, Kind::TIMER, index);
    }
}

void
BurstSharing::HandleTimer(uint32_t index)
{
    Connection& connection = m_connections[index];
    connection.timerAt = BurstSender::NEVER;
    if (connection.sender->GetTimeout() > m_now)
    {
        WatchTimer(index);
        return;
    }
    connection.sender->HandleTimeout(m_now);
    SendData(index);
}

void
BurstSharing::SendDatagram(uint32_t index)
{
    Connection& connection = m_connections[index];
    const double size = m_tcp.segment + m_tcp.header;
    Enter(
        m_bursts.Add({index, m_tcp.segment, size, 1, 0, 0, 0, 0, 0, m_now, m_now, connection.life}),
        m_now);
    connection.timerAt = m_now + size / connection.rate;
    Schedule(connection.timerAt, Kind::TIMER, index);
}

void
BurstSharing::AcceptTurns(Connection& connection)
{
    const uint64_t accepted = connection.sender->GetAccepted();
    for (; connection.accepted < connection.turns.size() &&
           connection.turns[connection.accepted].end <= accepted;
         ++connection.accepted)
    {
        Report(connection.turns[connection.accepted], FlowEnd::Kind::ACCEPTED);
    }
}

void
BurstSharing::EndTurns(Connection& connection)
{
    while (!connection.turns.empty() &&
           connection.turns.front().end <= connection.receiver.GetReceived())
    {
        Report(connection.turns.front(), FlowEnd::Kind::ARRIVED);
        connection.turns.pop_front();
        --connection.accepted;
    }
}

void
BurstSharing::Report(const Turn& turn, FlowEnd::Kind kind)
{
    m_ends.push_back({m_now, InstantOf(m_now), turn.order, turn.flow, kind});
}

void
BurstSharing::Handle(const Event& event)
{
    switch (event.kind)
    {
    case Kind::SERVED:
        if (m_ports[event.index].IsBusy() && m_ports[event.index].GetFree() == event.time)
        {
            HandleServed(event.index);
        }
        break;
    case Kind::ARRIVAL:
        if (m_bursts[event.index].due == event.time) // else the rate of its link has changed
        {
            HandleArrival(event.index);
        }
        break;
    case Kind::ACK:
        if (m_connections[event.index].ackAt == event.time)
        {
            SendAck(event.index);
        }
        break;
    case Kind::TIMER:
        if (const Connection& connection = m_connections[event.index];
            connection.timerAt == event.time)
        {
            connection.rate > 0 ? SendDatagram(event.index) : HandleTimer(event.index);
        }
        break;
    }
}

void
BurstSharing::Start(FlowId flow, double bytes, uint64_t order, double now)
{
    m_now = now;
    const uint32_t index = m_connectionOf[flow];
    Connection& connection = m_connections[index];
    if (connection.rate > 0)
    {
        connection.timerAt = now + connection.pause;
        Schedule(connection.timerAt, Kind::TIMER, index);
        return;
    }
    if (!connection.sender)
    {
        connection.sender = std::make_unique<BurstSender>(connection.settings);
    }
    const bool endless = bytes >= static_cast<double>(ENDLESS);
    const auto size =
        endless ? ENDLESS : std::max<uint64_t>(1, std::llround(std::ceil(bytes * m_tcp.framing)));
    connection.written += size;
    connection.sender->Write(size);
    if (!endless)
    {
        connection.turns.push_back({connection.written, order, flow});
    }
    AcceptTurns(connection);
    SendData(index);
}

const FlowEnd&
BurstSharing::GetNextEnd(double horizon)
{
    while (m_ends.empty() && !m_events.IsEmpty() && m_events.GetFirst().time <= horizon)
    {
        const Event event = m_events.Pop();
        m_now = event.time;
        Handle(event);
    }
    return m_ends.empty() ? m_none : m_ends.front();
}

void
BurstSharing::Finish()
{
    m_ends.pop_front();
}

void
BurstSharing::Close(Connection& connection)
{
    AddTotals(connection, m_tcp.segment, m_closed);
    ++connection.life;
    connection.sender.reset();
    connection.receiver = BurstReceiver();
    connection.turns.clear();
    connection.accepted = 0;
    connection.written = 0;
    connection.ackAt = BurstSender::NEVER;
    connection.acksBurst = false;
    connection.unacknowledged = 0;
    connection.timerAt = BurstSender::NEVER;
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
BurstSharing::SetCapacity(LinkId link, double bytesPerSecond, double now)
{
    m_now = now;
    BurstPort& port = m_ports[link];
    for (const BurstId id : port.SetRate(now, bytesPerSecond * m_linkRatio))
    {
        Schedule(m_bursts[id].due, Kind::ARRIVAL, id);
    }
    if (port.IsFair() && port.IsBusy())
    {
        Schedule(std::max(now, port.GetFree()), Kind::SERVED, link);
    }
    else if (port.IsFair())
    {
        Serve(link);
    }
}

void
BurstSharing::MoveOrigin(double seconds)
{
    m_events.ChangeAll([seconds](Event& event) { event.time -= seconds; });
    m_bursts.MoveOrigin(seconds);
    for (auto& port : m_ports)
    {
        port.MoveOrigin(seconds);
    }
    for (auto& connection : m_connections)
    {
        if (connection.sender)
        {
            connection.sender->MoveOrigin(seconds);
        }
        connection.ackAt -= seconds;
        connection.timerAt -= seconds;
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
    double wait = 0;
    for (const Hop& hop : m_connections[m_connectionOf[flow]].reverse)
    {
        wait += m_ports[hop.link].GetWait(now);
    }
    return wait;
}

std::optional<TransportTotals>
BurstSharing::GetTotals() const
{
    TransportTotals totals = m_closed;
    for (const auto& connection : m_connections)
    {
        AddTotals(connection, m_tcp.segment, totals);
    }
    for (const auto& port : m_ports)
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
