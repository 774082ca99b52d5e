/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BANDWIDTH_SHARING_H
#define DML_BANDWIDTH_SHARING_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-fairshare
 * @brief One connection in one direction: the unit among which bandwidth is shared.
 */
struct Flow
{
    uint32_t worker{0};                      //!< from 0
    uint32_t server{0};                      //!< from 0
    Direction direction{Direction::DOWNLINK}; //!< seen from the worker
};

/// The next flow to finish.
struct FlowEnd
{
    double time{std::numeric_limits<double>::infinity()}; //!< seconds; infinite if none is active
    int64_t instant{NEVER}; //!< of time
    uint64_t order{0};      //!< rank among simultaneous ends: the lower started first
    Flow flow;              //!< which one

    /// Instant that does not come.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// @return whether this flow ends before another one
    bool operator<(const FlowEnd& other) const
    {
        return instant != other.instant ? instant < other.instant : order < other.order;
    }
};

/**
 * @ingroup dml-fairshare
 * @brief How the rate of links is divided among the flows that are active on them.
 *
 * A flow is active from Start() until Finish(); at most one at a time per connection and
 * direction. Time never goes backwards from call to call.
 */
class BandwidthSharing
{
  public:
    virtual ~BandwidthSharing() = default;

    /**
     * @brief A flow becomes active.
     * @param flow which one, not active yet
     * @param bytes its size, from 0
     * @param order rank among simultaneous ends
     * @param now seconds
     */
    virtual void Start(const Flow& flow, double bytes, uint64_t order, double now) = 0;

    /// @return which active flow ends next if nothing changes, and when
    virtual FlowEnd GetNextEnd() const = 0;

    /// @brief End the flow that GetNextEnd() names, at the time it says.
    virtual void Finish() = 0;

    /**
     * @brief Report how long the links have been used up to now; called at the end of a run.
     * @param now seconds
     */
    virtual void Flush(double now) = 0;
};

} // namespace dml
} // namespace ns3

#endif /* DML_BANDWIDTH_SHARING_H */
