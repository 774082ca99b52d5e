/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_WINDOW_H
#define DML_STEP_WINDOW_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief The first step of each worker that counts: the same of all where the steps of the warm-up
 * were given, and each worker's own where the warm-up ends at a time, which workers of unequal
 * speed reach in different steps.
 */
class FirstSteps
{
  public:
    /// @param all first step of every worker, from 0
    FirstSteps(uint32_t all = 0)
        : m_all(all)
    {
    }

    /// @param own first step by worker, from 0; of further workers it is 0
    explicit FirstSteps(std::vector<uint32_t> own)
        : m_own(std::move(own))
    {
    }

    /// @param worker from 0 @return its first step that counts, from 0
    uint32_t Of(uint32_t worker) const
    {
        return worker < m_own.size() ? m_own[worker] : m_all;
    }

    /// @param worker from 0 @param step of it, from 0 @return whether the step counts
    bool Count(uint32_t worker, uint32_t step) const
    {
        return step >= Of(worker);
    }

  private:
    uint32_t m_all{0};           //!< of workers that are not in m_own
    std::vector<uint32_t> m_own; //!< by worker; empty: all have the same
};

/// Receives the steps of a window.
class StepWindowListener
{
  public:
    virtual ~StepWindowListener() = default;
    /// The window starts later than was known: forget all steps told so far.
    virtual void WindowRestarted() = 0;
    /// @param step that lies in the window, as far as that is known by now; in order of their end
    virtual void StepInWindow(const StepRecord& step) = 0;
};

/**
 * @ingroup dml-metrics
 * @brief Finds the part (t0, t1] of a run in which its workers are measured, while it goes on.
 *
 * - t0 is the time at which the last worker has finished its warm-up steps; without warm-up, the
 *   time at which the last worker starts its first step;
 * - t1 is the time at which the first worker finishes its last step, so that all workers are busy
 *   throughout the window;
 * - in it are the steps, of all workers, that end at a time in (t0, t1]: the steps that define t0
 *   are not, the step that defines t1 is.
 *
 * Workers that skip step numbers have warmed up with the first step that they end whose number is
 * at least that of the last warm-up step. A worker that never warms up, because it is gone for
 * good, is left out: it does not define t0, and its steps are not in the window. One that goes
 * later takes part up to its last step.
 *
 * Workers that a barrier keeps in step, in rounds, end their steps almost together, so that small
 * differences would decide how many steps of the others end before t1. Where their steps overlap,
 * the message that ends one waits behind the transfers of the next, and that of the last one does
 * not. With rounds, t0 is the time at which the last worker starts its first step after the
 * warm-up, t1 the time at which the last worker starts its last step, and in the window are the
 * steps of all workers with the numbers between. If only one step is measured, t1 is its end at the
 * last worker, and t0 the end of the step before where that comes before its start, so that a step
 * that begins late takes longer. Steps of which all gradients were dropped do not define t0 and t1
 * here: their workers were late, and others did not wait.
 *
 * A window that is open (Options::from) has all steps that are reported, and ends with the last of
 * them: StopRule says when it opens, and nothing is reported after the stop.
 *
 * REQUIRES: steps are reported in order of their end, as RunObserver promises.
 * Memory: nothing per step, except without warm-up, where the steps that end before every worker
 * has finished its first one are kept until then.
 */
class StepWindow
{
  public:
    /// What is measured.
    struct Options
    {
        uint32_t workers{1};          //!< number of workers, at least 1
        uint32_t warmup{0};           //!< warm-up steps per worker
        uint32_t steps{1};            //!< steps per worker
        bool inRounds{false};         //!< whether a barrier keeps the workers in step
        uint32_t gradients{1};        //!< of a step that may be dropped, at least 1
        std::optional<double> from{}; //!< t0 in s if that is known beforehand: the window is open

        /// @param record a step @return share of its gradients that counted, 0 to 1
        double GetShare(const StepRecord& record) const
        {
            return record.dropped < gradients ? 1 - static_cast<double>(record.dropped) / gradients
                                              : 0;
        }
    };

    /// @param options what is measured @param listener told of steps; must outlive this
    StepWindow(const Options& options, StepWindowListener& listener);

    /**
     * @param record a step that ended
     * @throws RunError if the step belongs to a worker that does not exist
     */
    void StepEnded(const StepRecord& record);

    /// @return t0 in s, if the run ended now; NaN if unknown
    double GetStart() const;
    /// @return t1 in s, if the run ended now; NaN if unknown
    double GetEnd() const;

    /// @return number of workers that would be left out if the run ended now
    uint32_t GetLeftOut() const
    {
        return m_left;
    }

  private:
    /// As StepEnded(), with rounds.
    void RoundStepEnded(const StepRecord& record);
    /// A worker has defined a time @p t0, s.
    void MoveStart(double t0);
    /// Tell the listener of a step if it lies in the window. @return whether it does so far
    bool Tell(const StepRecord& record);

    Options m_options;              //!< what is measured
    StepWindowListener& m_listener; //!< not owned
    std::vector<bool> m_warm;       //!< by worker: has warmed up
    uint32_t m_left;                //!< workers that have not
    std::vector<double> m_ends;     //!< with rounds, by worker: end of its last step, s
    double m_t0{-std::numeric_limits<double>::infinity()}; //!< so far, s
    double m_t1;                                           //!< so far, s
    std::vector<StepRecord> m_early; //!< steps told while t0 may still move, without warm-up
};

} // namespace ns3::dml

#endif /* DML_STEP_WINDOW_H */
