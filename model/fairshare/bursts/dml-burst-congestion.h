/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_CONGESTION_H
#define DML_BURST_CONGESTION_H

#include "ns3/dml-network-spec.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// What a congestion control knows of its connection when an ACK comes.
struct CongestionView
{
    double now;         //!< seconds
    uint32_t window;    //!< congestion window, segments
    uint32_t threshold; //!< slow start threshold, segments
    uint32_t segment;   //!< payload bytes of a segment
    uint32_t gsoSize;   //!< bytes of the sender's largest burst
    uint64_t sent;      //!< bytes of the stream that have been sent
    uint64_t acked;     //!< bytes of the stream that are acknowledged without a gap
    uint32_t delivered; //!< bytes that this ACK reports
    uint32_t marked;    //!< of these, in bursts that a queue has marked (ECN)
    double roundTrip;   //!< seconds, of the last burst it reports; 0: not known
};

/**
 * @ingroup dml-fairshare
 * @brief A congestion control of the sharing rule `bursts`.
 */
class BurstCongestion
{
  public:
    virtual ~BurstCongestion() = default;

    /**
     * @brief An ACK has come, before the window changes.
     * @param view of the connection
     * @return the slow start threshold, in segments
     */
    virtual uint32_t NoteAck(const CongestionView& view)
    {
        return view.threshold;
    }

    /// @brief Grow in congestion avoidance. @param view of the connection @param acked segments,
    /// above 0 @return segments to add to the window
    virtual uint32_t Grow(const CongestionView& view, uint32_t acked) = 0;

    /// @brief A loss was found. @param window segments @return threshold, segments
    virtual uint32_t ShrinkAfterLoss(uint32_t window) = 0;

    /// @brief A mark was echoed. @param window segments @return threshold, segments
    virtual uint32_t ShrinkAfterMark(uint32_t window)
    {
        return ShrinkAfterLoss(window);
    }

    /// @brief The retransmission timer has run out. @param now seconds @param sent bytes
    virtual void HandleTimeout([[maybe_unused]] double now, [[maybe_unused]] uint64_t sent)
    {
    }

    /// @brief Sending goes on after a pause. @param now seconds
    virtual void Resume([[maybe_unused]] double now)
    {
    }

    /// @brief Times are counted from a later origin. @param seconds by which it is later
    virtual void MoveOrigin([[maybe_unused]] double seconds)
    {
    }
};

/// @return names of `network.tcp` that the rule `bursts` knows
std::vector<std::string> BurstCongestionNames();

/// @param tcp of the network, whose variant is one of BurstCongestionNames() @return a new one
std::unique_ptr<BurstCongestion> MakeBurstCongestion(const TcpSpec& tcp);

} // namespace ns3::dml

#endif /* DML_BURST_CONGESTION_H */
