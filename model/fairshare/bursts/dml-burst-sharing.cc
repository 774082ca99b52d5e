/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-burst-sharing.h"

#include "ns3/dml-instant.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

constexpr uint64_t ENDLESS = uint64_t{1} << 62; //!< bytes of what is sent until it is stopped
constexpr uint32_t DELAYED_ACKS = 2;            //!< segments after which an ACK is due (RFC 1122)

} // namespace

uint32_t
BurstSharing::CountSegments(uint32_t bytes) const
{
    return (bytes + m_tcp.segment - 1) / m_tcp.segment;
}

double
BurstSharing::GetLinkBytes(uint32_t bytes, uint32_t segments) const
{
    return bytes + double(segments) * m_tcp.header;
}

void
BurstSharing::Schedule(double time, uint64_t order, Kind kind, uint32_t index)
{
    m_events.Push({RankOf(time), order, index, kind});
}

void
BurstSharing::WatchLink(LinkId link)
{
    const BurstLink::Arrival& first = m_network.GetPort(link).GetLink().GetFirst();
    Schedule(first.time, first.order, Kind::ARRIVAL, link);
}

void
BurstSharing::Enter(BurstId id, double time)
{
    ++m_closed.events;
    NetworkBurst& burst = m_network.GetBursts()[id];
    const BurstNetwork::Hop& hop = m_network.GetHop(burst.hop);
    BurstPort& port = m_network.GetPort(hop.link);
    const uint32_t segments = burst.segments;
    const BurstPort::Verdict verdict = port.Take(time, id, hop.queue);
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
        Announce(burst, verdict.departure, port);
        if (Connection& connection = m_connections[burst.connection];
            burst.hop == connection.forward && connection.sender && burst.life == connection.life)
        {
            // a switch sends what it has added up: hosts have no such ports
            connection.leaving.push_back({verdict.departure, burst.size});
            Schedule(verdict.departure, m_order++, Kind::LEFT, burst.connection);
        }
        Depart(id, verdict.departure, hop.link);
        return;
    }
    if (!port.IsBusy() || port.HasDropped())
    {
        Serve(hop.link);
    }
}

void
BurstSharing::LoseAll(BurstPort& port, BurstId id)
{
    const NetworkBurst& burst = m_network.GetBursts()[id];
    port.CountDropped(burst.segments);
    Drop(burst, burst.bytes);
    m_network.GetBursts().Remove(id);
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
    BurstPort& port = m_network.GetPort(link);
    const double end = port.Serve(m_now);
    if (port.HasDropped())
    {
        for (const BurstId out : port.GetPushedOut())
        {
            LoseAll(port, out);
        }
        port.GetPushedOut().clear();
        for (const auto& cut : port.GetCuts())
        {
            LoseEnd(port, m_network.GetBursts()[cut.burst], cut.segments);
        }
        port.GetCuts().clear();
    }
    if (end >= 0)
    {
        Schedule(end, m_order++, Kind::SERVED, link);
        Announce(m_network.GetBursts()[port.GetCurrent()], end, port);
    }
}

void
BurstSharing::Announce(const NetworkBurst& burst, double departure, const BurstPort& port)
{
    const LinkId next = m_network.GetHop(burst.hop + 1).link;
    if (burst.segments > 1 && next != BurstNetwork::NO_LINK)
    {
        m_network.GetPort(next).Expect(burst, departure + port.GetDelay());
    }
}

void
BurstSharing::HandleServed(LinkId link)
{
    const BurstId id = m_network.GetPort(link).Finish();
    const NetworkBurst& burst = m_network.GetBursts()[id];
    const uint32_t owner = burst.connection;
    const Connection& connection = m_connections[owner];
    const bool ofSender = burst.hop == connection.forward && connection.sender &&
                          burst.life == connection.life; // it leaves its own host
    const double size = burst.size;
    Depart(id, m_now, link);
    Serve(link);
    if (ofSender)
    {
        connection.sender->Leave(size);
        SendData(owner);
    }
}

void
BurstSharing::HandleLeft(uint32_t index)
{
    Connection& connection = m_connections[index];
    bool left = false;
    while (!connection.leaving.empty() && connection.leaving.front().time <= m_now)
    {
        connection.sender->Leave(connection.leaving.front().size);
        connection.leaving.pop_front();
        left = true;
    }
    if (left)
    {
        SendData(index);
    }
}

