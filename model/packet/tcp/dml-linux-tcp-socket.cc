/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-linux-tcp-socket.h"

#include "dml-burst-tag.h"
#include "dml-duplicate-tag.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LinuxTcpSocket);

namespace
{

constexpr uint32_t MOST_PAYLOAD = 65455; //!< of an IPv4 packet with all TCP options, bytes

} // namespace

TypeId
LinuxTcpSocket::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::LinuxTcpSocket")
            .SetParent<TcpSocketBase>()
            .SetGroupName("Dml")
            .AddConstructor<LinuxTcpSocket>()
            .AddAttribute("GsoSize",
                          "Largest burst of segments, and largest piece that is acknowledged at "
                          "once, in bytes of payload; 0: segments are sent one by one.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&LinuxTcpSocket::m_gsoSize),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Trains",
                          "Whether a burst is one packet, for queues that are TrainQueues.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_trains),
                          MakeBooleanChecker())
            .AddAttribute("SmallQueues",
                          "Whether about a millisecond of data may wait in the own host, no more.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_smallQueues),
                          MakeBooleanChecker())
            .AddAttribute("WindowValidation",
                          "Whether the congestion window grows only when it is the limit.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_windowValidation),
                          MakeBooleanChecker())
            .AddAttribute("IdleRestart",
                          "Whether the congestion window shrinks in pauses.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_idleRestart),
                          MakeBooleanChecker())
            .AddAttribute("MaxSendBuffer",
                          "To which the send buffer grows with the congestion window, in bytes; 0: "
                          "it stays at SndBufSize.",
                          UintegerValue(4194304),
                          MakeUintegerAccessor(&LinuxTcpSocket::m_maxSendBuffer),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AckJitter",
                          "How long a host takes until it acknowledges a burst, in seconds; null: "
                          "no time.",
                          PointerValue(),
                          MakePointerAccessor(&LinuxTcpSocket::m_ackJitter),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("RecentAck",
                          "Whether a segment is lost when one that was sent well after it arrives.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_recentAck),
                          MakeBooleanChecker())
            .AddAttribute("TailLossProbe",
                          "Whether the last segment is sent again when its ACK is overdue.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_tailProbe),
                          MakeBooleanChecker())
            .AddAttribute("ExactRoundTrip",
                          "Whether round trips are measured in ns, and not by timestamps of ms.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxTcpSocket::m_exactRoundTrip),
                          MakeBooleanChecker());
    return tid;
}

LinuxTcpSocket::LinuxTcpSocket() = default;

LinuxTcpSocket::LinuxTcpSocket(const LinuxTcpSocket& socket)
    : Ns3Parent<LinuxTcpSocket, TcpSocketBase>(socket),
      m_gsoSize(socket.m_gsoSize),
      m_trains(socket.m_trains),
      m_smallQueues(socket.m_smallQueues),
      m_windowValidation(socket.m_windowValidation),
      m_idleRestart(socket.m_idleRestart),
      m_maxSendBuffer(socket.m_maxSendBuffer),
      m_exactRoundTrip(socket.m_exactRoundTrip),
      m_ackJitter(socket.m_ackJitter),
      m_recentAck(socket.m_recentAck),
      m_tailProbe(socket.m_tailProbe)
{
}

LinuxTcpSocket::~LinuxTcpSocket()
{
    m_resume.Cancel();
    m_probe.Cancel();
    m_reordering.Cancel();
    if (m_queues)
    {
        m_queues->Remove(m_number);
    }
}

Ptr<TcpSocketBase>
LinuxTcpSocket::Fork()
{
    return CopyObject<LinuxTcpSocket>(this);
}

SenderView
LinuxTcpSocket::GetView() const
{
    return {m_tcb->m_segmentSize,
            m_tcb->m_pacing ? 0 : m_gsoSize,
            static_cast<double>(m_tcb->m_cWnd.Get()),
            static_cast<double>(m_tcb->m_ssThresh.Get()),
            m_rtt->GetEstimate().GetSeconds(),
            m_tcb->m_minRtt.GetSeconds()};
}

uint32_t
LinuxTcpSocket::GetBurstGoal() const
{
    return GetSendingLimits(GetView()).burst;
}

bool
LinuxTcpSocket::IsDeferred(uint32_t window) const
{
    const bool repairs = m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
                         m_tcb->m_congState == TcpSocketState::CA_LOSS;
    const SenderView view = GetView();
    const Time now = Simulator::Now();
    return view.gsoSize > 0 && !repairs && !m_history.empty() &&
           IsWorthDeferring(GetSendingLimits(view).burst,
                            view.roundTrip,
                            {window,
                             GetUnsent(),
                             Window(),
                             (now - m_lastSent).GetSeconds(),
                             (now - m_history.front().time).GetSeconds()});
}

bool
LinuxTcpSocket::IsThrottled() const
{
    return m_smallQueues && m_queues &&
           m_queues->GetBacklog(m_number) > GetSendingLimits(GetView()).queued;
}

uint32_t
LinuxTcpSocket::GetUnsent() const
{
    return m_txBuffer->TailSequence() - m_tcb->m_highTxMark.Get();
}

