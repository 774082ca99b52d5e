/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-samples.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

namespace
{

/// Share of a step, or of a sample, that is rounding.
constexpr double ROUNDING = 1e-9;

} // namespace

StepSamples::StepSamples(const WorkerCompute& compute, uint32_t profiled, const WorkShedding& rules)
    : m_batch(compute.batch > 0 ? compute.batch : profiled),
      m_scale(GetComputeScale(compute, profiled, m_batch) / m_batch),
      m_checks(rules.GetChecks()),
      m_cost(rules.GetCost()),
      m_samples(m_batch)
{
}

double
StepSamples::BeginStep()
{
    m_samples = m_batch + m_carried;
    m_carried = 0;
    m_checked = 0;
    m_density = m_samples;
    return m_scale * m_density;
}

double
StepSamples::GetTotal(const StepExecutor& executor)
{
    const StepPlan& plan = executor.GetPlan();
    const uint32_t sample = executor.GetSample(executor.GetNextStep() - 1);
    if (m_total.empty())
    {
        m_total.assign(plan.seconds.size() / plan.ops.size(), -1);
    }
    double& total = m_total[sample];
    if (total < 0)
    {
        total = 0;
        for (OpIndex op = 0; op < plan.ops.size(); ++op)
        {
            total += plan.ops[op].computes ? plan.GetSeconds(sample, op) : 0;
        }
    }
    return total;
}

double
StepSamples::GetUnsubmitted(const StepExecutor& executor)
{
    const double share = 1 - executor.GetSubmittedWork() / GetTotal(executor);
    return share > ROUNDING ? share : 0;
}

uint32_t
StepSamples::GetLeft(double unsubmitted) const
{
    const auto left = static_cast<uint32_t>(std::floor(unsubmitted * m_density + ROUNDING));
    return std::min(left, m_samples - 1);
}

std::optional<SampleReport>
StepSamples::Check(StepExecutor& executor)
{
    const double total = GetTotal(executor);
    if (total <= 0)
    {
        return {};
    }
    const double progress = std::min(1.0, executor.GetEndedWork() / total);
    const auto passed = static_cast<uint32_t>(std::floor(progress * m_checks + ROUNDING));
    if (passed <= m_checked)
    {
        return {};
    }
    m_checked = passed;
    executor.AddWork(m_cost);
    return SampleReport{executor.GetNextStep() - 1,
                        progress,
                        m_samples,
                        GetLeft(GetUnsubmitted(executor))};
}

uint32_t
StepSamples::Apply(StepExecutor& executor, const SampleMove& move, uint32_t step)
{
    const double unsubmitted = GetUnsubmitted(executor);
    if (unsubmitted == 0)
    {
        m_carried += move.take;
        return 0;
    }
    const bool sameStep = step + 1 == executor.GetNextStep();
    const uint32_t given = sameStep ? std::min(move.give, GetLeft(unsubmitted)) : 0;
    m_samples = m_samples + move.take - given;
    m_density = std::max(0.0, m_density + (move.take - static_cast<double>(given)) / unsubmitted);
    executor.SetWorkScale(m_scale * m_density);
    return given;
}

Ptr<WorkShedding>
CreateWorkShedding(const TrainingRun& run)
{
    return run.shedding ? run.shedding->Create<WorkShedding>() : nullptr;
}

} // namespace ns3::dml
