/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_PORT_H
#define DML_BURST_PORT_H

#include "dml-burst-aqm.h"

#include "ns3/dml-bandwidth-sharing.h"
#include "ns3/dml-tcp-network.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A burst, an ACK or a datagram on its way.
struct NetworkBurst
{
    uint32_t connection; //!< of which it is
    uint32_t bytes;      //!< payload; 0: it is an ACK
    double size;         //!< bytes on the link
    uint32_t segments;   //!< of it
    uint16_t hop;        //!< place on its route
    uint32_t marked;     //!< segments of it (ECN)
    uint64_t begin;      //!< first byte in the stream; of an ACK: bytes that have arrived
    uint64_t number;     //!< of the burst; of an ACK: bursts that it reports, from the start
    double spread;       //!< seconds from the arrival of the first to that of the last segment
    double since;        //!< when it came to the port in which it waits, seconds
    double due;          //!< when it comes to the end of the link that it is on, seconds
    uint32_t life;       //!< of the connection, which may have been opened anew since
};

/// Index of a burst in BurstPool.
using BurstId = uint32_t;

/// Where bursts are while they are on their way.
class BurstPool
{
  public:
    /// @param burst to keep @return its index
    BurstId Add(const NetworkBurst& burst)
    {
        if (m_free.empty())
        {
            m_bursts.push_back(burst);
            return m_bursts.size() - 1;
        }
        const BurstId id = m_free.back();
        m_free.pop_back();
        m_bursts[id] = burst;
        return id;
    }

    /// @param id of a burst @return it
    NetworkBurst& operator[](BurstId id)
    {
        return m_bursts[id];
    }

    /// @param id of a burst that is at its end
    void Remove(BurstId id)
    {
        m_free.push_back(id);
    }

    /// @param seconds by which the origin of times is later
    void MoveOrigin(double seconds)
    {
        for (auto& burst : m_bursts)
        {
            burst.since -= seconds;
            burst.due -= seconds;
        }
    }

  private:
    std::vector<NetworkBurst> m_bursts; //!< all, and free places
    std::vector<BurstId> m_free;        //!< these
};

/**
 * @ingroup dml-fairshare
 * @brief The queue of a port and its link, for bursts.
 *
 * A first-in first-out port knows at arrival when a burst will have left: it computes. A fair one
 * is served burst by burst, as FqCoDelQueueDisc does it (RFC 8290, section 4): queues that were
 * empty go first, then all in turn, by bytes.
 *
 * A burst has come when its last segment has; a port that is idle begins with the first one, so a
 * burst is not stored before it is forwarded, unless bursts are packets (`trains`).
 */
class BurstPort
{
  public:
    /// What all ports of a run have in common.
    struct Settings
    {
        double segment;    //!< bytes of a full segment on the link
        double quantum;    //!< bytes that a fair port gives each queue in turn
        bool wholeBursts;  //!< a burst is taken or dropped as a whole, wherever it comes
        RngStream* random; //!< of RED
        bool changes;      //!< whether links change their rates
    };

    /// What becomes of a burst that comes.
    struct Verdict
    {
        uint32_t dropped{0}; //!< segments that find no room
        bool departs{false}; //!< it is known when the last segment leaves
        double departure{0}; //!< then, seconds
    };

    /// @param port discipline and delay @param rate bytes per second @param settings see there
    /// @param pool where bursts are
    BurstPort(const TcpPort& port, double rate, const Settings& settings, BurstPool& pool);

    /**
     * @brief A burst comes. What is dropped of it is taken off, and marks are set.
     * @param now seconds
     * @param id of the burst
     * @param queue of its connection and direction, at this port
     * @return what becomes of it
     */
    Verdict Take(double now, BurstId id, uint32_t queue);

    /// @return whether it is served burst by burst, by events
    bool IsFair() const
    {
        return m_fair;
    }

    /// @brief Begin with the next burst of a fair port that serves none. @param now seconds
    /// @return when its last segment leaves; negative: nothing waits
    double Serve(double now);

    /// @brief A fair port has served a burst. @return its index
    BurstId Finish();

    /// @return a queue for a connection and a direction at a fair port, others share one
    uint32_t AddQueue();

    /**
     * @brief The link changes its rate. What waits in order leaves earlier or later.
     * @param now seconds
     * @param rate bytes per second; 0: down, so that what comes is lost; what waits still leaves
     * @return bursts whose NetworkBurst::due has changed
     */
    const std::vector<BurstId>& SetRate(double now, double rate);

    /// @brief A burst has a time to leave. @param id of the burst @param now seconds
    void NoteDeparture(double now, BurstId id);

