/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RETRANSMISSION_QUEUE_H
#define DML_RETRANSMISSION_QUEUE_H

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/tcp-option-sack.h"

#include <cstdint>
#include <deque>
#include <optional>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief What a TCP connection has sent and what has not been acknowledged, with what Linux knows
 * of each segment.
 *
 * ns-3's TcpTxBuffer counts the segments that have arrived behind one, and cannot hold a
 * retransmission lost unless it is the first segment. This is the scoreboard of Linux: a segment is
 * lost if another one has arrived that was sent later, whichever of them was sent again
 * (tcp_rack_detect_loss(), RFC 8985 section 6.2), and in flight are the segments that are neither
 * lost nor selectively acknowledged, and the retransmissions that are neither
 * (tcp_packets_in_flight()).
 */
class RetransmissionQueue
{
  public:
    /// A segment that is to be sent again.
    struct Lost
    {
        SequenceNumber32 begin; //!< first byte
        uint32_t bytes{0};      //!< payload
        uint32_t ofBurst{0};    //!< payload that left the host with it, is lost, and follows it
    };

    /**
     * @brief Something is sent, for the first time or again.
     * @param begin first byte
     * @param bytes of payload
     * @param now time
     * @param lost whether what is sent again is held lost, and not probed for
     * @param burst number of the burst in which it leaves the host
     */
    void NoteSent(SequenceNumber32 begin,
                  uint32_t bytes,
                  const Time& now,
                  bool lost,
                  uint32_t burst);

    /**
     * @brief An ACK has come.
     * @param acknowledged first byte that it does not acknowledge
     * @param blocks what it reports behind gaps
     * @param now time
     * @param shortest round trip so far: a retransmission cannot have arrived earlier
     */
    void NoteAck(SequenceNumber32 acknowledged,
                 const TcpOptionSack::SackList& blocks,
                 const Time& now,
                 const Time& shortest);

    /**
     * @brief Hold lost what was sent before something that has arrived, and is overdue.
     * @param window how much later than a round trip a segment may come (RACK.reo_wnd)
     * @param now time
     * @return how long until all that has been overtaken is overdue; 0: nothing else has been
     */
    Time FindLosses(const Time& window, const Time& now);

    /// @brief The retransmission timer has run out: hold lost all that has not arrived
    /// (tcp_enter_loss()).
    void LoseAll();

    /// @brief Hold the first segment lost, unless it is already.
    void LoseFirst();

    /// @return the first segment that is lost and has not been sent again since, if there is any
    std::optional<Lost> FindLost() const;

    /// @param begin a byte @return the first one from there on that was sent only once
    SequenceNumber32 FindSentOnce(SequenceNumber32 begin) const;

    /// @return whether FindLost() finds anything
    bool HasLost() const
    {
        return m_waiting > 0;
    }

    /// @return payload on its way, bytes
    uint32_t GetInFlight() const
    {
        return m_inFlight;
    }

    /// @return segments that have arrived behind a gap
    uint32_t CountSacked() const
    {
        return m_sacked;
    }

  private:
    /// Of the stream, sent together.
    struct Segment
    {
        SequenceNumber32 begin; //!< first byte
        uint32_t bytes{0};      //!< how many
        Time time;              //!< when it was last sent
        uint64_t number{0};     //!< of that sending
        uint32_t burst{0};      //!< in which it was last sent
        bool repeated{false};   //!< it was sent more than once
        bool sacked{false};     //!< it has arrived (TCPCB_SACKED_ACKED)
        bool lost{false};       //!< what was sent first is lost (TCPCB_LOST)
        bool again{false};      //!< a retransmission is on its way (TCPCB_SACKED_RETRANS)

        /// @return behind its last byte
        SequenceNumber32 GetEnd() const
        {
            return begin + SequenceNumber32(bytes);
        }

        /// @return whether it is lost, and has not been sent again since
        bool IsWaiting() const
        {
            return !sacked && lost && !again;
        }
    };

    using Segments = std::deque<Segment>;

    /// @return the segment that holds a byte or, if none does, the first one behind it
    Segments::iterator Find(SequenceNumber32 byte);
    /// Let a segment begin at a byte of the queue. @return it, or the end
    Segments::iterator Split(SequenceNumber32 byte);
    /// Count a segment, or count it no more. @param segment it @param sign 1 or -1
    void Count(const Segment& segment, int sign);
    /// It is lost, also if it was sent again. @param segment it
    void Lose(Segment& segment);
    /// It has arrived. @param segment it @param now time @param shortest round trip
    void Deliver(const Segment& segment, const Time& now, const Time& shortest);

    Segments m_segments;    //!< in the order of the stream
    uint64_t m_number{0};   //!< of the last sending
    uint64_t m_latest{0};   //!< the last sending of which something has arrived
    Time m_roundTrip;       //!< of that
    uint32_t m_inFlight{0}; //!< bytes
    uint32_t m_sacked{0};   //!< segments
    uint32_t m_waiting{0};  //!< lost segments that wait to be sent again
};

} // namespace ns3::dml

#endif /* DML_RETRANSMISSION_QUEUE_H */
