/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-case.h"

#include "ns3/dml-error.h"
#include "ns3/dml-failure.h"
#include "ns3/dml-grown-windows.h"
#include "ns3/dml-match-effects.h"
#include "ns3/dml-prepared-case.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return whether a step belongs to what is compared: the warm-up is over
bool
IsWarm(const StepRecord& step, uint32_t warmup, std::optional<double> from)
{
    return from ? step.start >= *from : step.step >= warmup;
}

/// @return how often a step is predicted where a rule draws: of a study that does not match, once
uint32_t
CountDraws(const PreparedScenario& prepared)
{
    return std::max<uint32_t>(1, prepared.scenario.fairShare.matched.draws);
}

/// @return when the first worker stops, s
double
FindFirstStop(const std::vector<StepRecord>& steps)
{
    std::map<uint32_t, double> last; // by worker, when it stopped
    for (const auto& step : steps)
    {
        last[step.worker] = std::max(last[step.worker], step.end);
    }
    double end = std::numeric_limits<double>::infinity();
    for (const auto& [worker, stop] : last)
    {
        end = std::min(end, stop);
    }
    return end;
}

/// @param steps of a run @param job that they are of @return why they are not all of it, or an
/// empty text
std::string
DescribeGap(std::vector<StepRecord> steps, const TrainingRun& run)
{
    std::sort(steps.begin(), steps.end(), [](const StepRecord& one, const StepRecord& other) {
        return std::tie(one.worker, one.step) < std::tie(other.worker, other.step);
    });
    const std::size_t samples = run.plan->seconds.size() / run.plan->ops.size();
    uint32_t workers = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        const StepRecord& step = steps[i];
        const std::string name =
            "step " + std::to_string(step.step) + " of worker " + std::to_string(step.worker);
        const bool first = i == 0 || steps[i - 1].worker != step.worker;
        workers += first ? 1 : 0;
        if (!first && step.step != steps[i - 1].step + 1)
        {
            return step.step == steps[i - 1].step ? name + " is there twice"
                                                  : "steps before " + name + " are missing";
        }
        if (step.sample >= samples)
        {
            return name + " is of sample " + std::to_string(step.sample) +
                   ", and the model's profile has " + std::to_string(samples);
        }
    }
    return workers == run.workers ? ""
                                  : "of " + std::to_string(run.workers) + " workers " +
                                        std::to_string(workers) + " have done steps";
}

/// @return the steps that are compared
std::set<StepName>
ChooseSteps(const std::vector<StepRecord>& steps, uint32_t warmup, std::optional<double> from)
{
    const double end = FindFirstStop(steps);
    std::set<StepName> chosen;
    for (const auto& step : steps)
    {
        if (step.end <= end && IsWarm(step, warmup, from))
        {
            chosen.insert({step.worker, step.step});
        }
    }
    return chosen;
}

} // namespace

std::optional<MatchedJob>
MatchRecorder::MakeJob(const PreparedScenario& prepared,
                       uint32_t workers,
                       uint32_t replication,
                       std::string& obstacle) const
{
    const Scenario& scenario = prepared.scenario;
    auto runs = SettleWindows(scenario.transfer, PrepareCase(prepared, workers, replication).runs);
    if (runs.size() > 1)
    {
        obstacle = "several jobs share the network";
        return std::nullopt;
    }
    if (m_steps.size() > MOST_STEPS)
    {
        obstacle = "more than " + std::to_string(MOST_STEPS) + " steps";
        return std::nullopt;
    }
    DrawGrownWindows(scenario, replication, runs);
    FairShareNetwork network;
    try
    {
        network = prepared.MakeFairShareNetwork(workers, replication);
    }
    catch (const KeyError& error)
    {
        obstacle = error.what();
        return std::nullopt;
    }
    MatchedJob job(std::move(runs.front()), std::move(network));
    obstacle = job.DescribeObstacle();
    if (obstacle.empty())
    {
        obstacle = DescribeGap(m_steps, job.GetRun());
    }
    return obstacle.empty() ? std::optional<MatchedJob>(std::move(job)) : std::nullopt;
}

LinkBias
MatchRecorder::Match(const PreparedScenario& prepared,
                     uint32_t workers,
                     uint32_t replication,
                     std::optional<double> from,
                     std::vector<BiasBlock>* blocks) const
{
    LinkBias bias;
    auto job = MakeJob(prepared, workers, replication, bias.reason);
    if (!job)
    {
        return bias;
    }
    const MatchedModel model(std::move(*job), m_steps);
    try
    {
        return EstimateLinkBias(model,
                                ChooseCounted(model, prepared.scenario.job.warmup, from),
                                CountDraws(prepared),
                                workers,
                                blocks);
    }
    catch (const RunError& error)
    {
        bias.reason = error.what();
        return bias;
    }
}

std::set<StepName>
MatchRecorder::ChooseCounted(const MatchedModel& model,
                             uint32_t warmup,
                             std::optional<double> from) const
{
    if (!model.HasRounds())
    {
        return ChooseSteps(m_steps, warmup, from);
    }
    std::set<StepName> counted;
    for (const auto& step : model.GetSteps())
    {
        if (IsWarm(step, warmup, from))
        {
            counted.insert({step.worker, step.step});
        }
    }
    return counted;
}

