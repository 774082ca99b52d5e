/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAST_FORWARD_H
#define DML_FAST_FORWARD_H

#include "dml-skipped-totals.h"

#include "ns3/dml-step-application.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/socket.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{
namespace dml
{

/// A part of a connection's stream that was left out.
struct SkippedStream
{
    uint32_t peer{0};  //!< index of who would have sent it
    Time from;         //!< time of the model in which it would have begun to come
    Time to;           //!< in which it would have ended
    uint64_t bytes{0}; //!< of TCP's stream
    uint64_t acks{0};  //!< that would have gone back
};

/**
 * @ingroup dml-packet
 * @brief Skips bytes of transfers while every connection sends at a steady rate.
 *
 * While rates are steady, simulating the next packets tells nothing new: so the bytes that would
 * go until the next event of the model are left out at the sender, counted at the receiver, and
 * ModelClock goes on by the time that they take, while ns-3's clock stands. TCP, queues and the
 * packets under way are as they were and go on with later bytes, which is right as their state is a
 * stationary one. Every message keeps its head and its end, so that requests, answers and the
 * order of events are packets.
 *
 * Steady is: each connection sends a turn or nothing at all, and the rate of acknowledged bytes
 * (RateMeter) over a round of all windows is within 1 % of that of the round before. Where queues
 * are first-in first-out, each window must also be as large as it gets, limited by the send buffer
 * or by the receiver rather than by the congestion control, whose rate would change. See
 * Wormhole (NSDI 2026) for the idea of skipping steady states.
 */
class FastForward
{
  public:
    /// Told what an application was spared to receive.
    using Received = std::function<void(const SkippedStream& skipped)>;
    /// Told how much more would have been counted.
    using Credit = std::function<void(uint64_t more)>;

    /// Told that time was skipped, after all else.
    using Skipped = std::function<void(Time from, Time to)>;

    /// @param fair all queues give flows equal shares, whatever their windows
    /// @param skipped told of each skip
    FastForward(bool fair, Skipped skipped);
    FastForward(const FastForward&) = delete;
    FastForward& operator=(const FastForward&) = delete;
    ~FastForward();

    /**
     * @brief Know an application; before the run.
     * @param application a worker or server @param job number of its job
     * @param endpoint which one it is @param peers of it, by index
     * @param received told of what it is spared to receive
     */
    void Add(Ptr<StepApplication> application,
             uint32_t job,
             const Endpoint& endpoint,
             const std::vector<Endpoint>& peers,
             Received received);

    /**
     * @brief Know a counter, which goes on with its rate of late when time is skipped.
     * @param count so far @param credit told how much more there was
     */
    void AddCounter(std::function<uint64_t()> count, Credit credit);

    /// @brief Begin to look for what can be skipped; all applications are known.
    void Start();

    /// @brief The network is another one from now on: rates of before tell nothing.
    void NetworkChanged();

    /// @return what was skipped so far
    const SkippedTotals& GetTotals() const;

  private:
    struct Side;
    struct Counter;

    /// Trace sink: an application has a new connection.
    void Connected(Ptr<Socket>, uint32_t);
    void Look();
    void LookAgain();
    /// See what the sides do. @return whether other ones send than at the last look
    bool Update();
    void Restart();
    /// @param act called with the meter of everything that is counted
    template <typename Act>
    void ForEachMeter(const Act& act);
    void Mark();
    /// @return of those who send
    Time GetLongestRoundTrip() const;
    /// @return marks in which each window goes round, and no fewer than it takes
    std::size_t GetSpan() const;
    void TrySkip();
    void Skip(double seconds, std::size_t span);

    bool m_fair;                                      //!< windows do not matter
    Skipped m_skipped;                                //!< told of each skip
    std::vector<std::unique_ptr<Side>> m_sides;       //!< of all conversations
    std::vector<std::unique_ptr<Counter>> m_counters; //!< of other things than messages
    bool m_started{false};                            //!< Start() was called
    bool m_looking{false};                            //!< a look is scheduled
    bool m_idle{false};                               //!< nothing is under way
    bool m_disturbed{false};                          //!< the network has changed
    bool m_ready{false};                              //!< whoever sends is amid a turn
    Time m_distance{MicroSeconds(20)};                //!< from mark to mark, of ns-3
    std::size_t m_marks{0};                           //!< since the last change
    SkippedTotals m_totals;                           //!< so far
};

} // namespace dml
} // namespace ns3

#endif /* DML_FAST_FORWARD_H */
