/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CUBIC_WINDOW_H
#define DML_CUBIC_WINDOW_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-network
 * @brief The arithmetic of Linux' CUBIC and of its HyStart, without a socket.
 *
 * Source: net/ipv4/tcp_cubic.c, 5.5 to 6.18; RFC 9438; Ha and Rhee, Taming the elephants, Computer
 * Networks 55(9), 2011. Windows are counted in segments, times in seconds. The owner knows where a
 * round begins, whether the connection is in slow start, and when its window may grow.
 */
class CubicWindow
{
  public:
    /// @brief Forget all that was learnt but the smoothed round trip, as after a timeout.
    void Reset();

    /// @brief What is sent now opens a new round of HyStart. @param now seconds
    void BeginRound(double now);

    /**
     * @brief Segments were acknowledged.
     * @param now seconds
     * @param roundTrip of the last one of them, in seconds; 0: not known
     * @return whether the round trip counts: those at the start of a curve do not
     */
    bool NoteRoundTrip(double now, double roundTrip);

    /**
     * @brief Look for a queue that slow start has built, by the delay of the round and by the
     * length of its train of ACKs. Ask once for each NoteRoundTrip() that counts.
     * @param now seconds
     * @param roundTrip seconds
     * @param window segments
     * @param windowBytes the same window in bytes
     * @param gsoSize bytes of the sender's largest burst; a train may be longer by four of them
     * @return whether slow start should end here
     */
    bool FindsQueue(double now,
                    double roundTrip,
                    uint32_t window,
                    double windowBytes,
                    uint32_t gsoSize);

    /// @return whether FindsQueue() has said so since the last Reset()
    bool HasFoundQueue() const
    {
        return m_found;
    }

    /**
     * @brief Grow in congestion avoidance.
     * @param now seconds
     * @param window segments
     * @param acked segments that were acknowledged, above 0
     * @param friendly whether the window is at least that of Reno
     * @return segments to add
     */
    uint32_t Grow(double now, uint32_t window, uint32_t acked, bool friendly);

    /// @brief A loss was found. @param window segments @return the slow start threshold, segments
    uint32_t Shrink(uint32_t window);

    /// @brief Sending goes on after a pause, in which the curve did not. @param now seconds
    void Resume(double now);

    /// @brief Times are counted from a later origin. @param seconds by which it is later
    void MoveOrigin(double seconds);

  private:
    uint32_t CountForOne(double now, uint32_t window, uint32_t acked, bool friendly);

    uint32_t m_windowCount{0};  //!< segments acknowledged since one was added
    uint32_t m_lastMax{0};      //!< window at the last loss, segments; 0: there was none
    uint32_t m_origin{0};       //!< window at the curve's inflection, segments
    double m_untilOrigin{0};    //!< s from the epoch's start to the inflection (K)
    bool m_curves{false};       //!< a curve has begun
    double m_epoch{0};          //!< start of the curve, s
    double m_renoAcked{0};      //!< segments acknowledged that Reno has not used
    uint32_t m_renoWindow{0};   //!< what Reno would have, segments
    double m_smoothed{0};       //!< round trip, s; 0: unknown
    double m_shortest{-1};      //!< shortest round trip, s; negative: unknown
    bool m_found{false};        //!< HyStart has ended slow start
    double m_roundStart{0};     //!< s
    double m_lastAck{0};        //!< last ACK of a train, s
    double m_roundShortest{-1}; //!< shortest round trip of the round, s; negative: unknown
    uint32_t m_roundSamples{0}; //!< round trips of the round, as far as they are counted
    bool m_active{false};       //!< something has been acknowledged
    double m_lastActive{0};     //!< when something was acknowledged last, s
};

} // namespace ns3::dml

#endif /* DML_CUBIC_WINDOW_H */
