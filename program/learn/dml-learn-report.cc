/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-learn-report.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-csv-name.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-table-cells.h"
#include "ns3/dml-terminal-text.h"
#include "ns3/dml-utf8.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t NAME_COLUMN = 20;
constexpr std::size_t RATE_COLUMN = 9;
constexpr std::size_t STALE_COLUMN = 6;
constexpr std::size_t UPDATES_COLUMN = 10;

/// @return whether all runs of a scheme reach the target; means of some would flatter it
bool
IsReached(const LearnedScheme& scheme)
{
    return std::all_of(scheme.runs.begin(), scheme.runs.end(), [](const LearnedRun& run) {
        return run.target.has_value();
    });
}

/// @return times to the target, by run; nothing unless all reach it
std::vector<std::optional<double>>
ListTimes(const LearnedScheme& scheme)
{
    const bool reached = IsReached(scheme);
    std::vector<std::optional<double>> times;
    for (const auto& run : scheme.runs)
    {
        times.push_back(reached ? std::optional(run.target->time) : std::nullopt);
    }
    return times;
}

/// @return mean updates to the target; "-" unless all runs reach it
std::string
FormatUpdates(const LearnedScheme& scheme)
{
    double sum = 0;
    for (const auto& run : scheme.runs)
    {
        sum += run.target ? run.target->updates : 0;
    }
    return IsReached(scheme) ? fmt::format("{:.0f}", sum / scheme.runs.size()) : "-";
}

/// @return how much longer a scheme takes to the target than another one, by replication
RelativeDifference
CompareTimes(const LearnedScheme& scheme, const LearnedScheme& first)
{
    if (!IsReached(scheme) || !IsReached(first))
    {
        return {};
    }
    std::vector<std::pair<std::optional<double>, std::optional<double>>> pairs;
    for (const auto& run : scheme.runs)
    {
        for (const auto& other : first.runs)
        {
            if (run.replication == other.replication)
            {
                pairs.emplace_back(run.target->time, other.target->time);
            }
        }
    }
    return EstimateDifference(pairs);
}

std::string
FormatScheme(const LearnedScheme& scheme, const LearnedScheme& first, bool grey)
{
    std::string name = EscapeControls(ShortenText(scheme.name, NAME_COLUMN));
    name.resize(std::max(name.size(), NAME_COLUMN), ' ');
    std::string line =
        name + Right(fmt::format("{:.3g}", scheme.rate), RATE_COLUMN) +
        Right(fmt::format("{:.1f}", scheme.staleness), STALE_COLUMN) +
        Right(FormatUpdates(scheme), UPDATES_COLUMN) +
        Right(FormatInterval(ComputeConfidence(ListTimes(scheme))), INTERVAL_WIDTH) +
        (&scheme == &first ? "" : FormatDifference(CompareTimes(scheme, first), grey));
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

std::string
FormatLearningHead(const LearnedScheme& first)
{
    std::string names = fmt::format("W={}, {}", first.workers, EscapeControls(first.engine));
    names.resize(std::max(names.size(), NAME_COLUMN), ' ');
    const std::string above = std::string(NAME_COLUMN, ' ') + Right("learning", RATE_COLUMN) +
                              Right("stale", STALE_COLUMN) + Right("updates", UPDATES_COLUMN) +
                              Right("seconds", INTERVAL_WIDTH) +
                              Right("time against", DIFFERENCE_WIDTH);
    const std::string below = names + Right("rate", RATE_COLUMN) + Right("by", STALE_COLUMN) +
                              Right("to target", UPDATES_COLUMN) +
                              Right("to target", INTERVAL_WIDTH) +
                              Right("the first, %", DIFFERENCE_WIDTH);
    return above + "\n" + below + "\n" + std::string(above.size(), '-') + "\n";
}

/// @return how many runs never reach the target, or diverge, as lines
std::string
FormatFailures(const std::vector<LearnedScheme>& schemes)
{
    std::string text;
    for (const auto& scheme : schemes)
    {
        double least = std::numeric_limits<double>::infinity();
        std::size_t failed = 0;
        std::size_t diverged = 0;
        for (const auto& run : scheme.runs)
        {
            failed += run.target ? 0 : 1;
            diverged += run.diverges ? 1 : 0;
            least = std::min(least, run.curve.back().loss);
        }
        const std::string name =
            fmt::format("{}, W={}, {}: ", scheme.name, scheme.workers, scheme.engine);
        if (diverged > 0)
        {
            text += WrapRemark(fmt::format("{}{} of {} runs diverge with that learning rate",
                                           name,
                                           diverged,
                                           scheme.runs.size()));
        }
        else if (failed > 0)
        {
            text += WrapRemark(
                fmt::format("{}{} of {} runs end before the target, the best at {:.3g} of the "
                            "first loss; use more steps",
                            name,
                            failed,
                            scheme.runs.size(),
                            least));
        }
    }
    return text;
}

/// What a curve is drawn over.
using LossAxis = double (*)(const LossPoint& point);

/// @return mean loss of a scheme's runs, as far as all go
std::vector<std::vector<double>>
MeanCurve(const LearnedScheme& scheme, LossAxis axis)
{
    constexpr int POINTS = 200;
    double end = std::numeric_limits<double>::infinity();
    for (const auto& run : scheme.runs)
    {
        end = std::min(end, axis(run.curve.back()));
    }
    std::vector<std::vector<double>> rows;
    for (int i = 0; i <= POINTS; ++i)
    {
        const double at = end * i / POINTS;
        double sum = 0;
        for (const auto& run : scheme.runs)
        {
            const auto next = std::upper_bound(
                run.curve.begin(),
                run.curve.end(),
                at,
                [axis](double value, const LossPoint& point) { return value < axis(point); });
            sum += std::prev(next)->loss;
        }
        rows.push_back({at, sum / scheme.runs.size()});
    }
    return rows;
}

} // namespace

