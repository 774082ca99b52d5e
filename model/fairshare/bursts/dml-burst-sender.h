/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_SENDER_H
#define DML_BURST_SENDER_H

#include "dml-burst-congestion.h"
#include "dml-ring-queue.h"

#include "ns3/dml-linux-sending.h"

#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <vector>

namespace ns3::dml
{

/// A burst that leaves its host.
struct SentBurst
{
    uint64_t begin;             //!< first byte in the stream
    uint32_t bytes;             //!< payload
    uint32_t dropped{0};        //!< bytes of its end that a queue did not take
    double time{0};             //!< when it was sent, seconds
    bool retransmission{false}; //!< repeats something
    bool acked{false};          //!< what was not dropped is known to have arrived
    uint32_t marked{0};         //!< segments of which a queue has set the ECN mark
};

/// What an ACK says.
struct BurstAck
{
    uint64_t received{0};        //!< bytes that have arrived without a gap
    RingQueue<uint64_t>& bursts; //!< numbers of bursts that have arrived, oldest first
    std::size_t count{0};        //!< how many the ACK is about; they are removed
};

/**
 * @ingroup dml-fairshare
 * @brief The sending side of a TCP connection whose unit is a GSO burst.
 *
 * What Linux does between a socket's write and its queue: the send buffer (tcp_sndbuf_expand()),
 * the size of bursts (tcp_tso_autosize(), tcp_tso_should_defer()), small queues
 * (tcp_small_queue_check()), window validation (tcp_cwnd_validate(), RFC 7661), restart after idle
 * (tcp_cwnd_restart(), RFC 5681 section 4.1), slow start, the congestion control, losses that later
 * arrivals show (RACK, RFC 8985), proportional rate reduction (RFC 6937), tail loss probes (RFC
 * 8985 section 7) and the retransmission timer (RFC 6298). No constant is fitted.
 *
 * Bursts of a connection stay in order on their way, so all that was sent before a burst that has
 * arrived is settled. After a timeout only what was lost is sent again, as F-RTO (RFC 5682) and
 * SACK make Linux do.
 */
class BurstSender
{
  public:
    /// What all connections of a run have in common, and what depends on the host.
    struct Settings
    {
        TcpSpec tcp;         //!< of all hosts
        uint32_t segment{0}; //!< payload bytes of a full segment
        uint32_t gsoSize{0}; //!< bytes of the largest burst; 0: single segments
        double roundTrip{0}; //!< of the handshake, seconds
    };

    /// Never.
    static constexpr double NEVER = std::numeric_limits<double>::infinity();

    /// @param settings of the connection
    explicit BurstSender(const Settings& settings);

    /// @brief The application wants to send more. @param bytes how much
    void Write(uint64_t bytes);

    /// @return bytes of the stream that the send buffer has taken
    uint64_t GetAccepted() const
    {
        return m_accepted;
    }

    /**
     * @brief Send a burst, if the window, the buffer and the host's queue allow.
     * @param now seconds
     * @return the number of the burst, or NONE
     */
    uint64_t Send(double now);

    /// No burst.
    static constexpr uint64_t NONE = std::numeric_limits<uint64_t>::max();

    /// @param number of a burst @return whether anybody asks for it any more
    bool Knows(uint64_t number) const
    {
        return number >= m_first;
    }

    /// @param number of a burst that it Knows() @return it
    SentBurst& Get(uint64_t number)
    {
        return m_sent[number - m_first];
    }

    /// @brief A burst goes to the queue of its host. @param bytes on the link
    void Queue(double bytes)
    {
        m_backlog += bytes;
    }

    /// @brief A burst has left its host. @param bytes on the link
    void Leave(double bytes)
    {
        m_backlog -= bytes;
    }

    /// @brief An ACK has come. @param now seconds @param ack what it says
    void Receive(double now, const BurstAck& ack);

    /// @return when the timer for probes and retransmissions runs out, seconds; may be NEVER
    double GetTimeout() const
    {
        return m_timeout;
    }

    /// @brief The timer has run out. @param now seconds
    void HandleTimeout(double now);

    /// @brief Times are counted from a later origin. @param seconds by which it is later
    void MoveOrigin(double seconds);

    /// @return bytes that have been sent again
    uint64_t GetRetransmitted() const
    {
        return m_retransmitted;
    }

    /// @return how often losses have shrunk the window, those that a timeout has found apart
    uint64_t GetRecoveries() const
    {
        return m_recoveries;
    }

