/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_THROUGHPUT_H
#define DML_THROUGHPUT_H

#include "dml-step-window.h"

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief Throughput of one run and the window in which it was measured.
 */
struct Throughput
{
    /// Samples per second of all workers together; nothing if it is undefined, see @c reason.
    std::optional<double> samplesPerSecond;
    std::string reason; //!< why the throughput is undefined; empty if it is defined
    double t0{std::numeric_limits<double>::quiet_NaN()}; //!< window's start, s; NaN if unknown
    double t1{std::numeric_limits<double>::quiet_NaN()}; //!< window's end, s; NaN if unknown
    uint64_t steps{0};  //!< steps that count: in the window, and not all gradients dropped
    double meanStep{0}; //!< mean duration of these steps, overlaps included, s; 0 if there are none
    double shortestStep{0}; //!< shortest of these steps, s; 0 if there are none
    double longestStep{0};  //!< longest of these steps, s; 0 if there are none
};

/**
 * @ingroup dml-metrics
 * @brief Measures the training throughput of a run while it goes on.
 *
 * The throughput is the sum of the batches of the steps in a window (t0, t1] of the run, over its
 * length, in samples per second. StepWindow says which part of the run that is. A step counts for
 * the share of its gradients that were not dropped: work that was for nothing is no progress.
 *
 * It is undefined if t1 <= t0 (a worker is done before another one has warmed up), if the run
 * was too short to know both, or if fewer steps ended in the window than workers took part. The
 * window starts and ends with steps of single workers, so with less than a step each its length is
 * chance. Rounds are whole: one is enough.
 */
class ThroughputMeter : public RunListener<ThroughputMeter>, private StepWindowListener
{
  public:
    /// @param window part of the run @param batch samples of a step that does not tell its own
    ThroughputMeter(const StepWindow::Options& window, uint32_t batch);

    /**
     * @param workers number of workers, at least 1
     * @param batch samples of a step that does not tell its own, at least 1
     * @param warmup warm-up steps per worker
     * @param steps steps per worker
     * @param inStep whether a barrier keeps the workers in step
     */
    ThroughputMeter(uint32_t workers,
                    uint32_t batch,
                    uint32_t warmup,
                    uint32_t steps,
                    bool inStep = false);

    /**
     * @param record a step that ended
     * @throws RunError if the step belongs to a worker that does not exist
     */
    void On(const StepRecord& record);

    /// @return the throughput of what was seen so far (final once the run has ended)
    Throughput GetResult() const;

    /// @return number of steps seen, inside and outside the window
    uint64_t GetStepCount() const
    {
        return m_seen;
    }

  private:
    /// What the steps in the window add up to.
    struct Sum
    {
        uint64_t ended{0};  //!< number
        uint64_t steps{0};  //!< number of those that count
        double samples{0};  //!< of their batches
        double seconds{0};  //!< of their durations
        double shortest{0}; //!< s
        double longest{0};  //!< s
    };

    void WindowRestarted() override;
    void StepInWindow(const StepRecord& step) override;

    StepWindow::Options m_options; //!< of the window
    StepWindow m_window;           //!< tells this which steps count
    uint32_t m_batch;              //!< samples of a step that does not tell
    uint64_t m_seen{0};            //!< all steps
    Sum m_sum;                     //!< of the window so far
};

} // namespace ns3::dml

#endif /* DML_THROUGHPUT_H */
