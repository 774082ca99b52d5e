/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STOP_RULE_H
#define DML_STOP_RULE_H

#include "dml-batch-means.h"
#include "dml-step-window.h"
#include "dml-warmup-detector.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How long a run was that decided itself when to stop, and how well it knows its throughput.
 */
struct StopSummary
{
    bool sure{false};                     //!< the interval is as tight as was asked for
    std::string reason;                   //!< why it is not sure; empty if it is
    double target{0};                     //!< half-width that was asked for, over the throughput
    std::optional<RateInterval> interval; //!< of the throughput; its observations are rounds
    bool warmupGiven{false};              //!< the warm-up was given, not detected
    bool warm{false};                     //!< the warm-up was over
    uint32_t warmup{0};                   //!< steps of the furthest worker when it was over
    uint32_t steps{0};                    //!< steps of the furthest worker at the end
    uint32_t atMost{0};                   //!< steps that it would have done without being sure
};

/**
 * @ingroup dml-metrics
 * @brief Decides, step by step, when the warm-up of a run is over and when its throughput is known
 * well enough to stop.
 *
 * It looks at rounds: as many steps as there are workers, of whatever workers, in the order of
 * their end. Where workers wait for each other that is a step of each; where they do not, and are
 * locked in phase, it is a cycle. A round has the samples that its steps processed, as
 * StepWindow::Options::GetShare() counts them, and the time since the end of the round before.
 *
 * - The warm-up is over when every worker has done the steps that were given, or else when
 *   WarmupDetector says so of the rounds' seconds (batches of the smallest number of rounds with at
 *   least five steps, at least LEAST_WARMUP rounds), but at the latest when over half of the steps
 *   are done; then the run will not be sure. It is not over, and nothing is asked of the detector,
 *   before Options::opensNotBefore.
 * - From then on BatchMeans has the rounds. The run is sure at the first check point at which the
 *   95 % interval of the throughput is at most target wide on each side, the lag-1 correlation of
 * the batches is at most MOST_CORRELATION (Law and Carson, A sequential procedure for determining
 * the length of a steady-state simulation, Operations Research 27 (1979)), at least Options::least
 *   rounds and Options::leastSeconds are in, and Options::notBefore has come.
 * - It ends without being sure at the end of the round in which a worker has done as many steps as
 *   are allowed.
 *
 * All that depends on the steps alone, so the same run always stops at the same step.
 */
class StopRule : public RunListener<StopRule>
{
  public:
    /// Fewest rounds for a verdict on the warm-up.
    static constexpr uint32_t LEAST_WARMUP = 40;
    /// Largest lag-1 correlation of batches that counts as none.
    static constexpr double MOST_CORRELATION = 0.4;

    /// What is asked for.
    struct Options
    {
        /// Workers, gradients, and most steps of a worker; its warm-up counts if that is given.
        StepWindow::Options window;
        uint32_t batch{1};        //!< samples of a step that does not tell its own
        double target{0.02};      //!< half-width of the 95 % interval over the throughput, above 0
        bool warmupGiven{false};  //!< window.warmup, at least 1, counts; else it is detected
        uint64_t least{0};        //!< rounds that are measured at least
        double leastSeconds{0};   //!< s that are measured at least: what recurs comes in them
        double notBefore{0};      //!< s; something is still to happen before
        double opensNotBefore{0}; //!< s; the run is another one before: nothing of it is measured
    };

    /// @param options what is asked for
    explicit StopRule(const Options& options);

    void On(const StepRecord& record);
    void On(const CrashRecord& record);
    void On(const RejoinRecord& record);

    /// @return whether the warm-up is over: the window of what is measured is open
    bool IsWarm() const
    {
        return m_summary.warm;
    }

    /// @return when that happened, s; undefined before
    double GetStart() const
    {
        return m_start;
    }

    /// @return whether the run can stop; it stays so
    bool IsDone() const
    {
        return m_done;
    }

    /// @return of each worker the first step that it cannot have begun yet
    FirstSteps GetFreshSteps() const;

    /// @return steps that have ended, of all workers
    uint64_t GetStepCount() const
    {
        return m_steps;
    }

    /// @return share of the run that is done, as far as can be foreseen; 0 to 1, never less than
    /// before
    double GetProgress() const
    {
        return m_progress;
    }

    /// @return how it went so far
    StopSummary GetSummary() const;

  private:
    /// A round has ended.
    void RoundEnded(double now);
    /// The warm-up is over.
    void Open(double now);
    /// @return why the run is not sure, or nothing if it is, if it stopped @p now
    std::string FindDoubt(const std::optional<RateInterval>& interval, double now) const;
    /// @return whether a worker that is there has not done its warm-up
    bool IsAnyCold() const;

    Options m_options;              //!< what is asked for
    WarmupDetector m_detector;      //!< of the warm-up
    BatchMeans m_means;             //!< of the rounds after it
    std::vector<bool> m_ready;      //!< by worker: has done its warm-up, or is gone
    std::vector<uint32_t> m_fronts; //!< by worker: steps that it has done or skipped
    double m_samples{0};            //!< of the round that is under way
    uint32_t m_inRound{0};          //!< steps in it
    double m_lastEnd{0};            //!< of the round before, s
    double m_start{0};              //!< end of the warm-up, s
    double m_now{0};                //!< end of the last round, s
    uint32_t m_front{0};            //!< steps of the furthest worker
    uint64_t m_steps{0};            //!< of all workers
    double m_progress{0};           //!< share that is done
    bool m_firstRound{true};        //!< no round has ended
    bool m_done{false};             //!< the run can stop
    bool m_forced{false};           //!< the warm-up was never seen to end
    StopSummary m_summary;          //!< so far
};

} // namespace ns3::dml

#endif /* DML_STOP_RULE_H */