    /// @return when the burst in service leaves, or the last one that has left did, seconds
    double GetFree() const
    {
        return m_free;
    }

    /// @return whether a burst is in service at a fair port
    bool IsBusy() const
    {
        return m_busy;
    }

    /// @param now seconds @return how long a burst that comes now waits, seconds; at a fair port,
    /// for the one in service
    double GetWait(double now) const
    {
        return std::max(0.0, m_free - now);
    }

    /// @return bytes per second
    double GetRate() const
    {
        return m_rate;
    }

    /// @return seconds of the link
    double GetDelay() const
    {
        return m_delay;
    }

    /// @return bursts that were dropped from the head of the longest queue since the last call
    std::vector<BurstId>& GetPushedOut()
    {
        return m_pushedOut;
    }

    /// Segments that were dropped of a burst in the queue, which goes on without them.
    struct Cut
    {
        BurstId burst;     //!< the burst
        uint32_t segments; //!< how many
    };

    /// @return such segments since the last call
    std::vector<Cut>& GetCuts()
    {
        return m_cuts;
    }

    /// @return what it has done so far
    const LinkUse& GetUse() const
    {
        return m_use;
    }

    /// @brief Segments were dropped on their way into it, or lost as its link is down. @param
    /// segments how many
    void CountDropped(uint32_t segments)
    {
        (m_rate > 0 ? m_use.dropped : m_use.lost) += segments;
    }

    /// @param seconds by which the origin of times is later
    void MoveOrigin(double seconds)
    {
        m_free -= seconds;
        for (auto& [begin, end] : m_idle)
        {
            begin -= seconds;
            end -= seconds;
        }
        for (auto& leaving : m_leaving)
        {
            leaving.due -= seconds;
        }
        for (auto& queue : m_queues)
        {
            queue.codel.MoveOrigin(seconds);
        }
    }

  private:
    /// What waits of one connection and direction.
    struct Queue
    {
        std::deque<BurstId> bursts; //!< in order of arrival
        double deficit{0};          //!< bytes that it may still send in its turn
        double bytes{0};            //!< of the bursts
        bool listed{false};         //!< in m_new or m_old
        BurstCodel codel{};         //!< of FQ-CoDel
    };

    /// A burst that waits in order.
    struct Leaving
    {
        BurstId burst; //!< its place may be another one's later
        double due;    //!< NetworkBurst::due as long as it is this one
    };

    Verdict TakeInOrder(double now, NetworkBurst& burst);
    void TakeFairly(double now, BurstId id, uint32_t queue);
    void PushOut();
    void Mark(NetworkBurst& burst, double waiting);
    uint32_t FindExcess(double now, const NetworkBurst& burst) const;
    void CountSent(const NetworkBurst& burst);
    /// Have the link carry a burst, whose last segment has come at a time, behind all others.
    void Transmit(NetworkBurst& burst, double arrived);
    /// @return how long the link has been idle between a time and m_free, seconds
    double GetIdle(double since) const;
    /// @return whether anything is left of a burst that leaves its queue
    bool ApplyCodel(double now, Queue& queue, BurstId id);
    uint32_t ApplyRed(double now, NetworkBurst& burst);
    void Shorten(NetworkBurst& burst, uint32_t dropped) const;

    QueueSpec m_spec;    //!< discipline
    double m_limit;      //!< bytes; infinite: none
    double m_rate;       //!< bytes per second
    double m_delay;      //!< seconds
    Settings m_settings; //!< see there
    BurstPool& m_pool;   //!< where bursts are
    bool m_fair;         //!< served by events
    bool m_whole;        //!< takes or drops bursts as a whole
    /// When the link was idle last, oldest first. A burst is known when its last segment comes, so
    /// what came before, but after its first one, has left such gaps, which it fills.
    std::deque<std::pair<double, double>> m_idle;
    double m_free{0};                 //!< when all that has come will have left, seconds
    std::vector<Queue> m_queues;      //!< of a fair port
    std::deque<uint32_t> m_new;       //!< queues that were empty
    std::deque<uint32_t> m_old;       //!< queues that have had a turn
    double m_waiting{0};              //!< bytes in all queues
    BurstId m_current{0};             //!< in service
    bool m_busy{false};               //!< whether there is one
    std::deque<Leaving> m_leaving;    //!< bursts that wait in order, where rates change
    std::vector<BurstId> m_moved;     //!< result of SetRate()
    std::vector<BurstId> m_pushedOut; //!< see GetPushedOut()
    std::vector<Cut> m_cuts;          //!< see GetCuts()
    BurstRed m_red;                   //!< of a port that is one
    LinkUse m_use;                    //!< see GetUse()
};

} // namespace ns3::dml

#endif /* DML_BURST_PORT_H */