RecordedRun
MatchRecorder::MakeRun(const MatchedModel& model,
                       const MatchedJob& job,
                       const Profile& profile,
                       std::string& obstacle) const
{
    constexpr double ROUNDING = 1e-8; // s, of files
    RecordedRun run;
    run.servers = job.GetRun().plan->servers;
    run.links = job.GetNetwork().links;
    run.resends = m_resends;
    run.hasResends = m_hasResends;
    for (const auto& tensor : profile.tensors)
    {
        run.tensors.push_back(tensor.bytes);
    }
    obstacle = m_transfers.empty() ? "no parameters were pulled" : "";
    for (const auto& step : model.GetSteps())
    {
        const auto found = m_transfers.find({step.worker, step.step});
        bool pulls = false;
        bool fits = true;
        run.steps.push_back(step);
        run.transfers.emplace_back();
        if (found != m_transfers.end())
        {
            for (const auto& transfer : found->second)
            {
                if (transfer.transfer.server >= run.servers)
                {
                    obstacle = "there is no server " + std::to_string(transfer.transfer.server);
                    return run;
                }
                pulls = pulls || transfer.transfer.pull;
                fits = fits && transfer.last >= step.start - ROUNDING &&
                       transfer.last <= step.end + ROUNDING;
                run.transfers.back().push_back(transfer);
            }
        }
        if (obstacle.empty() && !(pulls && fits))
        {
            obstacle = "step " + std::to_string(step.step) + " of worker " +
                       std::to_string(step.worker) +
                       (pulls ? " has a transfer that does not end within it" : " has no pull");
        }
    }
    return run;
}

template <typename Find>
auto
MatchRecorder::FindInTransfers(const PreparedScenario& prepared,
                               uint32_t workers,
                               uint32_t replication,
                               bool rounds,
                               std::string& obstacle,
                               Find find) const
    -> decltype(find(std::declval<const MatchedModel&>(), std::declval<const RecordedRun&>()))
{
    const auto job = MakeJob(prepared, workers, replication, obstacle);
    if (job && job->HasRounds() && !rounds)
    {
        obstacle = "workers do their steps together";
    }
    if (!obstacle.empty())
    {
        return {};
    }
    const MatchedModel model(*job, m_steps);
    const RecordedRun run = MakeRun(model, *job, *prepared.GetJob().profile, obstacle);
    if (!obstacle.empty())
    {
        return {};
    }
    try
    {
        return find(model, run);
    }
    catch (const RunError& error)
    {
        obstacle = error.what();
        return {};
    }
}

std::vector<PhaseBias>
MatchRecorder::MatchPhases(const PreparedScenario& prepared,
                           uint32_t workers,
                           uint32_t replication,
                           std::optional<double> from,
                           std::string& obstacle) const
{
    const auto find = [&](const MatchedModel& model, const RecordedRun& run) {
        return EstimatePhaseBiases(model,
                                   run,
                                   ChooseCounted(model, prepared.scenario.job.warmup, from),
                                   CountDraws(prepared),
                                   workers);
    };
    return FindInTransfers(prepared, workers, replication, false, obstacle, find);
}

std::vector<EffectBias>
MatchRecorder::MatchEffects(const PreparedScenario& prepared,
                            uint32_t workers,
                            uint32_t replication,
                            std::optional<double> from,
                            std::string& obstacle) const
{
    const auto find = [&](const MatchedModel& model, const RecordedRun& run) {
        return EstimateEffectBiases(model,
                                    run,
                                    GetMatchEffects(),
                                    ChooseCounted(model, prepared.scenario.job.warmup, from),
                                    CountDraws(prepared),
                                    workers,
                                    obstacle);
    };
    return FindInTransfers(prepared, workers, replication, true, obstacle, find);
}

std::vector<RestartBias>
MatchRecorder::MatchRestarts(const PreparedScenario& prepared,
                             uint32_t workers,
                             uint32_t replication,
                             std::optional<double> from,
                             const std::vector<uint32_t>& horizons,
                             std::string& obstacle) const
{
    std::vector<RestartBias> biases;
    auto job = MakeJob(prepared, workers, replication, obstacle);
    if (job && job->WaitsForSome())
    {
        obstacle = "workers wait for those that are far behind";
        job.reset();
    }
    if (!job)
    {
        return biases;
    }
    const RestartedModel model(std::move(*job), m_steps);
    try
    {
        for (const uint32_t horizon : horizons)
        {
            biases.push_back(model.Estimate(
                horizon,
                CountDraws(prepared),
                [&](const StepRecord& step) {
                    return IsWarm(step, prepared.scenario.job.warmup, from);
                },
                FindFirstStop(m_steps)));
        }
    }
    catch (const RunError& error)
    {
        obstacle = error.what();
        biases.clear();
    }
    return biases;
}

} // namespace ns3::dml
