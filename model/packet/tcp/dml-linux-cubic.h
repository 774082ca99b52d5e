/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINUX_CUBIC_H
#define DML_LINUX_CUBIC_H

#include "ns3/dml-cubic-window.h"
#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-congestion-ops.h"

#include <cstdint>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief CUBIC as Linux has it (net/ipv4/tcp_cubic.c, 5.5 to 6.18; RFC 9438, HyStart of Ha and
 * Rhee 2011).
 *
 * What ns-3's TcpCubic does otherwise: HyStart judges a round by the round trip of single packets
 * in microseconds and ends slow start once in the life of a connection, trains of ACKs count from
 * half the shortest round trip on, the curve does not go on while nothing is sent, the window is at
 * least that of Reno, and several segments may be added for one ACK, which matters where ACKs are
 * merged. It wants to be told the round trip of the segments that were just acknowledged, as
 * LinuxTcpSocket does.
 */
class LinuxCubic : public TcpCongestionOps
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t bytesInFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segmentsAcked) override;
    void PktsAcked(Ptr<TcpSocketState> state,
                   uint32_t segmentsAcked,
                   const Time& roundTrip) override;
    void CongestionStateSet(Ptr<TcpSocketState> state,
                            const TcpSocketState::TcpCongState_t newState) override;
    void CwndEvent(Ptr<TcpSocketState> state, const TcpSocketState::TcpCAEvent_t event) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    /// Begin a round of HyStart. @param state of the connection
    void BeginRound(Ptr<const TcpSocketState> state);

    bool m_hystart{true};        //!< attribute
    bool m_friendly{true};       //!< attribute
    uint32_t m_gsoSize{65536};   //!< attribute
    CubicWindow m_window;        //!< its arithmetic
    SequenceNumber32 m_roundEnd; //!< what was sent when HyStart's round began
};

} // namespace ns3::dml

#endif /* DML_LINUX_CUBIC_H */
