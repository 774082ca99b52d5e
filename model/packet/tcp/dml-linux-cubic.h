/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINUX_CUBIC_H
#define DML_LINUX_CUBIC_H

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
    /// Forget all that was learnt.
    void Reset();
    /// Begin a round of HyStart. @param state of the connection
    void BeginRound(Ptr<const TcpSocketState> state);
    /// End slow start if the queue seems to grow. @param state of the connection @param delay round
    /// trip of the last acknowledged segment, s
    void SeekEndOfSlowStart(Ptr<TcpSocketState> state, double delay);
    /// @param window in segments @param acked segments @return segments to be acknowledged for one
    /// that is added to the window
    uint32_t CountForOne(uint32_t window, uint32_t acked);

    bool m_hystart{true};        //!< attribute
    bool m_friendly{true};       //!< attribute
    uint32_t m_gsoSize{65536};   //!< attribute
    uint32_t m_windowCount{0};   //!< segments acknowledged since one was added
    uint32_t m_lastMax{0};       //!< window at the last loss, segments; 0: there was none
    uint32_t m_origin{0};        //!< window at the curve's inflection, segments
    double m_untilOrigin{0};     //!< s from the epoch's start to the inflection (K)
    double m_epoch{-1};          //!< start of the curve, s; negative: none has begun
    double m_renoAcked{0};       //!< segments acknowledged that Reno has not used
    uint32_t m_renoWindow{0};    //!< what Reno would have, segments
    double m_smoothed{0};        //!< round trip, s; 0: unknown
    double m_shortest{-1};       //!< shortest round trip, s; negative: unknown
    bool m_found{false};         //!< HyStart has ended slow start
    double m_roundStart{0};      //!< s
    SequenceNumber32 m_roundEnd; //!< what was sent when the round began
    double m_lastAck{0};         //!< last ACK of a train, s
    double m_roundShortest{-1};  //!< shortest round trip of the round, s; negative: unknown
    uint32_t m_roundSamples{0};  //!< of them
    double m_lastActive{-1};     //!< when something was last acknowledged, s
};

} // namespace ns3::dml

#endif /* DML_LINUX_CUBIC_H */
