/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STEP_SAMPLES_H
#define DML_STEP_SAMPLES_H

#include "dml-step-executor.h"
#include "dml-training-run.h"

#include "ns3/dml-work-shedding.h"

#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-execution
 * @brief The samples of a worker that may give some up, or take some on, in the middle of a step.
 *
 * FlexRR computes samples one after another. Here the ops of a step stand for all its samples:
 * where a share p of the step has been submitted to the worker's devices, one sample more or less
 * makes the rest take 1 / ((1 - p) B) of the step's time longer or shorter, with B samples per
 * step. A check comes when a compute op ends. Samples that come when nothing is left to be
 * submitted are computed in the worker's next step. A step keeps one sample.
 */
class StepSamples
{
  public:
    /**
     * @param compute what the worker computes on
     * @param profiled samples per step of the profile
     * @param rules how often it checks, and at what cost
     */
    StepSamples(const WorkerCompute& compute, uint32_t profiled, const WorkShedding& rules);

    /// @brief A step begins. @return what multiplies the durations of its compute ops
    double BeginStep();

    /// @brief A compute op of the step under way has ended. @param executor of the worker
    /// @return what to report, if it is time for a check
    std::optional<SampleReport> Check(StepExecutor& executor);

    /// @brief Take on and give up samples. @param executor of the worker
    /// @param move what it was told @param step for which it reported; nothing is given up later
    /// @return how many samples it has given up
    uint32_t Apply(StepExecutor& executor, const SampleMove& move, uint32_t step);

    /// @brief The worker dies: it has no samples from others any more.
    void Forget()
    {
        m_carried = 0;
    }

    /// @return samples of the step under way, or of the last one
    uint32_t GetSamples() const
    {
        return m_samples;
    }

  private:
    double GetTotal(const StepExecutor& executor);
    double GetUnsubmitted(const StepExecutor& executor);
    uint32_t GetLeft(double unsubmitted) const;

    uint32_t m_batch;      //!< samples of a step, but for those that move
    double m_scale;        //!< of the durations, for one sample
    uint32_t m_checks;     //!< per step
    double m_cost;         //!< seconds
    uint32_t m_samples{0}; //!< of the step
    uint32_t m_carried{0}; //!< samples that came too late, for the next step
    uint32_t m_checked{0}; //!< checks of the step that have passed
    double m_density{0};   //!< samples that all ops would stand for, if they were like the next
    std::vector<double>
        m_total; //!< by profiled step: seconds of its compute ops; below 0: not known
};

/// @param run a run @return its rules of shedding, or null
Ptr<WorkShedding> CreateWorkShedding(const TrainingRun& run);

} // namespace ns3::dml

#endif /* DML_STEP_SAMPLES_H */
