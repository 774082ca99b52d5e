/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_THROUGHPUT_H
#define DML_THROUGHPUT_H

#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
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
    uint64_t steps{0};    //!< steps that ended in the window; with a barrier, those between its starts
    double meanStep{0};   //!< mean duration of these steps, overlaps included, s; 0 if there are none
    double shortestStep{0}; //!< shortest of these steps, s; 0 if there are none
    double longestStep{0};  //!< longest of these steps, s; 0 if there are none
};

/**
 * @ingroup dml-metrics
 * @brief Measures the training throughput of a run while it goes on.
 *
 * The throughput is batch * n / (t1 - t0), in samples per second, where
 * - t0 is the time at which the last worker has finished its warm-up steps; without warm-up, the
 *   time at which the last worker starts its first step;
 * - t1 is the time at which the first worker finishes its last step, so that all workers are busy
 *   throughout the window;
 * - n is the number of steps, of all workers, that end at a time in (t0, t1]: the steps that
 *   define t0 do not count, the step that defines t1 does.
 *
 * It is undefined if t1 <= t0 (a worker is done before another one has warmed up) or if the run
 * was too short to know both.
 *
 * Workers that a barrier keeps in step end their steps almost together, so that small differences
 * would decide how many steps of the others end before t1. Where their steps overlap, the message that
 * ends one waits behind the transfers of the next, and that of the last one does not. With them, t0 is
 * the time at which the last worker starts its first step after the warm-up, t1 the time at which the
 * last worker starts its last step, and n are the steps of all workers between them. If only one step
 * is measured, t1 is its end at the last worker.
 *
 * REQUIRES: steps are reported in order of their end, as RunObserver promises.
 * Memory: nothing per step, except without warm-up, where the steps that end before every worker
 * has finished its first one are kept until then.
 */
class ThroughputMeter : public RunObserver
{
  public:
    /**
     * @param workers number of workers, at least 1
     * @param batch samples per step, at least 1
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
    void StepEnded(const StepRecord& record) override;

    /// @return the throughput of what was seen so far (final once the run has ended)
    Throughput GetResult() const;

    /// @return number of steps seen, inside and outside the window
    uint64_t GetStepCount() const;

  private:
    /// As StepEnded(), where a barrier keeps the workers in step.
    void StepEndedInStep(const StepRecord& record);
    /// Count a step if it lies in the window. @param end its end, s; @param duration in s
    void CountInWindow(double end, double duration);
    /// Count a step. @param duration in s
    void Count(double duration);

    uint32_t m_workers;        //!< number of workers
    uint32_t m_batch;          //!< samples per step
    uint32_t m_warmup;         //!< warm-up steps per worker
    uint32_t m_steps;          //!< steps per worker
    bool m_inStep;             //!< whether a barrier keeps the workers in step
    uint32_t m_warm{0};        //!< workers that define t0 so far
    uint32_t m_finished{0};    //!< workers that have finished their last step
    double m_t0{0};            //!< latest of the times that define t0, s
    double m_t1;               //!< end of the window so far, s
    uint64_t m_seen{0};        //!< all steps
    uint64_t m_count{0};       //!< steps in the window
    double m_sum{0};           //!< of the durations in the window, s
    double m_shortest{0};      //!< in the window, s
    double m_longest{0};       //!< in the window, s
    std::vector<std::pair<double, double>> m_pending; //!< end and duration while t0 is unknown
};

} // namespace dml
} // namespace ns3

#endif /* DML_THROUGHPUT_H */
