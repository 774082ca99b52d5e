/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINUX_SENDING_H
#define DML_LINUX_SENDING_H

#include <algorithm>
#include <cstdint>

namespace ns3::dml
{

/// What decides how much a connection of Linux sends at once.
struct SenderView
{
    uint32_t segment;         //!< payload bytes of a full segment
    uint32_t gsoSize;         //!< bytes of the largest burst; 0: segments leave one by one
    double window;            //!< congestion window, bytes
    double threshold;         //!< slow start threshold, bytes
    double roundTrip;         //!< smoothed, seconds
    double shortestRoundTrip; //!< seconds
};

/// What decides whether a connection of Linux waits for a larger burst.
struct DeferralView
{
    uint64_t room;         //!< bytes that the window allows now
    uint64_t unsent;       //!< bytes that wait to be sent
    uint64_t window;       //!< bytes that may be on their way, congestion and receive window
    double sinceLastWrite; //!< seconds since new data were sent
    double sinceOldest;    //!< seconds since the oldest burst on its way was sent; negative: none
};

/**
 * @ingroup dml-network
 * @brief The rate at which Linux would pace (tcp_update_pacing_rate(), net/ipv4/tcp_input.c): twice
 * the window in a round trip below half of the slow start threshold, 1.2 times above.
 * @param view of a connection
 * @return bytes per second
 */
double GetPacingRate(const SenderView& view);

/// How much a connection of Linux sends at once. Changes with its SenderView only.
struct SendingLimits
{
    /// Payload bytes of the largest burst (tcp_tso_autosize(), net/ipv4/tcp_output.c): a
    /// millisecond at the pacing rate, and more on short paths. A multiple of the segment, at least
    /// two segments unless segments leave one by one.
    uint32_t burst;
    double queued; //!< bytes on the link that may wait in its own host (tcp_small_queue_check())
};

/**
 * @ingroup dml-network
 * @param view of a connection
 * @return its limits
 */
SendingLimits GetSendingLimits(const SenderView& view);

/**
 * @ingroup dml-network
 * @brief How much new data a connection of Linux hands to its host at once, whatever the largest
 * burst is: at most half of its window, so that two bursts at least are on their way, and the loss
 * of one of them shows (tcp_cwnd_test(), net/ipv4/tcp_output.c).
 * @param segment payload bytes of a full segment
 * @param window congestion window, bytes
 * @param room bytes that the window allows now
 * @return bytes, at least a segment if there is room for one
 */
uint64_t GetBurstQuota(uint32_t segment, uint64_t window, uint64_t room);

/**
 * @ingroup dml-network
 * @brief The send buffer that Linux wants for a window (tcp_sndbuf_expand(), net/ipv4/tcp_input.c).
 * @param segment payload bytes of a full segment
 * @param window congestion window, bytes
 * @return payload bytes that it holds
 */
uint64_t GetSendBuffer(uint32_t segment, uint64_t window);

/**
 * @ingroup dml-network
 * @brief Whether Linux waits for a larger burst (tcp_tso_should_defer()), of a connection that
 * sends bursts and repairs no losses.
 * @param burst the largest burst, SendingLimits::burst
 * @param roundTrip smoothed, seconds
 * @param now what it could do at once
 * @return whether it waits
 */
bool IsWorthDeferring(uint32_t burst, double roundTrip, const DeferralView& now);

/**
 * @ingroup dml-network
 * @brief Whether a connection uses its congestion window, without which it does not grow
 * (tcp_cwnd_validate(), RFC 7661), and how far an unused one shrinks.
 *
 * Windows are in bytes, times in seconds.
 */
class WindowUsage
{
  public:
    /**
     * @brief An ACK has come; call it before the ACK changes anything.
     * @param roundEnded whether it acknowledges all that was sent before the last Note() that
     * returned true
     * @param limited whether the window kept the connection from sending
     * @param inFlight bytes
     * @return whether a round begins: the one before has ended, or the window was never used more
     */
    bool Note(bool roundEnded, bool limited, uint64_t inFlight)
    {
        if (!roundEnded && !limited && (m_limited || inFlight <= m_mostInFlight))
        {
            return false;
        }
        m_limited = limited;
        m_mostInFlight = inFlight;
        return true;
    }

    /// @param window bytes @param threshold of slow start, bytes @return whether it is in use
    bool IsUsed(double window, double threshold) const
    {
        return m_limited ||
               (window < threshold && window < 2 * static_cast<double>(m_mostInFlight));
    }

    /// @brief The window is in use, or was shrunk. @param now seconds
    void Restart(double now)
    {
        m_since = now;
        m_mostUsed = 0;
    }

    /// @brief The window is not in use. @param inFlight bytes
    void NoteUnused(uint64_t inFlight)
    {
        m_mostUsed = std::max(m_mostUsed, inFlight);
    }

    /// @param now seconds @return seconds since the last Restart()
    double GetPause(double now) const
    {
        return now - m_since;
    }

    /// @return the most bytes in flight since then
    uint64_t GetMostUsed() const
    {
        return m_mostUsed;
    }

    /// @param seconds by which the origin of times is later
    void MoveOrigin(double seconds)
    {
        m_since -= seconds;
    }

  private:
    bool m_limited{false};      //!< whether the window has limited the round
    uint64_t m_mostInFlight{0}; //!< bytes, in the round
    uint64_t m_mostUsed{0};     //!< see GetMostUsed()
    double m_since{0};          //!< last Restart(), seconds
};

} // namespace ns3::dml

#endif /* DML_LINUX_SENDING_H */
