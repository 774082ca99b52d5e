/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FAST_FORWARD_H
#define DML_FAST_FORWARD_H

#include "dml-skippable-flow.h"
#include "dml-skipped-totals.h"
#include "dml-steady-states.h"

#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// The way of a flow.
struct FlowPath
{
    std::string kind;             //!< workers with paths of the same kinds are interchangeable
    std::vector<LinkOnWay> links; //!< from its sender
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
 * (RateMeter) over a round of all windows is within 1 % of that of the round before, and no queue
 * grows or shrinks by more than 1 % of its link's rate: what waits may move from one link to
 * another for long, at rates that do not change meanwhile. Each sender must also have a window as
 * large as it gets, limited by the send buffer or by the receiver rather than by the congestion
 * control, whose rate would change; or a link on its way is full, and it shares no queue that is
 * first in, first out with another sender. A state that was steady before (SteadyStates) is skipped
 * after one round. See Wormhole (NSDI 2026) for the idea of skipping steady states.
 *
 * Some skips, drawn at random, are simulated instead, and the rates in them compared with those
 * that would have been used.
 */
class FastForward
{
  public:
    /// Told what an application was spared to receive.
    using Received = SkippableStream::Received;
    /// Told how much more would have been counted.
    using Credit = std::function<void(uint64_t more)>;

    /// Told that time was skipped, after all else.
    using Skipped = std::function<void(Time from, Time to)>;

    /**
     * @param check part of the skips that is simulated instead, 0 to 1
     * @param randomStream number of ns-3's random stream that draws them
     * @param skipped told of each skip
     */
    FastForward(double check, int64_t randomStream, Skipped skipped);
    FastForward(const FastForward&) = delete;
    FastForward& operator=(const FastForward&) = delete;
    ~FastForward();

    /**
     * @brief Know an application; before the run.
     * @param application a worker or server @param job number of its job
     * @param endpoint which one it is @param peers of it, and the ways there, by index
     * @param received told of what it is spared to receive
     */
    void Add(Ptr<StepApplication> application,
             uint32_t job,
             const Endpoint& endpoint,
             const std::vector<std::pair<Endpoint, FlowPath>>& peers,
             const Received& received);

    /// @brief Know a flow that is of no job; before the run.
    /// @param flow must outlive this @param path of it, like no other one's
    void Add(SkippableFlow& flow, const FlowPath& path);

    /**
     * @brief Know a counter, which goes on with its rate of late when time is skipped.
     * @param count so far @param credit told how much more there was
     */
    void AddCounter(std::function<uint64_t()> count, Credit credit);

    /**
     * @brief Know what stays as it is while the network is steady, such as what waits in a queue.
     * @param level now, bytes @param most that it may change by, bytes per second
     * @param grain that it changes by at once, bytes
     */
    void AddLevel(std::function<uint64_t()> level, double most, double grain);

    /// @brief Begin to look for what can be skipped; all applications are known.
    void Start();

    /// @brief The network is another one from now on: rates of before tell nothing.
    void NetworkChanged();

    /// @return what was skipped so far
    SkippedTotals GetTotals() const;

  private:
    struct Gauge;

    /// A skip that is simulated instead.
    struct Check
    {
        double start{0};     //!< of ns-3's time, seconds
        Time until;          //!< of the model, when it would have ended
        std::size_t span{0}; //!< marks over which counts are averaged, at the distance of then
        Time distance;       //!< of marks then
    };

    /// Trace sink: an application has a new connection.
    void Connected(Ptr<Socket>, uint32_t);
    /// Know a flow of any kind.
    void AddFlow(SkippableFlow& flow, const FlowPath& path);
    void Look();
    void LookAgain();
    /// See what the flows do. @return whether other ones send than at the last look
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
    /// Measure all rates over a span of marks. @return whether they are those of the span before
    bool AreRatesSteady(std::size_t span);
    /// @param span of marks @return whether levels are those of the span before
    bool AreLevelsSteady(std::size_t span) const;
    /// @return time that can be skipped with these rates, seconds
    double GetSkippableTime() const;
    void TrySkip();
    void Skip(double seconds, std::size_t span);
    void BeginCheck(double seconds, std::size_t span);
    void EndCheck();

    double m_check;                                          //!< part of skips
    Ptr<UniformRandomVariable> m_random;                     //!< draws them
    Skipped m_skipped;                                       //!< told of each skip
    std::vector<std::unique_ptr<SkippableStream>> m_streams; //!< of all conversations
    std::vector<SkippableFlow*> m_flows;                     //!< these, and those of no job
    std::vector<SkippableFlow*> m_senders;                   //!< those who send now
    std::vector<std::string> m_kinds;                        //!< of paths
    std::vector<Gauge> m_gauges;                             //!< of what else is looked at
    SteadyStates m_states;                                   //!< seen so far
    std::optional<Check> m_checking;                         //!< under way
    bool m_started{false};                                   //!< Start() was called
    bool m_looking{false};                                   //!< a look is scheduled
    bool m_idle{false};                                      //!< nothing is under way
    bool m_disturbed{false};                                 //!< the network has changed
    bool m_ready{false};                                     //!< whoever sends is amid a turn
    Time m_distance{MicroSeconds(20)};                       //!< from mark to mark, of ns-3
    std::size_t m_marks{0};                                  //!< since the last change
    double m_lastMark{0};                                    //!< when, seconds of ns-3
    SkippedTotals m_totals;                                  //!< so far
};

} // namespace ns3::dml

#endif /* DML_FAST_FORWARD_H */