std::string
FormatSchemes(const std::vector<LearnedScheme>& schemes, bool grey)
{
    std::map<std::pair<uint32_t, std::string>, std::vector<const LearnedScheme*>> tables;
    for (const auto& scheme : schemes)
    {
        tables[{scheme.workers, scheme.engine}].push_back(&scheme);
    }
    std::string text;
    for (const auto& [key, rows] : tables)
    {
        text += (text.empty() ? "" : "\n") + FormatLearningHead(*rows.front());
        for (const LearnedScheme* scheme : rows)
        {
            text += FormatScheme(*scheme, *rows.front(), grey);
        }
    }
    return text + FormatFailures(schemes);
}

std::string
FormatLearningCsv(const std::vector<LearnedScheme>& schemes)
{
    std::string text = "scheme,workers,engine,replication,rate,updates,samples,time,loss\n";
    for (const auto& scheme : schemes)
    {
        for (const auto& run : scheme.runs)
        {
            for (const auto& point : run.curve)
            {
                text += fmt::format("{},{},{},{},{},{:.9g},{},{:.9f},{:.9g}\n",
                                    WriteCsvName(scheme.name),
                                    scheme.workers,
                                    WriteCsvName(scheme.engine),
                                    run.replication,
                                    scheme.rate,
                                    point.updates,
                                    point.samples,
                                    point.time,
                                    point.loss);
            }
        }
    }
    return text;
}

PlotScript
PlotLearning(const std::vector<LearnedScheme>& schemes, const std::string& title)
{
    constexpr double LINE = 20;
    constexpr std::size_t LONGEST_NAME = 100;
    std::vector<const LearnedScheme*> drawn;
    for (const auto& scheme : schemes)
    {
        const bool same =
            scheme.workers == schemes.front().workers && scheme.engine == schemes.front().engine;
        if (same && drawn.size() < plotcolor::CURVES.size())
        {
            drawn.push_back(&scheme);
        }
    }
    PlotScript plot{"learning"};
    PlotPanels layout(plot, {0, 76, 96 + LINE * (drawn.size() + 1)}, 2, 260);
    plot.commands =
        "set multiplot title " +
        PlotTitle(drawn.size() < schemes.size()
                      ? title + fmt::format(", {} of {} schemes", drawn.size(), schemes.size())
                      : title,
                  plot.width) +
        "\nset ylabel 'Loss / first loss'\nset yrange [0:*<1.5]\nset tics out nomirror\n"
        "set border 3\nset grid ytics lc rgb '#DDDDDD' lw 1\nset lmargin 10\n"
        "set key off\n";
    const std::pair<const char*, LossAxis> panels[]{
        {"Updates of the model", [](const LossPoint& point) { return point.updates; }},
        {"Simulated time (s)", [](const LossPoint& point) { return point.time; }}};
    for (const auto& [label, axis] : panels)
    {
        std::string lines;
        for (std::size_t i = 0; i < drawn.size(); ++i)
        {
            plot.blocks.push_back(
                {drawn[i]->name + ": " + label + ", loss", MeanCurve(*drawn[i], axis)});
            AddPlotLine(lines,
                        fmt::format("$data{} using 1:2 with lines lw 2 lc rgb '{}' title {}",
                                    plot.blocks.size() - 1,
                                    plotcolor::CURVES[i],
                                    QuoteGnuplot(ShortenText(drawn[i]->name, LONGEST_NAME))));
        }
        plot.commands += layout.Place() + "set xlabel " + QuoteGnuplot(label) + "\n";
        if (layout.IsLast())
        {
            plot.commands += fmt::format("set key at screen 0.1, screen {} left top Left reverse "
                                         "spacing 1.2 samplen 2\n",
                                         (LINE * (drawn.size() + 1.5)) / plot.height);
        }
        plot.commands += lines + "\n";
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
