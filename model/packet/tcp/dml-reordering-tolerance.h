/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REORDERING_TOLERANCE_H
#define DML_REORDERING_TOLERANCE_H

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief How much reordering a TCP sender tolerates before it holds a segment lost, as Linux learns
 * it from what it sees.
 *
 * As long as all segments have arrived in order, three duplicate ACKs mean a loss. Once a segment
 * that was sent only once has arrived after later ones (tcp_check_sack_reordering()), only time
 * tells (tcp_rack_reo_wnd()): RACK waits for what has been overtaken for a quarter of the shortest
 * round trip, and for as much longer, once a round trip, when a retransmission turns out to have
 * been needless (tcp_rack_update_reo_wnd(), RFC 8985 section 6.2).
 *
 * Linux tells by time of all segments, TcpSocketBase of the first one. So in a recovery the others
 * are lost, too, when more segments have overtaken them than have ever overtaken a late one.
 */
class ReorderingTolerance
{
  public:
    /// A segment has arrived after later ones. @param overtakers number of segments, from the late
    /// one to the last one that has arrived, from 1
    void NoteLate(uint32_t overtakers);

    /**
     * @brief The receiver has got a segment twice.
     * @param acknowledged up to where it has got all
     * @param sent up to where the sender has sent
     */
    void NoteDuplicate(SequenceNumber32 acknowledged, SequenceNumber32 sent);

    /// A recovery has ended, and nothing shows that it was needless.
    void NoteRecovered();

    /// @return whether a segment has arrived after later ones
    bool IsReorderingSeen() const
    {
        return m_seen;
    }

    /// @param recovers whether a recovery goes on @return duplicate ACKs that mean a loss, 3 to 300
    uint32_t GetThreshold(bool recovers) const;

    /**
     * @brief How long after its overtaker a segment may arrive.
     * @param shortest round trip, from 0
     * @param smoothed round trip, from 0: the limit of what steps add
     * @return time, at least a quarter of the shortest round trip
     */
    Time GetWindow(const Time& shortest, const Time& smoothed) const;

  private:
    bool m_seen{false};          //!< see IsReorderingSeen()
    uint32_t m_degree{3};        //!< most segments that have overtaken one; net.ipv4.tcp_reordering
    uint32_t m_steps{1};         //!< quarters of the shortest round trip
    uint32_t m_kept{0};          //!< recoveries for which m_steps holds
    SequenceNumber32 m_stepsEnd; //!< end of the round trip in which m_steps has grown
};

} // namespace ns3::dml

#endif /* DML_REORDERING_TOLERANCE_H */
