/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-interval-forecast.h"

#include "dml-process-pool.h"
#include "dml-scratch-study.h"
#include "dml-study-plan.h"
#include "dml-study-words.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-cpu-time.h"
#include "ns3/dml-error.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-quantiles.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-run-design.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr uint32_t TRIALS = 20;   // replications of each length
constexpr uint32_t LONGER = 4;    // times as many steps in the longer ones
constexpr double MOST_COST = 4;   // CPU seconds of all trials
constexpr uint32_t MOST_ROWS = 8; // of the table
constexpr uint32_t FEWEST = 10;   // replications with a throughput that tell how they spread

/// An amount of CPU time.
struct Budget
{
    double seconds;   //!< of CPU
    const char* name; //!< in the head of the table
};

constexpr std::array<Budget, 3> BUDGETS{{{600, "10 min"}, {3600, "1 h"}, {6 * 3600, "6 h"}}};

/// What packets cost with one number of workers.
struct PacketCost
{
    double seconds{0}; //!< of CPU of a run
    uint32_t runs{0};  //!< replications
};

/// @return costs in the first variant, by the number of workers
std::map<uint32_t, PacketCost>
FindCosts(const StudyPlan& plan)
{
    std::map<uint32_t, PacketCost> costs;
    for (const auto& run : plan.GetRuns())
    {
        if (run.work.engine == EngineKind::PACKET && run.work.variant == 0)
        {
            PacketCost& cost = costs[run.work.workers];
            cost.seconds = std::max(cost.seconds, run.cost.cpuSeconds);
            ++cost.runs;
        }
    }
    return costs;
}

/// @return CPU seconds of a trial of all numbers of workers with one replication each
double
EstimateTrial(const StudyPlan& plan, const std::map<uint32_t, PacketCost>& costs)
{
    double seconds = 0;
    for (const auto& [workers, cost] : costs)
    {
        StudyCase trial;
        trial.workers = workers;
        seconds += EstimateFairShareCost(plan.GetFirst(), trial).cpuSeconds;
    }
    return seconds;
}

/// @param scenario to try @param steps of each worker @param left CPU seconds that the trials may
/// take; gets what they leave @return standard deviation of the logarithm of the throughput, by the
/// number of workers; those that have one in too few replications are left out @throws
/// CpuLimitError
std::map<uint32_t, double>
TryRuns(Scenario scenario, uint32_t steps, double& left)
{
    scenario.job.steps = steps;
    scenario.replications = TRIALS;
    std::map<uint32_t, double> deviations;
    const double before = ReadCpuSeconds(RUSAGE_CHILDREN);
    const auto cases = ScratchStudy(1, left).RunAll({std::move(scenario)}, EngineKind::FAIR_SHARE);
    left -= ReadCpuSeconds(RUSAGE_CHILDREN) - before;
    for (const auto& item : cases)
    {
        std::vector<std::optional<double>> logarithms;
        for (const auto& run : item.FindEngine(EngineKind::FAIR_SHARE)->replications)
        {
            if (run.throughput.samplesPerSecond)
            {
                logarithms.emplace_back(std::log(*run.throughput.samplesPerSecond));
            }
        }
        const Confidence mean = ComputeConfidence(logarithms);
        if (mean.count >= FEWEST)
        {
            deviations[item.workers] =
                *mean.halfWidth / GetStudentQuantile(mean.count - 1) * std::sqrt(mean.count);
        }
    }
    return deviations;
}

/// @return a half-width, relative to its mean, such as "+-3.1 %"
std::string
FormatHalf(double half)
{
    const double percent = 100 * half;
    if (percent < 0.095 || percent > 99)
    {
        return percent > 99 ? ">99 %" : "<0.1 %";
    }
    return fmt::format("+-{:.{}f} %", percent, percent < 9.5 ? 1 : 0);
}

/// @return cell of a budget, such as "5 x 24 +-3.1 %"
std::string
FormatDesign(const std::optional<RunDesign>& design)
{
    return design ? fmt::format("{} x {} {}",
                                design->runs,
                                design->steps,
                                FormatHalf(design->halfWidth))
                  : "-";
}

/// @param why there is no forecast @return lines that say so
std::string
FormatNone(const std::string& why)
{
    std::string text;
    AppendParagraph(text, "  intervals   ", "no forecast: " + why);
    return text;
}

