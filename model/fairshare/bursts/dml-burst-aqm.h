/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_AQM_H
#define DML_BURST_AQM_H

#include "ns3/rng-stream.h"

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-fairshare
 * @brief CoDel of one queue (RFC 8289, section 5): what is to be dropped or marked as it leaves.
 */
class BurstCodel
{
  public:
    /**
     * @brief A burst leaves the queue.
     * @param now seconds
     * @param sojourn seconds that it has waited
     * @param last whether less than a full packet stays behind
     * @param segments of it
     * @return segments of it to drop or mark
     */
    uint32_t CountActions(double now, double sojourn, bool last, uint32_t segments);

    /// @param seconds by which the origin of times is later
    void MoveOrigin(double seconds)
    {
        m_next -= seconds;
        m_aboveFrom -= seconds;
    }

  private:
    bool IsLate(double now, double sojourn, bool last);

    bool m_above{false};     //!< the queue has been above the target
    double m_aboveFrom{0};   //!< from when on it is late then, seconds
    bool m_acts{false};      //!< it drops or marks
    double m_next{0};        //!< when it does so again, seconds
    uint32_t m_count{0};     //!< how often it has in a row
    uint32_t m_lastCount{0}; //!< what that was at the beginning of the last row
};

/**
 * @ingroup dml-fairshare
 * @brief RED of one port (Floyd and Jacobson 1993), as ns-3's RedQueueDisc has it by default:
 * gentle, thresholds that follow from the rate (Floyd, Gummadi and Shenker 2001), by bytes.
 */
class BurstRed
{
  public:
    /// @param rate of the link, bytes per second @param packet bytes of a full one
    BurstRed(double rate, double packet);

    /**
     * @brief Segments come.
     * @param waiting bytes that the port has; below 0: those that it could have sent since it was
     * empty
     * @param segments how many
     * @param random decides
     * @return segments of them to drop or mark
     */
    uint32_t CountActions(double waiting, uint32_t segments, RngStream& random);

  private:
    double GetProbability() const;

    double m_packet;     //!< bytes of a full one
    double m_least;      //!< threshold, bytes
    double m_most;       //!< threshold, bytes
    double m_average{0}; //!< of the queue, bytes
    double m_since{0};   //!< bytes since one was dropped or marked
    bool m_above{false}; //!< the average was above the lower threshold
};

} // namespace ns3::dml

#endif /* DML_BURST_AQM_H */
