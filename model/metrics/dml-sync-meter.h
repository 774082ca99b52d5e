/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SYNC_METER_H
#define DML_SYNC_METER_H

#include "dml-step-window.h"
#include "dml-straggler-meter.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief What the measured steps of a worker, or of several, add up to.
 */
struct WorkerSync
{
    uint64_t steps{0};      //!< steps that ended in the window
    double updates{0};      //!< those that counted: of each, the share of its gradients
    uint64_t dropped{0};    //!< gradients that came too late to count
    uint64_t samples{0};    //!< of all steps
    double seconds{0};      //!< durations of all steps, overlaps included
    double knownSeconds{0}; //!< of the steps of which it is known when the worker was done
    uint64_t known{0};      //!< number of these
    double waiting{0};      //!< seconds that their worker waited for others, from done to end
    uint64_t last{0};       //!< rounds in which it alone was last (StragglerMeter)

    /// @param other whose steps are added to these
    void Merge(const WorkerSync& other);
    /// @return mean duration of a step, s; NaN without steps
    double GetMeanStep() const;
    /// @return mean waiting time in a step, s; NaN if not known
    double GetMeanWaiting() const;
    /// @return waiting time / duration of the steps of which it is known, 0 to 1; NaN if not known
    double GetWaitingShare() const;
    /// @return mean samples of a step; NaN without steps
    double GetMeanBatch() const;
};

/**
 * @ingroup dml-metrics
 * @brief What a way of synchronisation cost, and who waited for whom.
 */
struct SyncSummary
{
    std::vector<WorkerSync> workers; //!< by worker
    uint64_t rounds{0};              //!< rounds that WorkerSync::last counts, of all workers
    uint32_t leftOut{0};             //!< workers that never warmed up; the most of any run
    double window{0}; //!< length of it, s; 0 if it is undefined, and no step is in it
    std::optional<uint32_t> largestLead; //!< of SyncMeter::GetLargestLead(), of all runs

    /// @return what all workers' steps add up to
    WorkerSync GetAll() const;
    /// @return per-update time, s (SyncMeter); NaN if there is none
    double GetUpdateTime() const;
    /// @param meter of the same run, which says who was last
    void SetStragglers(const StragglerMeter& meter);
    /// @param other of another run, whose steps are added to these
    void Merge(const SyncSummary& other);
};

/**
 * @ingroup dml-metrics
 * @brief Measures steps, waiting times, batches and staleness, by worker, in the window of
 * ThroughputMeter.
 *
 * Per-update time (LB-BSP, section 5.1) is the mean time between two gradient updates that count:
 * the window / steps in it, of each the share of its gradients that counted. With a barrier, where
 * each of W workers gives one update in an iteration, that is the time of an iteration / W.
 */
class SyncMeter : public RunListener<SyncMeter>, private StepWindowListener
{
  public:
    /// @param window of ThroughputMeter @param batch samples of a step that does not tell its own
    SyncMeter(const StepWindow::Options& window, uint32_t batch);

    void On(const StepRecord& record);
    void On(const CrashRecord& record);
    void On(const RejoinRecord& record);

    /**
     * @brief Staleness seen: how far a worker was ahead of another one, at any time of the run.
     *
     * When a worker was done with its step k, how many steps above k was the largest number of a
     * step that another one had started: 0 with a barrier, at most s with stale-synchronous steps.
     * Waiting at the end of a step is no lag. A worker that is gone for good has no further step,
     * and nobody is ahead of it.
     * @return steps; nothing if it is of no step known when its worker was done
     */
    std::optional<uint32_t> GetLargestLead() const
    {
        return m_lead;
    }

    /// @return all of it, if the run ended now, but who was last
    SyncSummary GetSummary() const;

  private:
    void WindowRestarted() override;
    void StepInWindow(const StepRecord& step) override;
    void ForgetFront();

    StepWindow::Options m_options;     //!< of the window
    StepWindow m_window;               //!< tells this which steps count
    uint32_t m_batch;                  //!< samples of a step that does not tell
    std::vector<WorkerSync> m_workers; //!< by worker
    /// Since when, s, what was the largest number of a step that a worker could start.
    std::vector<std::pair<double, uint32_t>> m_front;
    std::size_t m_forgetAt; //!< length of m_front at which to forget what nobody asks for
    /// By worker: it will ask for no time before this one, s.
    std::vector<double> m_asksFrom;
    std::optional<uint32_t> m_lead; //!< largest so far
};

} // namespace ns3::dml

#endif /* DML_SYNC_METER_H */
