/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_PATH_H
#define DML_STEP_PATH_H

#include "ns3/dml-critical-path.h"
#include "ns3/dml-recorded-job.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// @param values by key @param most at most so many @return the largest ones, which come first, and
/// their keys
template <typename Key>
std::vector<std::pair<double, Key>>
ListLargest(const std::map<Key, double>& values, std::size_t most)
{
    std::vector<std::pair<double, Key>> list;
    for (const auto& [key, value] : values)
    {
        list.emplace_back(value, key);
    }
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
        return a.first > b.first;
    });
    list.resize(std::min(list.size(), most));
    return list;
}

/// Into what the time of a step is divided.
enum class TimePart : uint8_t
{
    COMPUTE,    //!< the worker computes
    PULL,       //!< a parameter is sent to it
    PUSH,       //!< it sends a gradient
    COLLECTIVE, //!< it reduces gradients with others
    PARSE,      //!< what arrived is parsed
    UPDATE,     //!< a gradient is applied
    OTHERS, //!< it waits for another worker: that one's ops are on the path, none of its own runs
    GAP,    //!< nothing of these: messages are on their way, or a protocol or TCP holds back
};

/// Number of parts.
constexpr std::size_t TIME_PARTS = 8;

/// @return "compute", "pull", ...
std::string ToString(TimePart part);

/// A part of a critical path. Times in seconds from the start of the run.
struct PathSegment
{
    GlobalOp op{0};                           //!< op that ran, or that was waited for in a gap
    TimePart part{TimePart::GAP};             //!< what it was
    CriticalLink link{CriticalLink::NOTHING}; //!< of the op, to the segment before
    double start{0};                          //!< it began
    double end{0};                            //!< it ended, where the next segment begins
    /// From when on the next op on the path was ready and waited for this one's device; infinite:
    /// it did not.
    double queuedFrom{std::numeric_limits<double>::infinity()};

    /// @return seconds in which the next op waited so
    double GetQueued() const
    {
        return std::max(0.0, end - std::max(start, queuedFrom));
    }
};

/**
 * @ingroup dml-why
 * @brief The critical path of a step: what its end waited for, back to its beginning, without
 * holes.
 */
struct StepPath
{
    RecordedStep step;                 //!< which
    std::vector<PathSegment> segments; //!< from the beginning to the end

    /// @return seconds of each part
    std::array<double, TIME_PARTS> GetParts() const;
    /// @return seconds in which the next op on the path waited in a queue
    double GetQueued() const;
};

/**
 * @ingroup dml-why
 * @brief Finds critical paths of steps.
 *
 * What is on the path of a worker's step may be another worker's: where workers go in step, it is
 * chance which one's is. It is told by what it is, as the worker's own, while anything of the
 * worker's own step runs, and is TimePart::OTHERS only where nothing does. What an op waited for
 * beside the graph is TimePart::COLLECTIVE while the worker is in a collective that all have
 * entered, else TimePart::GAP.
 */
class StepPathFinder
{
  public:
    /// Stretches of time in which something runs, in order, none touching the next.
    using Stretches = std::vector<std::pair<double, double>>;

    /// @param job that ran; must outlive this
    explicit StepPathFinder(const RecordedJob& job);

    /// @param step of the job @return its critical path
    StepPath Find(const RecordedStep& step) const;

  private:
    void FindReductions();
    void FindTransfers();

    /// What waits for the result of a collective's @p result has waited for its messages, too.
    void QueueBehind(StepPath& path, const PathSegment& result) const;

    /// @param op of a path @param worker whose path it is @return when something is under way of
    /// which the op may wait for the rest: transfers of its channel, or the worker's collectives
    const Stretches& FindWhatHolds(const JobOp& op, uint32_t worker) const;

    const RecordedJob& m_job;                                     //!< the job
    std::map<std::pair<uint32_t, uint32_t>, Stretches> m_running; //!< by worker and step
    /// By worker: collectives that all workers have entered, until this one has their results.
    std::map<uint32_t, Stretches> m_reducing;
    std::vector<uint32_t> m_channels; //!< by device: which channel it is of, if it is of one
    /// By channel: transfers, from the first chunk until the last byte is there.
    std::map<uint32_t, Stretches> m_sending;
};

/// A set of ops that could be made faster together.
struct WhatIf
{
    /// What the set is.
    enum class Scope : uint8_t
    {
        COMPUTE,     //!< computation of all workers
        NETWORK,     //!< everything that is sent
        PARSE,       //!< all parsing
        UPDATE,      //!< all updates
        WORKER,      //!< computation of one worker
        DEVICE_ROLE, //!< all devices with one name, as "downlink PS 0" of every worker
        OP,          //!< one op of all workers and steps
    };

    Scope scope{Scope::COMPUTE}; //!< what it is
    std::string name;            //!< for people, "all that is sent"
    std::vector<GlobalOp> ops;   //!< of the graph
    double gain{0};              //!< part of the mean step time that would be saved, below 1
};

/**
 * @brief How much shorter steps would get if ops took less time, with the order of ops on every
 * device as it was: what has slack gains nothing, and what comes after what is shortened may become
 * critical. Source: slack of an activity in the critical path method (Kelley and Walker, EJCC
 * 1959).
 * @param job that ran
 * @param paths of the steps that count
 * @param part of their time that ops would save, above 0, at most 1
 * @return sets of ops, the one that gains most first; those that gain nothing are left out
 */
std::vector<WhatIf> FindWhatIfs(const RecordedJob& job,
                                const std::vector<StepPath>& paths,
                                double part);

} // namespace ns3::dml

#endif /* DML_STEP_PATH_H */