uint32_t
LinuxTcpSocket::AvailableWindow() const
{
    EndTrain();
    if (m_holds || (m_queue.HasLost() && !m_sendsLost && !m_timesOut))
    {
        return 0;
    }
    const uint32_t window = TcpSocketBase::AvailableWindow();
    if (window > 0 && HasNothingToSend())
    {
        return 0;
    }
    if (window == 0 || (m_burstLeft > 0 && m_burstTime == Simulator::Now()))
    {
        return window;
    }
    m_throttled = IsThrottled();
    m_deferred = !m_throttled && IsDeferred(window);
    if (m_throttled || m_deferred)
    {
        return 0;
    }
    BeginTrain(window);
    return window;
}

bool
LinuxTcpSocket::RepairsAsLinux() const
{
    return m_recentAck && m_sackEnabled && m_tcb->m_congState == TcpSocketState::CA_RECOVERY;
}

// TcpSocketBase has a rule that sends what is not lost, where nothing new is left (RFC 6675).
bool
LinuxTcpSocket::HasNothingToSend() const
{
    SequenceNumber32 begin;
    SequenceNumber32 end;
    return RepairsAsLinux() && !m_queue.HasLost() && !m_txBuffer->NextSeg(&begin, &end, false);
}

uint32_t
LinuxTcpSocket::GetBurst(uint32_t window) const
{
    const uint32_t unsent = GetUnsent();
    const uint32_t segment = m_tcb->m_segmentSize;
    const auto room = static_cast<uint32_t>(GetBurstQuota(segment, m_tcb->m_cWnd, window));
    return std::min(GetBurstGoal(),
                    unsent <= room ? unsent : std::max(room / segment, 1U) * segment);
}

// ns-3 asks for the window, then sends one segment at most. In between, a segment has the size of
// a whole train; EndTrain() makes it one segment again. Where nothing can be sent, ns-3 does not
// come back here, so that the size has to stay as it is.
void
LinuxTcpSocket::BeginTrain(uint32_t window) const
{
    if (!m_trains || (m_state != ESTABLISHED && m_state != CLOSE_WAIT))
    {
        return;
    }
    const bool isLost =
        m_queue.HasLost() || m_txBuffer->GetLost() > m_txBuffer->GetRetransmitsCount();
    if (!isLost && (GetUnsent() == 0 || UnAckDataCount() >= m_rWnd.Get()))
    {
        return;
    }
    const uint32_t segment = m_tcb->m_segmentSize;
    const uint32_t burst =
        isLost ? std::min(GetBurstGoal(), window / segment * segment) : GetBurst(window);
    const uint32_t train = std::min(burst, MOST_PAYLOAD / segment * segment);
    if (train > segment)
    {
        m_segment = segment;
        m_tcb->m_segmentSize = train;
        m_txBuffer->SetSegmentSize(train);
    }
}

void
LinuxTcpSocket::EndTrain() const
{
    if (m_segment > 0)
    {
        m_tcb->m_segmentSize = m_segment;
        m_txBuffer->SetSegmentSize(m_segment);
        m_segment = 0;
    }
}

int
LinuxTcpSocket::Send(Ptr<Packet> packet, uint32_t flags)
{
    const int sent = TcpSocketBase::Send(packet, flags);
    EndTrain(); // it has looked at the window, and sends later
    return sent;
}

uint32_t
LinuxTcpSocket::SendDataPacket(SequenceNumber32 sequence, uint32_t size, bool withAck)
{
    EndTrain();
    if (m_holds)
    {
        return size; // TcpSocketBase sends something with each partial ACK, window or no window
    }
    if (m_timesOut)
    {
        m_queue.LoseAll();
        m_timesOut = false;
    }
    if (!m_queues)
    {
        m_queues = SmallQueues::Of(m_node);
        m_number = m_queues->Add(MakeCallback(&LinuxTcpSocket::HandleLeft, this));
        Address peer;
        GetPeerName(peer);
        m_smallQueues = m_smallQueues && InetSocketAddress::IsMatchingType(peer) &&
                        m_queues->Sees(InetSocketAddress::ConvertFrom(peer).GetIpv4());
        TraceSent();
    }
    const bool isNew = sequence >= m_tcb->m_highTxMark.Get();
    if (isNew)
    {
        const Time now = Simulator::Now();
        if (m_idleRestart && BytesInFlight() == 0)
        {
            RestartAfterIdle();
        }
        if (m_burstLeft == 0 || m_burstTime != now)
        {
            BeginBurst(m_trains ? size : GetBurst(TcpSocketBase::AvailableWindow()));
        }
        m_lastSent = now;
    }
    else
    {
        NoteSentAgain(sequence, size);
        if (!m_sendsLost)
        {
            BeginBurst(size); // a probe
        }
        if (FindsLosses() && sequence == m_txBuffer->HeadSequence() &&
            m_tcb->m_congState != TcpSocketState::CA_OPEN)
        {
            m_retxEvent.Cancel(); // and begins anew (tcp_xmit_retransmit_queue())
        }
    }
    m_burstLeft -= std::min(m_burstLeft, size);
    m_following = (m_burstLeft + m_tcb->m_segmentSize - 1) / m_tcb->m_segmentSize;
    const uint32_t sent = TcpSocketBase::SendDataPacket(sequence, size, withAck);
    if (FindsLosses())
    {
        m_queue.NoteSent(sequence,
                         sent,
                         Simulator::Now(),
                         m_tcb->m_congState != TcpSocketState::CA_OPEN,
                         m_burst);
    }
    if (isNew)
    {
        ScheduleProbe(); // which depends on what is in flight now
    }
    return sent;
}