void
BurstSharing::Depart(BurstId id, double departure, LinkId link)
{
    NetworkBurst& burst = m_network.GetBursts()[id];
    if (burst.bytes > 0)
    {
        m_meter.Count(link, burst.size / m_linkRatio, departure);
    }
    BurstPort& port = m_network.GetPort(link);
    const double arrival = departure + port.GetDelay();
    if (m_network.GetHop(++burst.hop).ordered)
    {
        Enter(id, arrival);
    }
    else if (port.GetLink().Add({arrival, m_order++, id}))
    {
        WatchLink(link);
    }
}

void
BurstSharing::HandleArrival(LinkId link)
{
    BurstLink& arrivals = m_network.GetPort(link).GetLink();
    const BurstId id = arrivals.GetFirst().burst;
    arrivals.RemoveFirst();
    if (!arrivals.IsEmpty())
    {
        WatchLink(link);
    }
    if (m_network.GetHop(m_network.GetBursts()[id].hop).link != BurstNetwork::NO_LINK)
    {
        Enter(id, m_now);
        return;
    }
    TakeBurst(id);
}

void
BurstSharing::TakeBurst(BurstId id)
{
    ++m_closed.events;
    const NetworkBurst& burst = m_network.GetBursts()[id]; // as it was until others are added
    m_network.GetBursts().Remove(id);
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
    if (burst.hop == connection.forward) // its host's link is down
    {
        connection.sender->Leave(GetLinkBytes(bytes, CountSegments(bytes)));
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
    connection.turns.Arrive(connection.receiver.GetReceived(),
                            [this](const auto& turn) { Report(turn, FlowEnd::Kind::ARRIVED); });
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
    double delay = m_ackTimeout;
    if (ofBurst)
    {
        delay = connection.gsoSize > 0 ? m_ackTimes.Draw() : 0;
    }
    if (delay == 0)
    {
        SendAck(index);
        return;
    }
    connection.acksBurst = ofBurst;
    connection.ackAt = m_now + delay;
    connection.ackOrder = m_order++;
    WatchAck(index);
}

void
BurstSharing::WatchAck(uint32_t index)
{
    Connection& connection = m_connections[index];
    if (connection.ackAt < connection.ackWatchedAt)
    {
        connection.ackWatchedAt = connection.ackAt;
        Schedule(connection.ackAt, connection.ackOrder, Kind::ACK, index);
    }
}

void
BurstSharing::HandleAckTime(uint32_t index, uint64_t order)
{
    Connection& connection = m_connections[index];
    if (connection.ackWatchedAt == m_now)
    {
        connection.ackWatchedAt = BurstSender::NEVER;
    }
    if (connection.ackAt == m_now && connection.ackOrder == order)
    {
        SendAck(index);
        return;
    }
    WatchAck(index); // the ACK that was due has gone, another one may be due later
}

bool
BurstSharing::IsQuietUntil(double time) const
{
    const Event* next = m_events.Peek();
    const int64_t rank = RankOf(time);
    return m_ends.empty() && rank <= m_horizon && (!next || rank < next->rank);
}

void
BurstSharing::SendAck(uint32_t index)
{
    Connection& connection = m_connections[index];
    connection.ackAt = BurstSender::NEVER;
    connection.acksBurst = false;
    connection.unacknowledged = 0;
    const BurstId id = m_network.GetBursts().Add();
    NetworkBurst& ack = m_network.GetBursts()[id];
    ack.connection = index;
    ack.hop = connection.reverse;
    ack.life = connection.life;
    ack.begin = connection.receiver.GetReceived();
    ack.number = connection.receiver.GetTaken();
    ack.size = m_ackSize;
    ack.segments = 1;
    if (m_network.GetHop(connection.reverse).link == BurstNetwork::NO_LINK)
    {
        Schedule(m_now + connection.returnDelay, m_order++, Kind::RETURN, id);
        return;
    }
    const LinkId link = m_network.GetHop(connection.reverse).link;
    BurstPort& port = m_network.GetPort(link);
    const double end = m_now + m_ackSize / port.GetRate();
    if (port.IsIdle() && IsQuietUntil(end))
    {
        ++m_closed.events;
        port.Pass(m_now, end, ack);
        m_now = end;
        Depart(id, end, link);
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
        const uint32_t segments = CountSegments(burst.bytes);
        const BurstId id = m_network.GetBursts().Add();
        NetworkBurst& data = m_network.GetBursts()[id];
        data.connection = index;
        data.hop = connection.forward;
        data.life = connection.life;
        data.begin = burst.begin;
        data.number = number;
        data.bytes = burst.bytes;
        data.size = GetLinkBytes(burst.bytes, segments);
        data.segments = segments;
        sender.Queue(data.size);
        Enter(id, m_now);
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
        Schedule(wanted, m_order++, Kind::TIMER, index);
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
    const BurstId id = m_network.GetBursts().Add();
    NetworkBurst& datagram = m_network.GetBursts()[id];
    datagram.connection = index;
    datagram.hop = connection.forward;
    datagram.life = connection.life;
    datagram.bytes = m_tcp.segment;
    datagram.size = size;
    datagram.segments = 1;
    Enter(id, m_now);
    connection.timerAt = m_now + size / connection.rate;
    Schedule(connection.timerAt, m_order++, Kind::TIMER, index);
}

void
BurstSharing::AcceptTurns(Connection& connection)
{
    connection.turns.Accept(connection.sender->GetAccepted(),
                            [this](const auto& turn) { Report(turn, FlowEnd::Kind::ACCEPTED); });
}

void
BurstSharing::Report(const BurstTurns::Turn& turn, FlowEnd::Kind kind)
{
    m_ends.push_back({m_now, InstantOf(m_now), turn.order, turn.flow, kind});
}

void
BurstSharing::Handle(Kind kind, uint32_t index, uint64_t order)
{
    switch (kind)
    {
    case Kind::SERVED:
        if (const BurstPort& port = m_network.GetPort(index);
            port.IsBusy() && port.GetDeparture() == m_now)
        {
            HandleServed(index);
        }
        break;
    case Kind::ARRIVAL:
        // else the rate of its link has changed, or another one has come before it
        if (BurstLink& arrivals = m_network.GetPort(index).GetLink();
            !arrivals.IsEmpty() && arrivals.GetFirst().order == order)
        {
            HandleArrival(index);
        }
        break;
    case Kind::RETURN:
        TakeBurst(index);
        break;
    case Kind::ACK:
        HandleAckTime(index, order);
        break;
    case Kind::TIMER:
        if (const Connection& connection = m_connections[index]; connection.timerAt == m_now)
        {
            connection.rate > 0 ? SendDatagram(index) : HandleTimer(index);
        }
        break;
    case Kind::LEFT:
        HandleLeft(index);
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
        Schedule(connection.timerAt, m_order++, Kind::TIMER, index);
        return;
    }
    if (!connection.sender)
    {
        BurstSender::Settings settings{m_tcp.tcp,
                                       m_tcp.segment,
                                       connection.gsoSize,
                                       connection.roundTrip};
        settings.tcp.variant = m_tcp.GetVariant(connection.control);
        connection.sender = std::make_unique<BurstSender>(settings);
    }
    const bool endless = bytes >= static_cast<double>(ENDLESS);
    const auto size =
        endless ? ENDLESS : std::max<uint64_t>(1, std::llround(std::ceil(bytes * m_tcp.framing)));
    connection.sender->Write(size);
    if (!endless)
    {
        connection.turns.Add(size, order, flow);
    }
    AcceptTurns(connection);
    SendData(index);
}

const FlowEnd&
BurstSharing::GetNextEnd(double horizon)
{
    m_horizon = RankOf(horizon);
    while (m_ends.empty() && !m_events.IsEmpty() && m_events.GetFirst().rank <= m_horizon)
    {
        // member by member, as the event may just have been written so: a copy of it as a whole
        // would have the processor wait
        const Event& first = m_events.GetFirst();
        const Kind kind = first.kind;
        const uint32_t index = first.index;
        const uint64_t order = first.order;
        m_now = TimeOf(first.rank);
        m_events.Pop();
        Handle(kind, index, order);
    }
    return m_ends.empty() ? m_none : m_ends.front();
}

void
BurstSharing::Finish()
{
    m_ends.pop_front();
}

void
BurstSharing::SetCapacity(LinkId link, double bytesPerSecond, double now)
{
    m_now = now;
    BurstPort& port = m_network.GetPort(link);
    port.SetRate(now, bytesPerSecond * m_linkRatio, m_order);
    if (!port.GetLink().IsEmpty())
    {
        WatchLink(link);
    }
    if (port.IsFair() && port.IsBusy())
    {
        Schedule(std::max(now, port.GetDeparture()), m_order++, Kind::SERVED, link);
    }
    else if (port.IsFair())
    {
        Serve(link);
    }
}

} // namespace ns3::dml
