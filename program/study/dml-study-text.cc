/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-buffer-text.h"
#include "dml-engine-runner.h"
#include "dml-path-text.h"
#include "dml-study-words.h"
#include "dml-study.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-run-notes.h"
#include "ns3/dml-si-number.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-topologies.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <vector>

namespace ns3::dml
{

namespace
{

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
    return fmt::format("until sure within {:.3g} %, at most {} a worker,\n              {}",
                       100 * steps.target,
                       Plural(job.steps, "step"),
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

/// @param job of a scenario @return who has the parameters
std::string
DescribeServers(const JobSpec& job)
{
    return job.parameterServers > 0 ? Plural(job.parameterServers, "parameter server")
                                    : job.protocol + " (" + job.allReduce.algorithm + ")";
}

/// @return how many workers and network cards hosts have; empty: one each
std::string
DescribeHosts(const Scenario& scenario)
{
    const WorkersPerHost& perHost = scenario.job.workersPerHost;
    if (!perHost.AreShared())
    {
        return "";
    }
    const std::string nics =
        scenario.network.nicsPerHost > 1
            ? fmt::format(" with {} network cards", scenario.network.nicsPerHost)
            : "";
    return perHost.GetList().empty()
               ? fmt::format(" ({} on a host{})", perHost.GetEach(), nics)
               : fmt::format(" ({} on hosts{})", fmt::join(perHost.GetList(), ", "), nics);
}

/// @return DescribePaths() of the first variant that has several
std::string
DescribeAnyPaths(const StudyPlan& plan)
{
    std::string text;
    for (uint32_t variant = 0; text.empty() && variant < plan.GetScenarios().size(); ++variant)
    {
        const auto& scenario = plan.GetScenarios()[variant];
        if (scenario.network.multipath.IsOn())
        {
            text = DescribePaths(*plan.GetPrepared(variant));
        }
    }
    return text;
}

} // namespace

std::string
Study::Describe(const std::string& more) const
{
    const PreparedScenario& first = m_plan.GetFirst();
    const Scenario& scenario = first.scenario;
    std::string text =
        fmt::format("{}: {}, batch {}: {}, {:.4g} MB; {}\n",
                    EscapeControls(scenario.name),
                    EscapeControls(first.GetJob().profile->model),
                    first.GetJob().devices.batch,
                    Plural(first.GetJob().profile->tensors.size(), "tensor"),
                    first.GetJob().profile->GetTotalBytes() / 1e6,
                    Plural(first.GetJob().profile->GetSampleCount(), "profiled step"));
    const std::string& topology = scenario.network.topology.type;
    const bool named = topology != "explicit" && Topologies().HasName(topology);
    text += fmt::format("  cluster     {}, W = {}{}, {} of {} links\n",
                        DescribeServers(scenario.job),
                        fmt::join(scenario.job.workers, ", "),
                        DescribeHosts(scenario),
                        named ? topology.c_str() : "a network",
                        FormatBitRate(scenario.network.rate.GetBitRate()));
    text += DescribeAnyPaths(m_plan) + DescribeBuffers(first) + DescribeCompany(scenario);
    text += fmt::format("  runs        {}; start: {}; seed {}\n",
                        DescribeSteps(scenario.job),
                        scenario.job.start.rule,
                        scenario.seed);
    const std::size_t variants = m_plan.GetScenarios().size();
    if (variants > 1)
    {
        text += fmt::format("  sweep       {} variants, {} runs; what follows is the first one's\n",
                            variants,
                            m_plan.GetRuns().size());
    }
    for (const EngineKind engine : m_options.engines)
    {
        text += GetEngineRunner(engine).Describe(first, m_options.ranks);
    }
    text += "  cost        " + DescribeEstimate() + "\n" + more;
    for (const auto& warning : m_plan.GetWarnings())
    {
        AppendParagraph(text, "warning: ", warning);
    }
    return text;
}

std::string
Study::DescribeEstimate() const
{
    std::map<EngineKind, double> engines; // CPU seconds of those that simulate
    std::vector<double> runs;             // CPU seconds of each of their runs, in order
    double realSeconds = 0;               // on the clock, of runs in real time
    for (const uint32_t run : m_plan.GetOrder())
    {
        const PlannedRun& planned = m_plan.GetRuns()[run];
        const double seconds = planned.cost.cpuSeconds;
        if (GetEngine(planned.work.engine).Has(EngineTrait::RUNS_IN_REAL_TIME))
        {
            realSeconds += seconds;
            continue;
        }
        engines[planned.work.engine] += seconds;
        runs.push_back(seconds);
    }
    const Scenario& scenario = m_plan.GetFirst().scenario;
    const bool draws = scenario.output.plots && PlotWriter::HaveGnuplot();
    const double drawing = draws ? EstimateDrawing(m_plan.GetDrawn().size()) : 0;
    const bool simulates = !engines.empty();
    const bool real = realSeconds > 0;
    // when runs stop, and what packets skip, nobody knows before
    const bool less = scenario.job.autoSteps.on || scenario.packet.fastForward.on;
    std::string text = less ? "at most " : "about ";
    for (const auto& [kind, cpuSeconds] : engines)
    {
        text += (kind == engines.begin()->first ? "" : ", ") + GetEngineName(kind) + " " +
                RoughDuration(cpuSeconds);
    }
    const char* plots =
        engines.size() > 2 ? ",\n              plots " : ", plots "; // a line is full
    text += simulates && draws ? plots + RoughDuration(drawing) : "";
    text += simulates ? " of CPU\n              " : "";
    const double wall = EstimateWall(runs, m_options.jobs) + realSeconds + drawing;
    text += RoughDuration(wall) + " on the clock with " +
            Plural(simulates ? m_options.jobs : 1, "run") + " at a time";
    return text + (simulates && real ? ",\n              of them " + RoughDuration(realSeconds) +
                                           " for real runs, one after the other"
                                     : "");
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
        text += fmt::format("wall time: {}, {} at a time\n",
                            SpentTime(*m_summary.wallSeconds),
                            Plural(std::min<std::size_t>(m_options.jobs, m_done.size()), "run"));
    }
    return text + DescribeSavings(m_summary);
}

} // namespace ns3::dml
