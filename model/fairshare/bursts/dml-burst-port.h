/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BURST_PORT_H
#define DML_BURST_PORT_H

#include "dml-burst-aqm.h"
#include "dml-burst-link.h"
#include "dml-burst-memory.h"
#include "dml-burst-pool.h"
#include "dml-linked-queue.h"

#include "ns3/dml-bandwidth-sharing.h"
#include "ns3/dml-tcp-network.h"

#include <algorithm>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dml
{

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
        RngStream* random; //!< draws what RED and meeting bursts drop
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

    /**
     * @brief A burst of several segments begins to come. What comes meanwhile meets the part of it
     * that has arrived, before Take() knows of it.
     * @param burst it; its spread is that with which it comes
     * @param last when its last segment will be here, seconds
     */
    void Expect(const NetworkBurst& burst, double last);

    /// @return whether it is served burst by burst, by events
    bool IsFair() const
    {
        return m_fair;
    }

    /// @return whether it is fair, nothing waits in it, and nothing but a queue's turn decides what
    /// becomes of a burst that comes
    bool IsIdle() const
    {
        return m_fair && !m_busy && m_rate > 0 && m_spec.kind != QueueSpec::Kind::FQ_CODEL;
    }

    /// @brief A single segment passes a port that IsIdle(), to which nothing else comes until it
    /// has left. @param now seconds @param end when it leaves, seconds @param burst it
    void Pass(double now, double end, const NetworkBurst& burst);

    /// @brief Begin with the next burst of a fair port that serves none. @param now seconds
    /// @return when its last segment leaves; negative: nothing waits
    double Serve(double now);

    /// @return the burst in service at a fair port
    BurstId GetCurrent() const
    {
        return m_current;
    }

    /// @brief A fair port has served a burst. @return its index
    BurstId Finish();

    /**
     * @brief A route comes to use the port.
     * @param forwarded whether its bursts come over another link, and so one segment after another
     * @return a queue for a connection and a direction at a fair port, others share one
     */
    uint32_t AddQueue(bool forwarded);

    /**
     * @brief The link changes its rate. What waits in order leaves earlier or later.
     * @param now seconds
     * @param rate bytes per second; 0: down, so that what comes is lost; what waits at a
     * FIFO port still leaves, at a fair one it waits
     * @param order of the next event; each arrival that has moved takes one
     */
    void SetRate(double now, double rate, uint64_t& order);

    /// @brief Share the memory of the switch; before bursts come. @param memory it; outlives this
    void Share(BurstMemory& memory)
    {
        m_memory = &memory;
    }

    /// @return of a port that shares the memory of its switch: see QueueSpec
    double GetAlpha() const
    {
        return m_spec.alpha;
    }

    /// @param now seconds, not before anything came that has come @return bytes that a FIFO port
    /// holds, of bursts that are coming those that have come
    double GetContent(double now) const;

    /// @param now seconds @return whether a FIFO port holds nothing then, and later nothing of what
    /// it knows
    bool IsEmptyFrom(double now) const;

    /// @return what waits with a known time to leave, or crosses the link
    BurstLink& GetLink()
    {
        return m_link;
    }

    /// @return when the burst in service at a fair port leaves, seconds
    double GetDeparture() const
    {
        return m_departure;
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
        return std::max(0.0, m_free - m_bucket - now);
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

    /// @return whether GetPushedOut() or GetCuts() has any
    bool HasDropped() const
    {
        return !m_pushedOut.empty() || !m_cuts.empty();
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
        m_departure -= seconds;
        m_taken -= seconds;
        for (auto& incoming : m_incoming)
        {
            incoming.first -= seconds;
            incoming.last -= seconds;
        }
        for (auto& [begin, end] : m_idle)
        {
            begin -= seconds;
            end -= seconds;
        }
        m_link.ChangeAll([seconds](auto& arrival) { arrival.time -= seconds; });
        for (auto& queue : m_queues)
        {
            queue.codel.MoveOrigin(seconds);
        }
    }

  private:
    /// What waits of one connection and direction.
    struct Queue
    {
        LinkedQueue bursts; //!< in order of arrival
        double deficit{0};  //!< bytes that it may still send in its turn
        double bytes{0};    //!< of the bursts
        uint32_t next{0};   //!< index of the queue behind it in m_new or m_old
        bool listed{false}; //!< in m_new or m_old
        BurstCodel codel{}; //!< of FQ-CoDel
    };

    /// A burst that is coming.
    struct Incoming
    {
        double first; //!< when its first segment comes, seconds
        double last;  //!< when its last one does, seconds
        double bytes; //!< size on the link, headers included
    };

    // inline: one file has all their callers, and each burst takes these calls
    inline Verdict TakeInOrder(double now, NetworkBurst& burst);
    inline void TakeFairly(double now, BurstId id, uint32_t queue);
    /// @brief A queue gets its turn, as of htb's classes: in the order of their numbers, from the
    /// one that has its turn on (net/sched/sch_htb.c, htb_add_class_to_row()). @param queue index
    void InsertInTurn(uint32_t queue);
    void PushOut();
    inline void Mark(NetworkBurst& burst, double waiting);
    /// @param limit bytes that the port may hold
    inline uint32_t FindExcess(double now, const NetworkBurst& burst, double limit) const;
    /// @param now seconds @param burst that comes @param limit bytes that the port may hold @param
    /// excess bytes of it and of what waits
    /// beyond the limit @return segments of it that give way to bursts that come at the same time
    uint32_t CountOusted(double now, const NetworkBurst& burst, double limit, double excess) const;
    inline void CountSent(const NetworkBurst& burst);
    /// Have the link carry a burst, whose last segment has come at a time, behind all others.
    inline void Transmit(NetworkBurst& burst, double arrived);

    /// @return when what has come last leaves, seconds
    double FindDeparture(double now) const
    {
        return std::max(now, m_free - m_bucket);
    }

    /// @return how long the link has been idle between a time and m_free, seconds
    inline double GetIdle(double since) const;
    /// @return whether anything is left of a burst that leaves its queue
    bool ApplyCodel(double now, Queue& queue, BurstId id);
    inline uint32_t ApplyRed(double now, NetworkBurst& burst);
    void Shorten(NetworkBurst& burst, uint32_t dropped) const;

    /// When all that has come would have left at the link's rate, seconds; by the bucket's time
    /// earlier, it has.
    double m_free{0};
    double m_departure{0};          //!< see GetDeparture()
    double m_rate;                  //!< bytes per second
    double m_segmentTime;           //!< seconds that the link takes for a full segment
    double m_delay;                 //!< seconds
    double m_tokens;                //!< bytes that may be sent at once after a pause
    double m_bucket;                //!< seconds in which the link sends these
    double m_limit;                 //!< bytes, of a memory that is shared at most; infinite: none
    BurstMemory* m_memory{nullptr}; //!< that of the switch; null: of its own
    bool m_fair;                    //!< served by events
    bool m_whole;                   //!< takes or drops bursts as a whole
    bool m_gaps;                    //!< whether m_idle can matter
    bool m_busy{false};             //!< whether a burst is in service
    BurstId m_current{0};           //!< this one
    LinkUse m_use;                  //!< see GetUse()
    BurstLink m_link;               //!< see GetLink()
    LinkedQueue m_new;              //!< queues that were empty
    LinkedQueue m_old;              //!< queues that have had a turn
    std::vector<Queue> m_queues;    //!< of a fair port
    double m_waiting{0};            //!< bytes in all queues
    Settings m_settings;            //!< see there
    BurstPool& m_pool;              //!< where bursts are
    QueueSpec m_spec;               //!< discipline
    /// When the link was idle last, oldest first. A burst is known when its last segment comes, so
    /// what came before, but after its first one, has left such gaps, which it fills.
    boost::circular_buffer<std::pair<double, double>> m_idle;
    double m_taken{0};                //!< when something came last, seconds
    std::vector<Incoming> m_incoming; //!< bursts that are coming, and the last that have come
    std::vector<BurstId> m_pushedOut; //!< see GetPushedOut()
    std::vector<Cut> m_cuts;          //!< see GetCuts()
    BurstRed m_red;                   //!< state of RED, if the port has it
};

} // namespace ns3::dml

#endif /* DML_BURST_PORT_H */
