/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-matched-model.h"

#include "dml-recorded-run.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Keep the rounds that all workers did, one after the other.
void
KeepWholeRounds(std::vector<StepRecord>& steps, uint32_t workers)
{
    std::map<uint32_t, uint32_t> count;
    for (const auto& step : steps)
    {
        ++count[step.step];
    }
    steps.erase(std::remove_if(steps.begin(),
                               steps.end(),
                               [&](const StepRecord& step) { return count[step.step] != workers; }),
                steps.end());
    std::sort(steps.begin(), steps.end(), [](const StepRecord& one, const StepRecord& other) {
        return std::tie(one.step, one.worker) < std::tie(other.step, other.worker);
    });
}

/// @return a worker that does this step alone
MatchedWorker
MakeWorker(const StepRecord& step)
{
    return {step.worker, step.step, step.start, step.batch, {step.sample}};
}

} // namespace

PullTimes
ListPulls(const RecordedRun& run, const std::vector<std::vector<TimedTransfer>>& transfers)
{
    PullTimes pulls;
    for (std::size_t step = 0; step < run.steps.size(); ++step)
    {
        auto& servers = pulls.emplace_back(run.servers);
        for (const auto& [transfer, first, last] : transfers[step])
        {
            if (transfer.pull)
            {
                servers[transfer.server].push_back(
                    {static_cast<double>(run.tensors[transfer.tensor]),
                     last - run.steps[step].start});
            }
        }
        for (auto& tensors : servers)
        {
            std::sort(tensors.begin(),
                      tensors.end(),
                      [](const PulledTensor& one, const PulledTensor& other) {
                          return one.time < other.time;
                      });
        }
    }
    return pulls;
}

MatchedModel::MatchedModel(MatchedJob job, std::vector<StepRecord> steps)
    : m_job(std::move(job)),
      m_steps(std::move(steps)),
      m_rounds(m_job.HasRounds())
{
    std::sort(m_steps.begin(), m_steps.end(), [](const StepRecord& one, const StepRecord& other) {
        return std::tie(one.start, one.worker) < std::tie(other.start, other.worker);
    });
    if (m_rounds)
    {
        KeepWholeRounds(m_steps, m_job.GetRun().workers);
    }
    m_job.DropLateness(); // the instants have it
}

std::vector<double>
MatchedModel::Predict(double rate, uint32_t draw) const
{
    std::vector<double> durations;
    for (const auto& step : PredictTimes(rate, draw))
    {
        durations.push_back(step.end);
    }
    return durations;
}

std::vector<PredictedStep>
MatchedModel::PredictTimes(double rate,
                           uint32_t draw,
                           PredictionDetail detail,
                           const PullTimes& pulls) const
{
    std::vector<PredictedStep> steps;
    const std::size_t together = m_rounds ? m_job.GetRun().workers : m_steps.size();
    for (std::size_t first = 0; first < m_steps.size(); first += together)
    {
        std::vector<MatchedWorker> chosen;
        for (std::size_t i = first; i < first + together; ++i)
        {
            chosen.push_back(MakeWorker(m_steps[i]));
            if (!pulls.empty())
            {
                chosen.back().pulls = pulls[i];
            }
        }
        auto times = m_job.Predict(chosen, rate, draw, detail);
        for (std::size_t i = 0; i < together; ++i)
        {
            const double start = m_steps[first + i].start;
            PredictedStep& step = steps.emplace_back(std::move(times[i][0]));
            step.pulled -= start;
            step.end -= start;
            for (auto& arrival : step.arrivals)
            {
                arrival.time -= start;
            }
        }
    }
    return steps;
}

PullTimes
MatchedModel::FindPullTimes(PullTimes pulls) const
{
    const auto tried = PredictTimes(1, 0, PredictionDetail::ARRIVALS, pulls);
    for (std::size_t step = 0; step < pulls.size(); ++step)
    {
        std::vector<double> last(pulls[step].size(), 0); // s, by server
        for (const auto& [transfer, time] : tried[step].arrivals)
        {
            if (transfer.pull)
            {
                last[transfer.server] = std::max(last[transfer.server], time);
            }
        }
        for (std::size_t server = 0; server < pulls[step].size(); ++server)
        {
            auto& tensors = pulls[step][server];
            const double latency = tensors.empty() ? 0 : last[server] - tensors.back().time;
            for (auto& tensor : tensors)
            {
                tensor.time -= latency;
            }
        }
    }
    return pulls;
}

} // namespace ns3::dml