    /// @return how often the retransmission timer has run out
    uint64_t GetTimeouts() const
    {
        return m_timeouts;
    }

  private:
    /// Phases of the congestion window.
    enum class State : uint8_t
    {
        OPEN,     //!< nothing is known to be lost
        RECOVERY, //!< repairs losses that ACKs have shown
        LOSS,     //!< repairs after a timeout
    };

    /// Bytes to send again.
    struct Range
    {
        uint64_t begin; //!< first one
        uint32_t bytes; //!< how many
    };

    void Refill();
    SenderView GetView() const;
    /// @brief The window or a round trip has changed, and what follows from them does.
    void UpdateLimits();
    uint64_t GetBurstSize(uint64_t room) const;
    bool IsThrottled() const;
    bool IsDeferred(double now, uint64_t room, uint64_t unsent) const;
    uint64_t Put(double now, uint64_t begin, uint32_t bytes, bool again);
    uint64_t Retransmit(double now, uint64_t room);
    uint64_t SendNew(double now, uint64_t room);
    void RestartAfterIdle(double now);
    void ForgetAll();
    void KeepThreshold();
    void NoteUsage(double now);
    bool IsWindowUsed() const;
    void TakeRoundTrip(double roundTrip);
    bool FindLosses(uint64_t highest);
    bool LosePart(SentBurst& burst);
    void ForgetArrived(uint64_t begin, uint64_t end);
    void EnterRecovery();
    void ReduceProportionally(uint32_t delivered, bool mayAdd);
    void Grow(const CongestionView& view, uint32_t segments);
    double GetProbeDelay() const;
    void SetTimer(double now);

    uint64_t GetBytes(uint32_t segments) const
    {
        return static_cast<uint64_t>(segments) * m_settings.segment;
    }

    Settings m_settings;                           //!< see there
    std::unique_ptr<BurstCongestion> m_congestion; //!< grows and shrinks the window
    uint64_t m_written{0};                         //!< bytes that the application has given
    uint64_t m_next{0};                            //!< first byte that was never sent
    uint64_t m_acked{0};                           //!< bytes known to have arrived without a gap
    uint64_t m_accepted{0};                        //!< see GetAccepted()
    uint64_t m_buffer;                             //!< size of the send buffer, bytes
    uint64_t m_refillAt;                           //!< free bytes from which it is filled again
    RingQueue<SentBurst> m_sent;                   //!< in order of sending
    uint64_t m_first{0};                           //!< number of the first of these
    std::deque<Range> m_lost;                      //!< to be sent again
    uint64_t m_inFlight{0};                        //!< bytes
    double m_backlog{0};                           //!< bytes on the link that wait in the own host
    State m_state{State::OPEN};                    //!< of the window
    uint32_t m_window;                             //!< segments
    uint32_t m_threshold{INT32_MAX};               //!< of slow start, segments
    double m_leastTimeout;                         //!< of the retransmission timer, s
    uint64_t m_recoveryEnd{0};                     //!< acknowledged bytes that end the state
    uint64_t m_reductionEnd{0};                    //!< acknowledged bytes from which marks count
    double m_recoverySize{0};        //!< window before recovery, segments (prior_cwnd)
    double m_recoveryDelivered{0};   //!< segments since then
    double m_recoverySent{0};        //!< segments since then
    double m_smoothed{0};            //!< round trip, s (srtt)
    double m_deviation{0};           //!< of it, s (mdev)
    double m_shortest{0};            //!< round trip, s
    double m_retransmissionDelay{0}; //!< until the retransmission timer runs out, s
    SendingLimits m_limits{};        //!< that follow from the window and round trips
    double m_lastSent{-1};           //!< of new data, s
    bool m_hasSent{false};           //!< anything
    bool m_deferred{false};          //!< waits for a larger burst
    std::vector<Range> m_repeated;   //!< repetitions that an ACK reports
    WindowUsage m_usage;             //!< whether the window is the limit
    uint64_t m_usageEnd{0};          //!< end of its round, byte of the stream
    double m_timeout{NEVER};         //!< see GetTimeout()
    bool m_probed{false};            //!< since the last ACK
    bool m_probes{false};            //!< a probe is to be sent
    uint32_t m_backoff{0};           //!< timeouts in a row
    uint64_t m_retransmitted{0};     //!< bytes
    uint64_t m_recoveries{0};        //!< see GetRecoveries()
    uint64_t m_timeouts{0};          //!< see GetTimeouts()
};

} // namespace ns3::dml

#endif /* DML_BURST_SENDER_H */
