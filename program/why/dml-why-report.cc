/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-why-report.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr double SAVED_PART = 0.1;     //!< of its time, what an op saves in what-ifs
constexpr std::size_t NAMES = 38;      //!< columns of a name
constexpr std::size_t MOST_OTHERS = 3; //!< workers for which others wait that are listed
constexpr std::size_t MOST_OPS = 8;    //!< ops that are listed
/// Below the table of what-ifs, on what the mark " !" means.
constexpr const char* APART_NOTE =
    "  !: more than 1 % from the run's interval: the graph keeps the order of ops on\n"
    "     every device and who shares a link with whom, a run does not; a run's step\n"
    "     is the inverse of its throughput, which counts while all workers train\n";
constexpr double TOLERANCE = 0.01;      //!< of a step, between the graph and a run, besides
constexpr double SMALL = 0.0005;        //!< share of a step that is not told
constexpr double SHORTEST_STEP = 1e-12; //!< s, of a step of which something can be a share

/// What the parts are, for people.
constexpr std::array<const char*, TIME_PARTS> EXPLANATIONS{"compute",
                                                           "pull: parameters being sent",
                                                           "push: gradients being sent",
                                                           "collectives: gradients being reduced",
                                                           "parsing",
                                                           "updates",
                                                           "waiting for another worker",
                                                           "gaps: messages, protocol, TCP"};

/// @return seconds as a share of those of a step, which may be none
double
GetShareOf(double seconds, double step)
{
    return step > SHORTEST_STEP ? seconds / step : 0;
}

/// One number for each step.
struct Series
{
    std::vector<double> seconds; //!< by step
    std::vector<double> shares;  //!< of the step, likewise

    void Add(double value, const RecordedStep& step)
    {
        seconds.push_back(value);
        shares.push_back(GetShareOf(value, step.end - step.start));
    }

    double GetMean() const
    {
        return std::accumulate(seconds.begin(), seconds.end(), 0.0) / seconds.size();
    }

    /// @param fraction 0 to 1 @return the share that so many steps do not exceed
    double GetShare(double fraction) const
    {
        std::vector<double> sorted = shares;
        const std::size_t at = std::min<std::size_t>(fraction * sorted.size(), sorted.size() - 1);
        std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
        return sorted[at];
    }
};

std::string
FormatRow(const std::string& name, const Series& series, double step)
{
    return fmt::format("  {:<38} {:>10} {:>6.1f} %   {:>3.0f} - {:>3.0f} %\n",
                       KeepEnd(name, NAMES),
                       FormatValue(series.GetMean()),
                       100 * GetShareOf(series.GetMean(), step),
                       100 * series.GetShare(0.05),
                       100 * series.GetShare(0.95));
}

/// Rows on whose ops are on the path where a worker waits for another one: the most first.
std::string
FormatOthers(const RecordedJob& job, const std::vector<StepPath>& paths, double step)
{
    std::vector<Series> waits(job.workers);
    for (const auto& path : paths)
    {
        std::vector<double> seconds(job.workers, 0);
        for (const auto& segment : path.segments)
        {
            if (segment.part == TimePart::OTHERS)
            {
                seconds[job.graph.ops[segment.op].worker] += segment.end - segment.start;
            }
        }
        for (uint32_t worker = 0; worker < job.workers; ++worker)
        {
            waits[worker].Add(seconds[worker], path.step);
        }
    }
    std::map<uint32_t, double> means;
    for (uint32_t worker = 0; worker < job.workers; ++worker)
    {
        means[worker] = waits[worker].GetMean();
    }
    std::string text;
    for (const auto& [time, worker] : ListLargest(means, MOST_OTHERS))
    {
        text += time > SMALL * step
                    ? FormatRow("  for worker " + std::to_string(worker), waits[worker], step)
                    : "";
    }
    return text;
}

std::string
FormatParts(const RecordedJob& job, const std::vector<StepPath>& paths, double step)
{
    std::string text = fmt::format("  {:<38} {:>10} {:>8}   {:>11}\n",
                                   "critical path of a step",
                                   "s",
                                   "share",
                                   "5 - 95 %");
    for (std::size_t part = 0; part < TIME_PARTS; ++part)
    {
        Series series;
        for (const auto& path : paths)
        {
            series.Add(path.GetParts()[part], path.step);
        }
        if (series.GetMean() > SMALL * step)
        {
            text += FormatRow(EXPLANATIONS[part], series, step);
            text += static_cast<TimePart>(part) == TimePart::OTHERS ? FormatOthers(job, paths, step)
                                                                    : "";
        }
    }
    Series queued;
    for (const auto& path : paths)
    {
        queued.Add(path.GetQueued(), path.step);
    }
    if (queued.GetMean() > SMALL * step)
    {
        text += FormatRow("of it with the next op in the queue", queued, step);
    }
    return text;
}

/// @return the ops that are longest on the paths, in all steps together
std::string
FormatOps(const RecordedJob& job, const std::vector<StepPath>& paths, double step)
{
    // what it is, with which part of a step it is
    std::map<std::pair<TimePart, uint32_t>, double> seconds;
    for (const auto& path : paths)
    {
        for (const auto& segment : path.segments)
        {
            seconds[{segment.part, job.graph.ops[segment.op].name}] +=
                (segment.end - segment.start) / paths.size();
        }
    }
    std::string text =
        fmt::format("\n  {:<38} {:>10} {:>8}   {}\n", "longest on it", "s", "share", "what");
    for (const auto& [time, op] : ListLargest(seconds, MOST_OPS))
    {
        const std::string what = op.first == TimePart::GAP ? "gap before" : ToString(op.first);
        text += fmt::format("  {:<38} {:>10} {:>6.1f} %   {}\n",
                            KeepEnd(job.graph.names[op.second], NAMES),
                            FormatValue(time),
                            100 * GetShareOf(time, step),
                            what);
    }
    return text;
}