/// @param scenario that packets run @param trial CPU seconds of its trials, as far as that is known
/// @return why nothing is tried, or empty
std::string
FindObstacle(const Scenario& scenario, double trial)
{
    if (scenario.job.autoSteps.on)
    {
        return "runs find out themselves how long they are (job.steps: auto)";
    }
    if (scenario.job.steps <= scenario.job.warmup)
    {
        return "no step is behind the warm-up";
    }
    return trial > MOST_COST
               ? fmt::format(
                     "trials of the fair-share engine would take about {} of CPU; at most {} "
                     "are spent on them",
                     RoughDuration(trial),
                     RoughDuration(MOST_COST))
               : "";
}

/// @param numbers of workers @return such as "W = 2, 4"
std::string
ListWorkers(const std::vector<uint32_t>& numbers)
{
    return fmt::format("W = {}", fmt::join(numbers, ", "));
}

} // namespace

std::string
ForecastIntervals(const StudyPlan& plan)
{
    const Scenario& scenario = plan.GetFirst().scenario;
    const auto costs = FindCosts(plan);
    if (costs.empty())
    {
        return "";
    }
    const std::string obstacle =
        FindObstacle(scenario, EstimateTrial(plan, costs) * TRIALS * (1 + LONGER));
    if (!obstacle.empty())
    {
        return FormatNone(obstacle);
    }
    const uint32_t measured = scenario.job.steps - scenario.job.warmup;
    std::map<uint32_t, double> deviations;
    std::map<uint32_t, double> longer;
    try
    {
        double left = MOST_COST;
        deviations = TryRuns(scenario, scenario.job.steps, left);
        longer = TryRuns(scenario, scenario.job.warmup + LONGER * measured, left);
    }
    catch (const InterruptedError&)
    {
        throw;
    }
    catch (const CpuLimitError&)
    {
        return FormatNone(
            fmt::format("trials of the fair-share engine have taken {} of CPU, and are "
                        "not done",
                        RoughDuration(MOST_COST)));
    }
    catch (const std::exception& error)
    {
        return FormatNone(std::string("a trial of the fair-share engine fails: ") + error.what());
    }
    std::string rows;
    std::vector<uint32_t> shown;
    std::vector<uint32_t> unknown;
    std::vector<uint32_t> hidden;
    for (const auto& [workers, cost] : costs)
    {
        const auto found = deviations.find(workers);
        const auto other = longer.find(workers);
        if (found == deviations.end() || other == longer.end())
        {
            unknown.push_back(workers);
            continue;
        }
        if (shown.size() == MOST_ROWS)
        {
            hidden.push_back(workers);
            continue;
        }
        shown.push_back(workers);
        const ThroughputSpread spread =
            FitSpread(found->second, other->second, measured, LONGER * measured);
        rows += fmt::format(
            "{:>8}  {:>10}",
            workers,
            cost.runs >= LEAST_FOR_INTERVAL
                ? FormatHalf(GetRelativeHalfWidth(spread.GetDeviation(measured), cost.runs))
                : "none");
        for (const auto& budget : BUDGETS)
        {
            rows += fmt::format("  {:>18}",
                                FormatDesign(DesignRuns(budget.seconds,
                                                        cost.seconds / scenario.job.steps,
                                                        scenario.job.warmup,
                                                        scenario.job.steps,
                                                        spread)));
        }
        rows += "\n";
    }
    std::string text;
    if (!shown.empty())
    {
        text = "  intervals   95 %, of packets' throughputs if they spread as fair-share's; and\n"
               "              which runs x steps are best for so much CPU time of each W\n";
        text += fmt::format("{:>8}  {:>10}", "W", "this study");
        for (const auto& budget : BUDGETS)
        {
            text += fmt::format("  {:>18}", budget.name);
        }
        text += "\n" + rows;
    }
    if (!unknown.empty())
    {
        text +=
            FormatNone(fmt::format("with {} fewer than {} of {} trials of the fair-share engine "
                                   "have a throughput",
                                   ListWorkers(unknown),
                                   FEWEST,
                                   TRIALS));
    }
    if (!hidden.empty())
    {
        AppendParagraph(
            text,
            "              ",
            fmt::format("{} not shown; --set job.workers=... chooses", ListWorkers(hidden)));
    }
    return text;
}

} // namespace ns3::dml
