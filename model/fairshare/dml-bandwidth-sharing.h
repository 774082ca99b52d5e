/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BANDWIDTH_SHARING_H
#define DML_BANDWIDTH_SHARING_H

#include "dml-flow-network.h"

#include <cstdint>
#include <limits>

namespace ns3::dml
{

/// The next flow to finish.
struct FlowEnd
{
    double time{std::numeric_limits<double>::infinity()}; //!< seconds; infinite if none will
    int64_t instant{NEVER};                               //!< of time
    uint64_t order{0}; //!< rank among simultaneous ends: the lower started first
    FlowId flow{0};    //!< the flow

    /// Instant that does not come.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// @return whether this flow ends before another one; without branches, which nobody foresees
    bool operator<(const FlowEnd& other) const
    {
        return static_cast<int>(instant < other.instant) |
               (static_cast<int>(instant == other.instant) & static_cast<int>(order < other.order));
    }
};

/**
 * @ingroup dml-fairshare
 * @brief How the rate of links is divided among the flows that are active on them.
 *
 * A flow is active from Start() until Finish() or Stop(). Time never goes backwards from call to
 * call. Flows without links never come here.
 */
class BandwidthSharing
{
  public:
    virtual ~BandwidthSharing() = default;

    /**
     * @brief A flow becomes active.
     * @param flow which one, not active yet
     * @param bytes its size, above 0; may be infinite
     * @param order rank among simultaneous ends
     * @param now seconds
     */
    virtual void Start(FlowId flow, double bytes, uint64_t order, double now) = 0;

    /// @return which active flow ends next if nothing changes, and when; valid until something does
    virtual const FlowEnd& GetNextEnd() = 0;

    /// @brief End the flow that GetNextEnd() names, at the time it says.
    virtual void Finish() = 0;

    /**
     * @brief End a flow that has not been served to its end.
     * @param flow which one, active
     * @param now seconds
     */
    virtual void Stop(FlowId flow, double now) = 0;

    /**
     * @brief A link changes its rate.
     * @param link which one
     * @param bytesPerSecond its new rate, from 0; 0: it is down, and the flows across it wait
     * @param now seconds
     */
    virtual void SetCapacity(LinkId link, double bytesPerSecond, double now) = 0;

    /**
     * @brief From now on, all times are counted from a later origin.
     * @param seconds by which it is later, a whole number; no flow ends before
     */
    virtual void MoveOrigin(double seconds) = 0;

    /// @return whether a flow whose ACKs cross a link that is down stands still
    virtual bool HeedsAcks() const
    {
        return false;
    }

    /**
     * @brief Report how long the links have been used up to now; called at the end of a run.
     * @param now seconds
     */
    virtual void Flush(double now) = 0;
};

} // namespace ns3::dml

#endif /* DML_BANDWIDTH_SHARING_H */