/// @param gain of ops, by the graph @param run what a run says @return whether they are further
/// apart than the interval of the run and TOLERANCE explain
bool
IsApart(double gain, const RelativeDifference& run)
{
    const double low = run.low.value_or(run.value.value_or(-gain));
    const double high = run.high.value_or(run.value.value_or(-gain));
    return -gain < low - TOLERANCE || -gain > high + TOLERANCE;
}

std::string
FormatWhatIfs(const WhyAnalysis& analysis)
{
    const bool checked = !analysis.checked.empty();
    std::string text = fmt::format("\n  {:<38} {:>10}{}\n",
                                   fmt::format("{:.0f} % less time for", 100 * SAVED_PART),
                                   "a step, %",
                                   checked ? "   in a run, %" : "");
    bool anyDoubtful = false;
    bool anyApart = false;
    std::size_t wide = 0;
    std::size_t single = 0;
    for (std::size_t i = 0; i < analysis.whatIfs.size(); ++i)
    {
        const WhatIf& set = analysis.whatIfs[i];
        const bool op = set.scope == WhatIf::Scope::OP;
        if (set.gain < SMALL || ++(op ? single : wide) > MOST_OPS / (op ? 2 : 1))
        {
            continue;
        }
        text += fmt::format("  {:<38} {:>+10.2f}", KeepEnd(set.name, NAMES), -100 * set.gain);
        const bool doubtful =
            checked && analysis.checked[i].low && !analysis.checked[i].IsSignificant();
        anyDoubtful = anyDoubtful || doubtful;
        text += checked ? "   " + PercentText(analysis.checked[i], 2) : "";
        const bool apart = checked && IsApart(set.gain, analysis.checked[i]);
        anyApart = anyApart || apart;
        text += std::string(doubtful ? " ?" : "") + (apart ? " !\n" : "\n");
    }
    text += anyDoubtful ? DOUBT_NOTE : "";
    text += anyApart ? APART_NOTE : "";
    return text;
}

/// @return mean seconds from the end of a step to that of the next one of its worker, which are
/// fewer than a step takes where steps overlap; nothing if no worker has two
std::optional<double>
GetPeriod(const std::vector<RecordedStep>& steps)
{
    struct Ends
    {
        double first{std::numeric_limits<double>::infinity()};
        double last{0};
        uint32_t steps{0};
    };

    std::map<uint32_t, Ends> workers;
    for (const auto& step : steps)
    {
        Ends& ends = workers[step.worker];
        ends.first = std::min(ends.first, step.end);
        ends.last = std::max(ends.last, step.end);
        ++ends.steps;
    }
    double seconds = 0;
    uint32_t periods = 0;
    for (const auto& [worker, ends] : workers)
    {
        seconds += ends.last - ends.first;
        periods += ends.steps - 1;
    }
    return periods > 0 ? std::optional(seconds / periods) : std::nullopt;
}

} // namespace

WhyAnalysis
AnalyseRun(const RecordedJob& job, const RunTrace* trace)
{
    WhyAnalysis analysis{&job, trace, {}, {}, {}};
    const StepPathFinder finder(job);
    const bool steady = std::any_of(job.steps.begin(), job.steps.end(), [](const auto& step) {
        return step.step > 0;
    });
    for (const auto& step : job.steps)
    {
        if (step.step > 0 || !steady)
        {
            analysis.paths.push_back(finder.Find(step));
        }
    }
    analysis.whatIfs = FindWhatIfs(job, analysis.paths, SAVED_PART);
    return analysis;
}

void
CheckWhatIfs(WhyAnalysis& analysis, ScenarioVariants& variants, EngineKind engine)
{
    constexpr std::size_t MOST_RUNS = 4;
    const Throughputs& now = variants.RunUnchanged(engine);
    analysis.checked.resize(analysis.whatIfs.size());
    std::size_t runs = 0;
    for (std::size_t i = 0; i < analysis.whatIfs.size() && runs < MOST_RUNS; ++i)
    {
        const WhatIf& set = analysis.whatIfs[i];
        const auto scenario = set.gain < SMALL ? std::nullopt : variants.Shorten(set, SAVED_PART);
        if (!scenario)
        {
            continue;
        }
        const Throughputs then = variants.Run(*scenario, engine);
        // a step takes the inverse of the throughput
        analysis.checked[i] = EstimateDifference(PairReplications(now, then));
        ++runs;
    }
}

std::string
FormatWhy(const WhyAnalysis& analysis)
{
    const RecordedJob& job = *analysis.job;
    double step = 0;
    double shortest = std::numeric_limits<double>::infinity();
    double longest = 0;
    for (const auto& path : analysis.paths)
    {
        const double seconds = path.step.end - path.step.start;
        step += seconds / analysis.paths.size();
        shortest = std::min(shortest, seconds);
        longest = std::max(longest, seconds);
    }
    std::string text = job.engine + ", " + Plural(job.workers, "worker") +
                       (job.servers > 0 ? ", " + std::to_string(job.servers) + " PS" : "") + ": " +
                       Plural(analysis.paths.size(), "step") + " of " + FormatValue(step) + " s (" +
                       FormatValue(shortest) + " to " + FormatValue(longest) + " s)\n";
    const auto period = GetPeriod(job.steps);
    if (period && *period < (1 - TOLERANCE) * step)
    {
        text += "steps overlap: one of a worker ends every " + FormatValue(*period) + " s\n";
    }
    text += "\n";
    text += FormatParts(job, analysis.paths, step);
    text += FormatOps(job, analysis.paths, step);
    text += FormatWhatIfs(analysis);
    return text;
}

} // namespace ns3::dml
