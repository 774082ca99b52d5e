/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-linux-cubic.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(LinuxCubic);

namespace
{

double
Now()
{
    return Simulator::Now().GetSeconds();
}

} // namespace

TypeId
LinuxCubic::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::LinuxCubic")
            .SetParent<TcpCongestionOps>()
            .SetGroupName("Dml")
            .AddConstructor<LinuxCubic>()
            .AddAttribute("HyStart",
                          "Whether slow start ends when delays or trains of ACKs show a queue.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxCubic::m_hystart),
                          MakeBooleanChecker())
            .AddAttribute("TcpFriendliness",
                          "Whether the window is at least that of Reno.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&LinuxCubic::m_friendly),
                          MakeBooleanChecker())
            .AddAttribute("GsoSize",
                          "Bytes of the largest burst of the sender; HyStart allows trains of ACKs "
                          "the time of four.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&LinuxCubic::m_gsoSize),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

std::string
LinuxCubic::GetName() const
{
    return "LinuxCubic";
}

void
LinuxCubic::BeginRound(Ptr<const TcpSocketState> state)
{
    m_window.BeginRound(Now());
    m_roundEnd = state->m_highTxMark;
}

void
LinuxCubic::PktsAcked(Ptr<TcpSocketState> state,
                      [[maybe_unused]] uint32_t segmentsAcked,
                      const Time& roundTrip)
{
    const double now = Now();
    const double delay = roundTrip.GetSeconds();
    if (!m_window.NoteRoundTrip(now, delay) || !m_hystart || m_window.HasFoundQueue() ||
        state->m_cWnd >= state->m_ssThresh)
    {
        return;
    }
    if (state->m_lastAckedSeq > m_roundEnd)
    {
        BeginRound(state);
    }
    if (m_window.FindsQueue(now, delay, state->GetCwndInSegments(), state->m_cWnd, m_gsoSize))
    {
        state->m_ssThresh = state->m_cWnd;
    }
}

void
LinuxCubic::IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segmentsAcked)
{
    const uint32_t segment = state->m_segmentSize;
    if (state->m_cWnd < state->m_ssThresh)
    {
        const uint32_t room = (state->m_ssThresh - state->m_cWnd + segment - 1) / segment;
        const uint32_t added = std::min(segmentsAcked, room);
        state->m_cWnd += added * segment;
        segmentsAcked -= added;
    }
    if (segmentsAcked > 0)
    {
        state->m_cWnd +=
            m_window.Grow(Now(), state->GetCwndInSegments(), segmentsAcked, m_friendly) * segment;
    }
}

uint32_t
LinuxCubic::GetSsThresh(Ptr<const TcpSocketState> state, [[maybe_unused]] uint32_t bytesInFlight)
{
    return m_window.Shrink(state->GetCwndInSegments()) * state->m_segmentSize;
}

void
LinuxCubic::CongestionStateSet(Ptr<TcpSocketState> state,
                               const TcpSocketState::TcpCongState_t newState)
{
    if (newState == TcpSocketState::CA_LOSS)
    {
        m_window.Reset();
        BeginRound(state);
    }
}

void
LinuxCubic::CwndEvent([[maybe_unused]] Ptr<TcpSocketState> state,
                      const TcpSocketState::TcpCAEvent_t event)
{
    if (event == TcpSocketState::CA_EVENT_TX_START)
    {
        m_window.Resume(Now());
    }
}

Ptr<TcpCongestionOps>
LinuxCubic::Fork()
{
    return CopyObject<LinuxCubic>(this);
}

} // namespace ns3::dml
