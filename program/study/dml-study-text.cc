/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-progress-board.h"
#include "dml-run-cost.h"
#include "dml-study.h"

#include "ns3/dml-paragraph.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-si-number.h"
#include "ns3/dml-stop-report.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-topologies.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>

namespace ns3
{
namespace dml
{

namespace
{

/// What the full-fidelity run of a scenario is: every packet real, and as many steps and
/// replications as Li et al., ICPE 2020, take for a measured (not simulated) throughput.
constexpr uint32_t FULL_MTU = 1500;
constexpr uint32_t FULL_STEPS = 100;

std::string
Format(const char* format, ...)
{
    va_list arguments;
    va_list again;
    va_start(arguments, format);
    va_copy(again, arguments);
    std::string text(std::vsnprintf(nullptr, 0, format, arguments), '\0');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

/// The scenario at full fidelity.
PreparedScenario
MakeFull(const PreparedScenario& prepared)
{
    PreparedScenario full = prepared;
    Scenario& scenario = full.scenario;
    full.mtu = std::min(prepared.mtu, FULL_MTU);
    full.format = GetWireFormat(full.mtu,
                                scenario.network.tcp.timestamps,
                                GetMessageFraming(scenario.transfer));
    scenario.job.steps = std::max(scenario.job.steps, FULL_STEPS);
    scenario.packet.replications = 0;
    return full;
}

/// Cost of all packet runs of a scenario.
RunCost
SumPacketCosts(const PreparedScenario& prepared)
{
    const Scenario& scenario = prepared.scenario;
    const uint32_t replications =
        scenario.packet.replications > 0 ? scenario.packet.replications : scenario.replications;
    RunCost sum;
    for (const uint32_t workers : scenario.job.workers)
    {
        // the first one may be captured, the others are alike
        for (const auto& [replication, count] : {std::pair{0U, 1U}, {1U, replications - 1}})
        {
            const RunCost cost =
                EstimateCost(prepared, {0, workers, EngineKind::PACKET, replication, false});
            sum.bytes += count * cost.bytes;
            sum.segments += count * cost.segments;
            sum.cpuSeconds += count * cost.cpuSeconds;
        }
    }
    return sum;
}

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

std::string
RateText(double bitsPerSecond)
{
    return bitsPerSecond >= 1e9 ? Format("%.4g Gbit/s", bitsPerSecond / 1e9)
                                : Format("%.4g Mbit/s", bitsPerSecond / 1e6);
}

/// "MTU 1500, 100 steps, 5 replications: 3.67 TB in 2.52 G segments"
std::string
DescribePackets(const PreparedScenario& prepared, const RunCost& cost)
{
    const Scenario& scenario = prepared.scenario;
    const uint32_t replications =
        scenario.packet.replications > 0 ? scenario.packet.replications : scenario.replications;
    return Format(
        "MTU %u, %s, %s: %s in %s",
        prepared.mtu,
        ((scenario.job.autoSteps.on ? "at most " : "") + Plural(scenario.job.steps, "step"))
            .c_str(),
        Plural(replications, "replication").c_str(),
        FormatSi(cost.bytes, "B").c_str(),
        FormatSi(cost.segments, "segments").c_str());
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
    return Format("until sure within %.3g %%, at most %s a worker,\n              %s",
                  100 * steps.target,
                  Plural(job.steps, "step").c_str(),
                  steps.detectWarmup ? "warm-up detected"
                                     : (std::to_string(job.warmup) + " of them warm-up").c_str());
}

/// @return "0.042 s" or "4 min 10 s"
std::string
RoughDuration(double seconds)
{
    return seconds < 10 ? Format("%.2g s", seconds) : FormatDuration(seconds);
}

/// @return "42.3 s" or "20 min 34 s": what was measured, in three digits
std::string
SpentTime(double seconds)
{
    return seconds < 999.5 ? Format("%.3g s", seconds) : FormatDuration(seconds);
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

} // namespace

std::string
Study::Describe() const
{
    const PreparedScenario& first = m_plan.GetFirst();
    const Scenario& scenario = first.scenario;
    std::string text =
        Format("%s: %s, batch %u: %s, %.4g MB; %s\n",
               EscapeControls(scenario.name).c_str(),
               EscapeControls(first.GetJob().profile->model).c_str(),
               first.GetJob().devices.batch,
               Plural(first.GetJob().profile->tensors.size(), "tensor").c_str(),
               first.GetJob().profile->GetTotalBytes() / 1e6,
               Plural(first.GetJob().profile->GetSampleCount(), "profiled step").c_str());
    const std::string& topology = scenario.network.topology.type;
    const bool named = topology != "explicit" && Topologies().HasName(topology);
    text += Format("  cluster     %s, W = %s, %s of %s links\n",
                   Plural(scenario.job.parameterServers, "parameter server").c_str(),
                   Join(scenario.job.workers).c_str(),
                   named ? topology.c_str() : "a network",
                   RateText(scenario.network.rate.GetBitRate()).c_str());
    text += DescribeCompany(scenario);
    text += Format("  runs        %s; start: %s; seed %u\n",
                   DescribeSteps(scenario.job).c_str(),
                   scenario.job.start.rule.c_str(),
                   scenario.seed);
    const std::size_t variants = m_plan.GetScenarios().size();
    if (variants > 1)
    {
        text += Format("  sweep       %zu variants, %zu runs; what follows is the first one's\n",
                       variants,
                       m_plan.GetRuns().size());
    }
    if (m_options.engines.count(EngineKind::FAIR_SHARE) > 0)
    {
        text += Format("  fair-share  %s, links at the goodput of %s\n",
                       Plural(scenario.replications, "replication").c_str(),
                       RateText(8 * first.goodput).c_str());
    }
    if (m_options.engines.count(EngineKind::PACKET) > 0)
    {
        text += "  packet      " + DescribePackets(first, SumPacketCosts(first)) + "\n";
        if (m_options.ranks > 1)
        {
            text += Format(
                "  ranks       each run of the packet engine split over up to %u processes\n",
                m_options.ranks);
        }
        const PreparedScenario full = MakeFull(first);
        const RunCost cost = SumPacketCosts(full);
        text += "  full run    " + DescribePackets(full, cost) + "\n" +
                Format("              about %s of CPU\n", RoughDuration(cost.cpuSeconds).c_str());
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
    double fairCpu = 0;
    double ops = 0;
    double packetCpu = 0;
    double bytes = 0;
    double estimate = 0; // of the packet engine's CPU time
    const auto add = [&](const PlannedRun& run) {
        const CaseSummary& item = m_summary.cases[run.summary];
        const bool fair = run.work.engine == EngineKind::FAIR_SHARE;
        for (const auto& summary : item.engines.at(run.work.engine).replications)
        {
            if (summary.replication != run.work.replication)
            {
                continue;
            }
            (fair ? fairCpu : packetCpu) += summary.cpuSeconds;
            ops += fair ? summary.ops : 0;
            bytes += fair ? 0 : summary.simulatedBytes;
            const auto& stop = summary.stop;
            const double share = stop ? static_cast<double>(stop->steps) / stop->atMost : 1;
            estimate += fair ? 0 : share * run.cost.cpuSeconds;
        }
    };
    std::for_each(m_plan.GetRuns().begin(), m_plan.GetRuns().end(), add);
    std::string text;
    if (fairCpu > 0)
    {
        text += Format("fair-share: %s of CPU; %s per CPU second\n",
                       SpentTime(fairCpu).c_str(),
                       FormatSi(ops / fairCpu, "ops").c_str());
    }
    if (packetCpu > 0)
    {
        const double full = SumPacketCosts(MakeFull(m_plan.GetFirst())).cpuSeconds;
        text += Format("packet: %s of CPU; %s of tensors per CPU second\n",
                       SpentTime(packetCpu).c_str(),
                       FormatSi(bytes / packetCpu, "B").c_str());
        text += Format("the full run%s would take about %s of CPU at this speed\n",
                       m_plan.GetScenarios().size() > 1 ? " of the first variant" : "",
                       RoughDuration(packetCpu * full / estimate).c_str());
    }
    if (m_summary.wallSeconds)
    {
        text +=
            Format("wall time: %s, %s at a time\n",
                   SpentTime(*m_summary.wallSeconds).c_str(),
                   Plural(std::min<std::size_t>(m_options.jobs, m_entries.size()), "run").c_str());
    }
    return text + DescribeSavings(m_summary);
}

} // namespace dml
} // namespace ns3