void
LinuxTcpSocket::BeginBurst(uint32_t bytes)
{
    m_burstLeft = bytes;
    m_burstTime = Simulator::Now();
    ++m_burst;
}

void
LinuxTcpSocket::TraceSent()
{
    if (!m_tracesSent)
    {
        m_tracesSent = true;
        m_txTrace.ConnectWithoutContext(MakeCallback(&LinuxTcpSocket::HandleSent, this));
    }
}

void
LinuxTcpSocket::HandleSent(Ptr<const Packet> packet,
                           [[maybe_unused]] const TcpHeader& header,
                           [[maybe_unused]] Ptr<const TcpSocketBase> socket)
{
    if (m_copyBytes > 0)
    {
        packet->AddPacketTag(DuplicateTag(m_copy, m_copyBytes));
        m_copyBytes = 0;
    }
    if (packet->GetSize() == 0)
    {
        return;
    }
    if (m_smallQueues)
    {
        m_queues->Count(m_number, *packet);
    }
    if (m_gsoSize > 0)
    {
        packet->AddPacketTag(
            BurstTag(uint64_t(m_node->GetId()) << 32 | m_number, m_burst, m_following));
    }
}

void
LinuxTcpSocket::HandleLeft()
{
    if (m_throttled && m_resume.IsExpired() && !IsThrottled())
    {
        m_resume = Simulator::ScheduleNow(&LinuxTcpSocket::Resume, this);
    }
}

void
LinuxTcpSocket::Resume()
{
    SendLost();
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    NoteUsage();
    m_probed = false;
    const bool mayGrow =
        !m_windowValidation || IsWindowUsed() || m_tcb->m_congState != TcpSocketState::CA_OPEN;
    m_mostWindow = mayGrow ? UINT32_MAX : m_tcb->m_cWnd.Get();
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    const uint32_t selected = m_txBuffer->GetSacked();
    const uint32_t overtakers = m_recentAck ? CountOvertakers(header) : 0;
    const Time wait = NoteDelivered(header);
    const bool tolerates = m_tolerance.IsReorderingSeen();
    NoteState();
    const bool recovered = m_before.recovers;
    if (tolerates)
    {
        SetRetxThresh(m_tolerance.GetThreshold(recovered));
        m_dupAckCount = header.GetAckNumber() > head ? 0 : m_dupAckCount; // of another segment
    }
    const bool repairs = FindsLosses() && (m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
                                           m_tcb->m_congState == TcpSocketState::CA_LOSS ||
                                           m_queue.CountSacked() > 0 || m_queue.HasLost());
    m_holds = repairs;
    TcpSocketBase::ReceivedAck(packet, header);
    m_holds = false;
    const auto moved = static_cast<int64_t>(m_txBuffer->HeadSequence() - head);
    m_delivered = std::max<int64_t>(moved + m_txBuffer->GetSacked() - selected, 0);
    if (m_recentAck)
    {
        NoteOrder(header, overtakers);
    }
    if (tolerates)
    {
        if (recovered && m_tcb->m_congState == TcpSocketState::CA_OPEN)
        {
            m_tolerance.NoteRecovered();
        }
        if (moved > 0 && m_tcb->m_congState == TcpSocketState::CA_DISORDER)
        {
            ContinueInDisorder(m_txBuffer->HeadSequence(), moved);
        }
    }
    HandleDuplicate(*packet);
    m_mostWindow = UINT32_MAX;
    if (repairs)
    {
        Repair(recovered, wait);
    }
    ScheduleProbe();
}

void
LinuxTcpSocket::EstimateRtt(const TcpHeader& header)
{
    if (m_state == ESTABLISHED && header.GetFlags() == TcpHeader::ACK &&
        header.GetAckNumber() < m_txBuffer->HeadSequence())
    {
        m_overtakenAck = header;
    }
    if (!m_exactRoundTrip)
    {
        TcpSocketBase::EstimateRtt(header);
        return;
    }
    Time sample;
    for (const auto& sent : m_history)
    {
        if (sent.seq + SequenceNumber32(sent.count) > header.GetAckNumber())
        {
            break;
        }
        if (!sent.retx)
        {
            sample = Simulator::Now() - sent.time;
        }
    }
    const bool timestamps = m_timestampEnabled;
    m_timestampEnabled = false;
    TcpSocketBase::EstimateRtt(header);
    m_timestampEnabled = timestamps;
    if (sample.IsStrictlyPositive())
    {
        m_tcb->m_lastRtt = sample;
        m_tcb->m_minRtt = Min(m_tcb->m_minRtt, sample);
    }
}

} // namespace ns3::dml
