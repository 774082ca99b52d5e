/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-linux-tcp-socket.h"

#include "dml-burst-end-tag.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/pointer.h"
#include "ns3/rtt-estimator.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ns3
{
namespace dml
{

NS_OBJECT_ENSURE_REGISTERED(LinuxTcpSocket);

namespace
{

// the names in the comments are the kernel's
constexpr double PACING_TIME = 1.0 / 1024; //!< of data in a burst (sk_pacing_shift), s
constexpr double GSO_ROUND_TRIP = 512e-6;  //!< halves a burst's allowance (tcp_tso_rtt_log), s
constexpr uint32_t LEAST_SEGMENTS = 2;     //!< of a burst (tcp_min_tso_segs)
constexpr uint32_t WINDOW_DIVISOR = 3;     //!< of the window is worth a burst (tcp_tso_win_divisor)
constexpr uint32_t FIRST_SEGMENTS = 10;    //!< that the send buffer has room for (TCP_INIT_CWND)
constexpr uint32_t BUFFERED_WINDOWS = 3;   //!< twice the window, of skbs that are 2/3 payload
const Time RECENT_WRITE = MilliSeconds(1); //!< may be followed by a deferred one
const Time LEAST_TIMER = MilliSeconds(2);  //!< TCP_TIMEOUT_MIN_US
const Time MERGING = MilliSeconds(1);      //!< after which segments that wait are a burst

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
    : TcpSocketBase(socket),
      m_gsoSize(socket.m_gsoSize),
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

TypeId
LinuxTcpSocket::GetInstanceTypeId() const
{
    return GetTypeId();
}

Ptr<TcpSocketBase>
LinuxTcpSocket::Fork()
{
    return CopyObject<LinuxTcpSocket>(this);
}

double
LinuxTcpSocket::GetPacingRate() const
{
    const double roundTrip = m_rtt->GetEstimate().GetSeconds();
    const double window = m_tcb->m_cWnd.Get();
    const double ratio = window < m_tcb->m_ssThresh.Get() / 2.0 ? 2.0 : 1.2;
    return ratio * window / std::max(roundTrip, 1e-6);
}

uint32_t
LinuxTcpSocket::GetBurstGoal() const
{
    const uint32_t segment = m_tcb->m_segmentSize;
    if (m_gsoSize == 0 || m_tcb->m_pacing)
    {
        return segment;
    }
    const double halvings =
        std::min(32.0, std::floor(m_tcb->m_minRtt.GetSeconds() / GSO_ROUND_TRIP));
    const double bytes =
        std::min<double>(m_gsoSize,
                         GetPacingRate() * PACING_TIME + m_gsoSize / std::exp2(halvings));
    return std::max(static_cast<uint32_t>(bytes) / segment, LEAST_SEGMENTS) * segment;
}

bool
LinuxTcpSocket::IsDeferred(uint32_t window) const
{
    const Time now = Simulator::Now();
    if (m_gsoSize == 0 || m_tcb->m_pacing || m_tcb->m_congState == TcpSocketState::CA_RECOVERY ||
        m_tcb->m_congState == TcpSocketState::CA_LOSS || now - m_lastSent > RECENT_WRITE ||
        window >= GetUnsent() || window >= std::min(GetBurstGoal(), Window() / WINDOW_DIVISOR))
    {
        return false;
    }
    // the next ACK is likely to come too late
    return !m_history.empty() && now - m_history.front().time >= m_rtt->GetEstimate() / int64_t(2);
}

bool
LinuxTcpSocket::IsThrottled() const
{
    const double millisecond = GetPacingRate() * PACING_TIME;
    return m_smallQueues && m_queues &&
           m_queues->GetBacklog(m_number) > std::max<double>(2.0 * GetBurstGoal(), millisecond);
}

uint32_t
LinuxTcpSocket::GetUnsent() const
{
    return m_txBuffer->TailSequence() - m_tcb->m_highTxMark.Get();
}

uint32_t
LinuxTcpSocket::AvailableWindow() const
{
    const uint32_t window = TcpSocketBase::AvailableWindow();
    if (window == 0 || (m_burstLeft > 0 && m_burstTime == Simulator::Now()))
    {
        return window;
    }
    m_throttled = IsThrottled();
    m_deferred = !m_throttled && IsDeferred(window);
    return m_throttled || m_deferred ? 0 : window;
}

uint32_t
LinuxTcpSocket::SendDataPacket(SequenceNumber32 sequence, uint32_t size, bool withAck)
{
    if (!m_queues)
    {
        m_queues = SmallQueues::Of(m_node);
        m_number = m_queues->Add(MakeCallback(&LinuxTcpSocket::HandleLeft, this));
        Address peer;
        GetPeerName(peer);
        m_smallQueues = m_smallQueues && InetSocketAddress::IsMatchingType(peer) &&
                        m_queues->Sees(InetSocketAddress::ConvertFrom(peer).GetIpv4());
        m_txTrace.ConnectWithoutContext(MakeCallback(&LinuxTcpSocket::HandleSent, this));
    }
    m_endsBurst = true;
    if (sequence >= m_tcb->m_highTxMark.Get())
    {
        const Time now = Simulator::Now();
        if (m_idleRestart && BytesInFlight() == 0)
        {
            RestartAfterIdle();
        }
        if (m_burstLeft == 0 || m_burstTime != now)
        {
            const uint32_t window = TcpSocketBase::AvailableWindow();
            const uint32_t unsent = GetUnsent();
            const uint32_t segment = m_tcb->m_segmentSize;
            m_burstLeft =
                std::min(GetBurstGoal(),
                         unsent <= window ? unsent : std::max(window / segment, 1U) * segment);
            m_burstTime = now;
        }
        m_burstLeft -= std::min(m_burstLeft, size);
        m_endsBurst = m_burstLeft == 0;
        m_lastSent = now;
        ScheduleProbe();
    }
    else
    {
        m_sentAgain[sequence] = Simulator::Now();
    }
    return TcpSocketBase::SendDataPacket(sequence, size, withAck);
}

void
LinuxTcpSocket::HandleSent(Ptr<const Packet> packet,
                           [[maybe_unused]] const TcpHeader& header,
                           [[maybe_unused]] Ptr<const TcpSocketBase> socket)
{
    if (packet->GetSize() == 0)
    {
        return;
    }
    if (m_smallQueues)
    {
        m_queues->Count(m_number, *packet);
    }
    if (m_gsoSize > 0 && m_endsBurst)
    {
        packet->AddPacketTag(BurstEndTag());
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
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::KeepThreshold()
{
    m_tcb->m_ssThresh = std::max(m_tcb->m_ssThresh.Get(), m_tcb->m_cWnd.Get() / 4 * 3);
}

void
LinuxTcpSocket::RestartAfterIdle()
{
    const Time rto = m_rto.Get();
    Time idle = Simulator::Now() - m_lastSent;
    if (m_lastSent.IsNegative() || idle <= rto)
    {
        return;
    }
    uint32_t window = m_tcb->m_cWnd;
    const uint32_t least = std::min(window, m_tcb->m_initialCWnd * m_tcb->m_segmentSize);
    KeepThreshold();
    for (idle -= rto; idle.IsStrictlyPositive() && window > least; idle -= rto)
    {
        window /= 2;
    }
    window = std::max(window, least) / m_tcb->m_segmentSize * m_tcb->m_segmentSize;
    m_tcb->m_cWnd = window;
    m_tcb->m_cWndInfl = window;
    m_usedSince = Simulator::Now();
    m_mostUsed = 0;
}

void
LinuxTcpSocket::NoteUsage()
{
    const Time now = Simulator::Now();
    const uint32_t window = m_tcb->m_cWnd;
    const uint32_t inFlight = m_tcb->m_bytesInFlight;
    const bool limited = m_deferred || inFlight + m_tcb->m_segmentSize > window;
    if (m_highRxAckMark.Get() >= m_usageEnd || limited || (!m_limited && inFlight > m_mostInFlight))
    {
        m_limited = limited;
        m_mostInFlight = inFlight;
        m_usageEnd = m_tcb->m_highTxMark;
    }
    if (IsWindowUsed())
    {
        m_usedSince = now;
        m_mostUsed = 0;
        return;
    }
    m_mostUsed = std::max(m_mostUsed, inFlight);
    if (m_idleRestart && now - m_usedSince >= m_rto.Get() && GetUnsent() == 0 &&
        m_tcb->m_congState == TcpSocketState::CA_OPEN)
    {
        // tcp_cwnd_application_limited()
        const uint32_t used = std::max(m_mostUsed, m_tcb->m_initialCWnd * m_tcb->m_segmentSize);
        if (used < window)
        {
            KeepThreshold();
            m_tcb->m_cWnd = (window + used) / 2 / m_tcb->m_segmentSize * m_tcb->m_segmentSize;
        }
        m_mostUsed = 0;
        m_usedSince = now;
    }
}

bool
LinuxTcpSocket::IsWindowUsed() const
{
    const uint32_t window = m_tcb->m_cWnd;
    return m_limited || (window < m_tcb->m_ssThresh && window < 2 * m_mostInFlight);
}

void
LinuxTcpSocket::ReceivedAck(Ptr<Packet> packet, const TcpHeader& header)
{
    NoteUsage();
    if (m_recentAck)
    {
        NoteDelivered(header);
    }
    m_probed = false;
    const bool mayGrow =
        !m_windowValidation || IsWindowUsed() || m_tcb->m_congState != TcpSocketState::CA_OPEN;
    m_mostWindow = mayGrow ? UINT32_MAX : m_tcb->m_cWnd.Get();
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    const uint32_t selected = m_txBuffer->GetSacked();
    TcpSocketBase::ReceivedAck(packet, header);
    m_mostWindow = UINT32_MAX;
    const auto moved = static_cast<int64_t>(m_txBuffer->HeadSequence() - head);
    m_delivered = std::max<int64_t>(moved + m_txBuffer->GetSacked() - selected, 0);
    m_sentAgain.erase(m_sentAgain.begin(), m_sentAgain.lower_bound(m_txBuffer->HeadSequence()));
    DetectLoss();
    ScheduleProbe();
}

Time
LinuxTcpSocket::FindSent(SequenceNumber32 sequence) const
{
    const auto again = m_sentAgain.upper_bound(sequence);
    if (again != m_sentAgain.begin() &&
        sequence - std::prev(again)->first < static_cast<int32_t>(m_tcb->m_segmentSize))
    {
        return std::prev(again)->second;
    }
    auto after = std::upper_bound(
        m_history.begin(),
        m_history.end(),
        sequence,
        [](SequenceNumber32 wanted, const RttHistory& sent) { return wanted < sent.seq; });
    return after == m_history.begin() || (--after)->retx ? Time(-1) : after->time;
}

void
LinuxTcpSocket::NoteDelivered(const TcpHeader& header)
{
    SequenceNumber32 end = header.GetAckNumber();
    if (header.HasOption(TcpOption::SACK))
    {
        const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
        if (option->GetNumSackBlocks() > 0)
        {
            end = option->GetSackList().front().second;
        }
    }
    if (end > m_txBuffer->HeadSequence())
    {
        m_deliveredSent = Max(m_deliveredSent, FindSent(end - 1));
    }
}

void
LinuxTcpSocket::DetectLoss()
{
    const SequenceNumber32 head = m_txBuffer->HeadSequence();
    if (!m_recentAck || !m_sackEnabled || m_tcb->m_congState == TcpSocketState::CA_OPEN ||
        head >= m_tcb->m_highTxMark.Get())
    {
        return;
    }
    const Time sent = FindSent(head);
    const Time reordering = m_tcb->m_minRtt / int64_t(4);
    if (sent.IsNegative() || sent > m_deliveredSent)
    {
        return;
    }
    if (sent + reordering >= m_deliveredSent)
    {
        // it may have been overtaken, and come soon
        if (m_reordering.IsExpired())
        {
            m_reordering =
                Simulator::Schedule(reordering, &LinuxTcpSocket::HandleOverdue, this, head);
        }
        return;
    }
    LoseHead();
}

void
LinuxTcpSocket::HandleOverdue(SequenceNumber32 head)
{
    if (m_txBuffer->HeadSequence() == head && head < m_tcb->m_highTxMark.Get() &&
        m_tcb->m_congState != TcpSocketState::CA_OPEN)
    {
        LoseHead();
    }
}

void
LinuxTcpSocket::LoseHead()
{
    if (m_tcb->m_congState == TcpSocketState::CA_DISORDER)
    {
        EnterRecovery(m_delivered);
    }
    else if (m_txBuffer->IsHeadRetransmitted() || !m_txBuffer->IsLost(m_txBuffer->HeadSequence()))
    {
        m_txBuffer->MarkHeadAsLost();
    }
    SendPendingData(m_connected);
}

void
LinuxTcpSocket::ScheduleProbe()
{
    m_probeBase = Simulator::Now();
    if (m_tailProbe && m_probe.IsExpired())
    {
        m_probe = Simulator::Schedule(GetProbeTimeout(), &LinuxTcpSocket::HandleProbe, this);
    }
}

Time
LinuxTcpSocket::GetProbeTimeout() const
{
    const bool one = m_tcb->m_bytesInFlight.Get() <= m_tcb->m_segmentSize;
    return Min(m_rtt->GetEstimate() * int64_t(2) + (one ? m_minRto : LEAST_TIMER), m_rto.Get());
}

void
LinuxTcpSocket::HandleProbe()
{
    if (m_probed || BytesInFlight() == 0 || m_tcb->m_congState != TcpSocketState::CA_OPEN ||
        m_history.empty() || m_state == CLOSED)
    {
        return;
    }
    const Time due = m_probeBase + GetProbeTimeout();
    if (Simulator::Now() < due)
    {
        m_probe = Simulator::Schedule(due - Simulator::Now(), &LinuxTcpSocket::HandleProbe, this);
        return;
    }
    m_probed = true;
    if (GetUnsent() > 0 && GetRWnd() >= UnAckDataCount() + m_tcb->m_segmentSize)
    {
        const SequenceNumber32 next = m_tcb->m_highTxMark;
        m_tcb->m_nextTxSequence = next + SendDataPacket(next, m_tcb->m_segmentSize, m_connected);
        return;
    }
    const RttHistory last = m_history.back();
    SendDataPacket(last.seq, last.count, m_connected);
}

void
LinuxTcpSocket::NewAck(const SequenceNumber32& sequence, bool resetTimeout)
{
    if (m_tcb->m_congState == TcpSocketState::CA_OPEN && m_tcb->m_cWnd > m_mostWindow)
    {
        m_tcb->m_cWnd = m_mostWindow;
        m_tcb->m_cWndInfl = m_mostWindow;
    }
    const uint32_t buffered =
        BUFFERED_WINDOWS * std::max(m_tcb->m_cWnd.Get(), FIRST_SEGMENTS * m_tcb->m_segmentSize);
    const uint32_t buffer = std::min(m_maxSendBuffer, buffered);
    if (buffer > m_txBuffer->MaxBufferSize())
    {
        m_txBuffer->SetMaxBufferSize(buffer);
    }
    TcpSocketBase::NewAck(sequence, resetTimeout);
}

void
LinuxTcpSocket::ReceivedData(Ptr<Packet> packet, const TcpHeader& header)
{
    if (m_gsoSize == 0)
    {
        TcpSocketBase::ReceivedData(packet, header);
        return;
    }
    const Time timeout = m_delAckTimeout;
    const uint32_t count = m_delAckMaxCount;
    const uint32_t most = m_gsoSize / m_tcb->m_segmentSize + count;
    BurstEndTag tag;
    const bool isBurst = packet->PeekPacketTag(tag) && m_delAckCount + 1 >= count;
    if (!isBurst || m_ackJitter)
    {
        m_delAckMaxCount = most;
        m_delAckTimeout = Min(timeout, MERGING);
    }
    m_acknowledgesOne = m_acknowledgesOne && !m_delAckEvent.IsExpired();
    TcpSocketBase::ReceivedData(packet, header);
    m_delAckMaxCount = count;
    m_delAckTimeout = timeout;
    if (isBurst && m_ackJitter && !m_delAckEvent.IsExpired() && !m_acknowledgesBurst)
    {
        m_delAckEvent.Cancel();
        m_delAckEvent = Simulator::Schedule(Seconds(m_ackJitter->GetValue()),
                                            &LinuxTcpSocket::DelAckTimeout,
                                            this);
        m_acknowledgesBurst = true;
    }
    m_acknowledgesBurst = m_acknowledgesBurst && !m_delAckEvent.IsExpired();
}

void
LinuxTcpSocket::DelAckTimeout()
{
    m_acknowledgesBurst = false;
    if (m_gsoSize > 0 && m_delAckCount < m_delAckMaxCount && !m_acknowledgesOne &&
        m_delAckTimeout > MERGING)
    {
        m_acknowledgesOne = true;
        m_delAckEvent =
            Simulator::Schedule(m_delAckTimeout - MERGING, &LinuxTcpSocket::DelAckTimeout, this);
        return;
    }
    TcpSocketBase::DelAckTimeout();
}

void
LinuxTcpSocket::EstimateRtt(const TcpHeader& header)
{
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

} // namespace dml
} // namespace ns3
