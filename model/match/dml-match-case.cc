/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-case.h"

#include "ns3/dml-failure.h"
#include "ns3/dml-grown-windows.h"
#include "ns3/dml-prepared-case.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return the steps that are compared
std::set<StepName>
ChooseSteps(const std::vector<StepRecord>& steps, uint32_t warmup, std::optional<double> from)
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
    std::set<StepName> chosen;
    for (const auto& step : steps)
    {
        if (step.end <= end && (from ? step.start >= *from : step.step >= warmup))
        {
            chosen.insert({step.worker, step.step});
        }
    }
    return chosen;
}

} // namespace

LinkBias
MatchRecorder::Match(const PreparedScenario& prepared,
                     uint32_t workers,
                     uint32_t replication,
                     std::optional<double> from) const
{
    LinkBias bias;
    const Scenario& scenario = prepared.scenario;
    auto runs = SettleWindows(scenario.transfer, PrepareCase(prepared, workers, replication).runs);
    FairShareNetwork network = prepared.MakeFairShareNetwork(workers, replication);
    bias.reason = runs.size() > 1 ? "several jobs share the network"
                  : m_steps.size() > MOST_STEPS
                      ? "more than " + std::to_string(MOST_STEPS) + " steps"
                      : MatchedModel::DescribeObstacle(runs.front(), network);
    if (!bias.reason.empty())
    {
        return bias;
    }
    DrawGrownWindows(scenario, replication, runs);
    const MatchedModel model(std::move(runs.front()), std::move(network), m_steps);
    std::set<StepName> counted;
    if (model.HasRounds())
    {
        for (const auto& step : model.GetSteps())
        {
            if (from ? step.start >= *from : step.step >= scenario.job.warmup)
            {
                counted.insert({step.worker, step.step});
            }
        }
    }
    else
    {
        counted = ChooseSteps(m_steps, scenario.job.warmup, from);
    }
    try
    {
        return EstimateLinkBias(model, counted, scenario.fairShare.matched.draws, workers);
    }
    catch (const RunError& error)
    {
        bias.reason = error.what();
        return bias;
    }
}

} // namespace ns3::dml
