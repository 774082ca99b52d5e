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
#include <optional>
#include <vector>

namespace ns3::dml
{

/// The next turn of a flow to end.
struct FlowEnd
{
    /// What has ended.
    enum class Kind : uint8_t
    {
        SERVED,   //!< the turn: it arrives after the delay of the flow
        ACCEPTED, //!< the sender's part: a buffer holds the rest, which arrives later
        ARRIVED,  //!< the turn, which was accepted before
    };

    double time{std::numeric_limits<double>::infinity()}; //!< seconds; infinite if none will
    int64_t instant{NEVER};                               //!< of time
    uint64_t order{0};       //!< rank among simultaneous ends: the lower started first
    FlowId flow{0};          //!< the flow
    Kind kind{Kind::SERVED}; //!< what has ended

    /// Instant that does not come.
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();

    /// @return whether this flow ends before another one; without branches, which nobody foresees
    bool operator<(const FlowEnd& other) const
    {
        return static_cast<int>(instant < other.instant) |
               (static_cast<int>(instant == other.instant) & static_cast<int>(order < other.order));
    }
};

/// What a link did in a run, as rules know it that simulate transports.
struct LinkUse
{
    double bytes{0};      //!< sent, headers included
    uint64_t segments{0}; //!< sent
    uint64_t dropped{0};  //!< segments for which the sending port had no room
    uint64_t marked{0};   //!< segments that it marked (ECN)
    uint64_t lost{0};     //!< segments that came while the link was down
    double fullest{0};    //!< bytes: largest content of the port's queue, where it is a FIFO
};

/// What happened to all connections of a run.
struct TransportTotals
{
    std::vector<LinkUse> links;  //!< by link
    uint64_t retransmissions{0}; //!< segments
    uint64_t timeouts{0};        //!< of retransmission timers
    uint64_t recoveries{0};      //!< by fast retransmission
    uint64_t events{0};          //!< times that something came to a port or to the end of its way
};

/**
 * @ingroup dml-fairshare
 * @brief How the rate of links is divided among the flows that are active on them.
 *
 * A flow is active from Start() until Finish() or Stop(). Time never goes backwards from call to
 * call. Flows without links never come here.
 *
 * Rules that know rates only end a turn once (SERVED). Those that simulate transports end it twice,
 * ACCEPTED and ARRIVED, in this order; from the first one on the flow may be started again.
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

    /**
     * @param horizon seconds until which nothing changes from outside; a rule need not look
     * further, and says of what comes later that nothing ends
     * @return which active flow ends next if nothing changes, and when; valid until something does
     */
    virtual const FlowEnd& GetNextEnd(double horizon) = 0;

    /// @return the same if nothing ever changes from outside
    const FlowEnd& GetNextEnd()
    {
        return GetNextEnd(std::numeric_limits<double>::infinity());
    }

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
     * @brief How long a small message to the sender of a flow has to wait in queues.
     * @param flow whose ACKs take the same way
     * @param now seconds
     * @return seconds, as queues are now; 0: the rule knows rates only
     */
    virtual double GetReturnWait([[maybe_unused]] FlowId flow, [[maybe_unused]] double now) const
    {
        return 0;
    }

    /// @return what happened to connections; none: the rule knows rates only
    virtual std::optional<TransportTotals> GetTotals() const
    {
        return std::nullopt;
    }

    /**
     * @brief Report how long the links have been used up to now; called at the end of a run.
     * @param now seconds
     */
    virtual void Flush(double now) = 0;
};

} // namespace ns3::dml

#endif /* DML_BANDWIDTH_SHARING_H */
