/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-runner.h"
#include "dml-study-words.h"
#include "dml-study.h"

#include "ns3/dml-paragraph.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-si-number.h"
#include "ns3/dml-stop-report.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-topologies.h"

#include <algorithm>
#include <map>

namespace ns3
{
namespace dml
{

namespace
{

std::string
Join(const std::vector<uint32_t>& numbers)
{
    std::string text;
    for (const uint32_t number : numbers)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return text;
}

/// @return "100 steps a worker, 50 of them warm-up", or until when
std::string
DescribeSteps(const JobSpec& job)
{
    const AutoStepsSpec& steps = job.autoSteps;
    if (!steps.on)
    {
        return Plural(job.steps, "step") + " a worker, " + std::to_string(job.warmup) +
               " of them warm-up";
    }
    return FormatText("until sure within %.3g %%, at most %s a worker,\n              %s",
                      100 * steps.target,
                      Plural(job.steps, "step").c_str(),
                      steps.detectWarmup
                          ? "warm-up detected"
                          : (std::to_string(job.warmup) + " of them warm-up").c_str());
}

/// @return a line about what shares the network with the job, or nothing
std::string
DescribeCompany(const Scenario& scenario)
{
    std::string company;
    for (const auto& [count, name] :
         {std::pair{scenario.otherJobs.size(), "other job"},
          std::pair{scenario.network.background.size(), "background flow"},
          std::pair{scenario.network.faults.size(), "fault"}})
    {
        if (count > 0)
        {
            company += (company.empty() ? "" : ", ") + Plural(count, name);
        }
    }
    return company.empty() ? "" : "  besides     " + company + "\n";
}

/// @return what the runs of each engine took
std::map<EngineKind, EngineSpent>
SumSpent(const StudyPlan& plan, const RunSummary& summary)
{
    std::map<EngineKind, EngineSpent> engines;
    for (const auto& run : plan.GetRuns())
    {
        const auto& runs = summary.cases[run.summary].engines.at(run.work.engine).replications;
        const auto done = std::find_if(runs.begin(), runs.end(), [&](const auto& replication) {
            return replication.replication == run.work.replication;
        });
        if (done == runs.end())
        {
            continue;
        }
        const auto& stop = done->stop;
        const double share = stop ? static_cast<double>(stop->steps) / stop->atMost : 1;
        EngineSpent& spent = engines[run.work.engine];
        spent.cpuSeconds += done->cpuSeconds;
        spent.ops += done->ops;
        spent.bytes += done->simulatedBytes;
        spent.estimate += share * run.cost.cpuSeconds;
    }
    return engines;
}

} // namespace

std::string
Study::Describe() const
{
    const PreparedScenario& first = m_plan.GetFirst();
    const Scenario& scenario = first.scenario;
    std::string text =
        FormatText("%s: %s, batch %u: %s, %.4g MB; %s\n",
                   EscapeControls(scenario.name).c_str(),
                   EscapeControls(first.GetJob().profile->model).c_str(),
                   first.GetJob().devices.batch,
                   Plural(first.GetJob().profile->tensors.size(), "tensor").c_str(),
                   first.GetJob().profile->GetTotalBytes() / 1e6,
                   Plural(first.GetJob().profile->GetSampleCount(), "profiled step").c_str());
    const std::string& topology = scenario.network.topology.type;
    const bool named = topology != "explicit" && Topologies().HasName(topology);
    text += FormatText("  cluster     %s, W = %s, %s of %s links\n",
                       Plural(scenario.job.parameterServers, "parameter server").c_str(),
                       Join(scenario.job.workers).c_str(),
                       named ? topology.c_str() : "a network",
                       RateText(scenario.network.rate.GetBitRate()).c_str());
    text += DescribeCompany(scenario);
    text += FormatText("  runs        %s; start: %s; seed %u\n",
                       DescribeSteps(scenario.job).c_str(),
                       scenario.job.start.rule.c_str(),
                       scenario.seed);
    const std::size_t variants = m_plan.GetScenarios().size();
    if (variants > 1)
    {
        text +=
            FormatText("  sweep       %zu variants, %zu runs; what follows is the first one's\n",
                       variants,
                       m_plan.GetRuns().size());
    }
    for (const EngineKind engine : m_options.engines)
    {
        text += GetEngineRunner(engine).Describe(first, m_options.ranks);
    }
    text += "  cost        " + DescribeEstimate() + "\n";
    for (const auto& warning : m_plan.GetWarnings())
    {
        AppendParagraph(text, "warning: ", warning);
    }
    return text;
}

std::string
Study::DescribeEstimate() const
{
    std::map<EngineKind, double> engines;
    std::vector<double> seconds;
    for (const uint32_t run : m_plan.GetOrder())
    {
        const PlannedRun& planned = m_plan.GetRuns()[run];
        engines[planned.work.engine] += planned.cost.cpuSeconds;
        seconds.push_back(planned.cost.cpuSeconds);
    }
    const Scenario& scenario = m_plan.GetFirst().scenario;
    const bool draws = scenario.output.plots && PlotWriter::HaveGnuplot();
    const double drawing = draws ? EstimateDrawing(m_plan.GetDrawn().size()) : 0;
    const bool decides = scenario.job.autoSteps.on;
    std::string text = decides ? "at most " : "about ";
    for (const auto& [kind, cpuSeconds] : engines)
    {
        text += (kind == engines.begin()->first ? "" : ", ") + GetEngineName(kind) + " " +
                RoughDuration(cpuSeconds);
    }
    text += draws ? ", plots " + RoughDuration(drawing) : "";
    const double wall = EstimateWall(seconds, m_options.jobs) + drawing;
    return text + " of CPU\n              " + RoughDuration(wall) + " on the clock with " +
           Plural(m_options.jobs, "run") + " at a time";
}

std::string
Study::DescribeCost() const
{
    const bool sweep = m_plan.GetScenarios().size() > 1;
    std::string text;
    for (const auto& [kind, spent] : SumSpent(m_plan, m_summary))
    {
        if (spent.cpuSeconds > 0)
        {
            text += GetEngineRunner(kind).DescribeSpent(m_plan.GetFirst(), spent, sweep);
        }
    }
    if (m_summary.wallSeconds)
    {
        text += FormatText(
            "wall time: %s, %s at a time\n",
            SpentTime(*m_summary.wallSeconds).c_str(),
            Plural(std::min<std::size_t>(m_options.jobs, m_entries.size()), "run").c_str());
    }
    return text + DescribeSavings(m_summary);
}

} // namespace dml
} // namespace ns3
