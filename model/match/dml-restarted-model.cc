/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-restarted-model.h"

#include "dml-ratio-interval.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Steps of each worker before an instant that may still be under way, or have delayed what is.
constexpr std::size_t STEPS_BEFORE = 8;

/// Steps that begin when all that count have ended in the recorded run: a faster model does them
/// before.
constexpr uint32_t STEPS_BEHIND = 2;

} // namespace

std::optional<double>
RestartBias::GetLonger() const
{
    return predicted > 0 ? std::optional<double>(100 * (recorded / predicted - 1)) : std::nullopt;
}

RestartedModel::RestartedModel(MatchedJob job, const std::vector<StepRecord>& steps)
    : m_job(std::move(job)),
      m_steps(m_job.GetRun().workers)
{
    for (const auto& step : steps)
    {
        m_steps[step.worker].push_back(step);
    }
    for (auto& list : m_steps)
    {
        std::sort(list.begin(), list.end(), [](const StepRecord& one, const StepRecord& other) {
            return one.step < other.step;
        });
    }
}

std::vector<RestartedModel::Start>
RestartedModel::ChooseStarts(uint32_t horizon,
                             const std::function<bool(const StepRecord&)>& counts,
                             double until) const
{
    std::vector<Start> starts;
    for (const auto& first : m_steps.front())
    {
        Start start;
        for (const auto& list : m_steps)
        {
            const auto next = std::find_if(list.begin(), list.end(), [&](const StepRecord& step) {
                return m_job.HasRounds() ? step.step >= first.step : step.start >= first.start;
            });
            const auto place = static_cast<std::size_t>(next - list.begin());
            if (place + horizon > list.size() || !counts(*next) ||
                list[place + horizon - 1].end > until)
            {
                break;
            }
            start.push_back(place);
        }
        if (start.size() == m_steps.size())
        {
            starts.push_back(std::move(start));
        }
    }
    return starts;
}

std::vector<MatchedWorker>
RestartedModel::MakeWorkers(const Start& start, uint32_t horizon) const
{
    double end = 0; // when the last worker has done its steps
    for (std::size_t worker = 0; worker < m_steps.size(); ++worker)
    {
        end = std::max(end, m_steps[worker][start[worker] + horizon - 1].end);
    }
    std::vector<MatchedWorker> workers;
    for (std::size_t worker = 0; worker < m_steps.size(); ++worker)
    {
        const auto& list = m_steps[worker];
        const StepRecord& first = list[start[worker]];
        workers.push_back({first.worker, first.step, first.start, first.batch, {}});
        uint32_t behind = 0; // steps that begin later than that, as the model may be faster
        for (std::size_t i = start[worker]; i < list.size() && behind <= STEPS_BEHIND; ++i)
        {
            workers.back().samples.push_back(list[i].sample);
            behind += list[i].start > end ? 1 : 0;
        }
    }
    for (std::size_t worker = 0; worker < m_steps.size() && !m_job.HasRounds(); ++worker)
    {
        for (std::size_t i = start[worker] - std::min(start[worker], STEPS_BEFORE);
             i < start[worker];
             ++i)
        {
            const StepRecord& step = m_steps[worker][i];
            workers.push_back({step.worker, step.step, step.start, step.batch, {step.sample}});
        }
    }
    return workers;
}

RestartBias
RestartedModel::Estimate(uint32_t horizon,
                         uint32_t draws,
                         const std::function<bool(const StepRecord&)>& counts,
                         double until) const
{
    RestartBias bias;
    bias.horizon = horizon;
    const auto starts = ChooseStarts(horizon, counts, until);
    const std::size_t every = (starts.size() + MOST_STARTS - 1) / MOST_STARTS;
    const std::size_t together =
        std::max<std::size_t>(1, horizon / std::max<std::size_t>(1, every));
    const uint32_t runs = m_job.IsRandom() ? draws : 1;
    std::vector<std::pair<double, double>> blocks;
    for (std::size_t i = 0; i < starts.size(); i += every)
    {
        double recorded = 0;
        double predicted = 0;
        const auto workers = MakeWorkers(starts[i], horizon);
        for (std::size_t worker = 0; worker < m_steps.size(); ++worker)
        {
            recorded +=
                m_steps[worker][starts[i][worker] + horizon - 1].end - workers[worker].start;
        }
        for (uint32_t draw = 0; draw < runs; ++draw)
        {
            const auto steps = m_job.Predict(workers, 1, draw);
            for (std::size_t worker = 0; worker < m_steps.size(); ++worker)
            {
                predicted += (steps[worker][horizon - 1].end - workers[worker].start) / runs;
            }
        }
        if (bias.starts % together == 0)
        {
            blocks.emplace_back();
        }
        blocks.back().first += recorded;
        blocks.back().second += predicted;
        bias.recorded += recorded;
        bias.predicted += predicted;
        ++bias.starts;
    }
    if (const auto half = EstimateRatioInterval(blocks))
    {
        bias.halfWidth = 100 * *half;
    }
    return bias;
}

} // namespace ns3::dml
