/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-interval-forecast.h"

#include "dml-scratch-study.h"
#include "dml-study-plan.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-error.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-run-design.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dml
{

namespace
{

constexpr uint32_t TRIALS = 20;   // replications of each length
constexpr uint32_t LONGER = 4;    // times as many steps in the longer ones
constexpr double MOST_COST = 2;   // CPU seconds of all trials
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

/// @return standard deviation of the logarithm of the throughput, by the number of workers; those
/// that have one in too few replications are left out
std::map<uint32_t, double>
TryRuns(Scenario scenario, uint32_t steps)
{
    scenario.job.steps = steps;
    scenario.replications = TRIALS;
    std::map<uint32_t, double> deviations;
    for (const auto& item : ScratchStudy(1).RunAll({std::move(scenario)}, EngineKind::FAIR_SHARE))
    {
        std::vector<double> logarithms;
        double sum = 0;
        for (const auto& run : item.FindEngine(EngineKind::FAIR_SHARE)->replications)
        {
            if (run.throughput.samplesPerSecond)
            {
                logarithms.push_back(std::log(*run.throughput.samplesPerSecond));
                sum += logarithms.back();
            }
        }
        const auto count = static_cast<double>(logarithms.size());
        double squares = 0;
        for (const double value : logarithms)
        {
            squares += (value - sum / count) * (value - sum / count);
        }
        if (count >= FEWEST)
        {
            deviations[item.workers] = std::sqrt(squares / (count - 1));
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

/// @return whether trials cost what EstimateTrial() says: it does not know what these do
bool
IsCostKnown(const Scenario& scenario)
{
    return scenario.network.background.empty() && scenario.network.faults.empty() &&
           scenario.otherJobs.empty() && scenario.job.batchControl.rule == "off";
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

} // namespace

std::string
ForecastIntervals(const StudyPlan& plan)
{
    const Scenario& scenario = plan.GetFirst().scenario;
    const auto costs = FindCosts(plan);
    if (costs.empty() || !IsCostKnown(scenario) || scenario.job.autoSteps.on ||
        scenario.job.steps <= scenario.job.warmup ||
        EstimateTrial(plan, costs) * TRIALS * (1 + LONGER) > MOST_COST)
    {
        return "";
    }
    const uint32_t measured = scenario.job.steps - scenario.job.warmup;
    std::map<uint32_t, double> deviations;
    std::map<uint32_t, double> longer;
    try
    {
        deviations = TryRuns(scenario, scenario.job.steps);
        longer = TryRuns(scenario, scenario.job.warmup + LONGER * measured);
    }
    catch (const InterruptedError&)
    {
        throw;
    }
    catch (const std::exception&) // `run` will say what is wrong, and where
    {
        return "";
    }
    std::string text;
    uint32_t rows = 0;
    for (const auto& [workers, cost] : costs)
    {
        const auto found = deviations.find(workers);
        const auto other = longer.find(workers);
        if (found == deviations.end() || other == longer.end() || ++rows > MOST_ROWS)
        {
            continue;
        }
        const ThroughputSpread spread =
            FitSpread(found->second, other->second, measured, LONGER * measured);
        text += fmt::format(
            "{:>8}  {:>10}",
            workers,
            cost.runs >= LEAST_FOR_INTERVAL
                ? FormatHalf(GetRelativeHalfWidth(spread.GetDeviation(measured), cost.runs))
                : "none");
        for (const auto& budget : BUDGETS)
        {
            text += fmt::format("  {:>18}",
                                FormatDesign(DesignRuns(budget.seconds,
                                                        cost.seconds / scenario.job.steps,
                                                        scenario.job.warmup,
                                                        scenario.job.steps,
                                                        spread)));
        }
        text += "\n";
    }
    if (text.empty())
    {
        return "";
    }
    std::string head = fmt::format("{:>8}  {:>10}", "W", "this study");
    for (const auto& budget : BUDGETS)
    {
        head += fmt::format("  {:>18}", budget.name);
    }
    return "  intervals   95 %, of packets' throughputs if they spread as fair-share's; and\n"
           "              which runs x steps are best for so much CPU time of each W\n" +
           head + "\n" + text;
}

} // namespace ns3::dml
