/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>

namespace ns3::dml
{

namespace
{

constexpr double STEP_CDF_KEY_PIXELS = 20; //!< of a line of the key

constexpr std::size_t MOST_CURVES = plotcolor::CURVES.size();

/// One line of a panel.
struct Curve
{
    std::string name;  //!< in the legend
    uint32_t workers;  //!< workers that share the shortest step
    Distribution step; //!< s
};

/// @return the cases that are drawn
std::vector<const CaseSummary*>
ChooseCases(const RunSummary& summary)
{
    std::map<std::string, const CaseSummary*> largest;
    for (const auto& item : summary.cases)
    {
        const CaseSummary*& best = largest[item.GetVariantName()];
        best = best && best->workers >= item.workers ? best : &item;
    }
    std::vector<const CaseSummary*> chosen;
    for (const auto& item : summary.cases)
    {
        if (largest.size() == 1 || largest[item.GetVariantName()] == &item)
        {
            chosen.push_back(&item);
        }
    }
    return chosen;
}

/// @return a panel's curves, those without a step left out
std::vector<Curve>
GetCurves(const std::vector<const CaseSummary*>& cases, EngineKind kind)
{
    std::vector<Curve> curves;
    for (const auto* item : cases)
    {
        if (const EngineSummary* engine = item->FindEngine(kind))
        {
            Curve curve{item->GetVariantName(), item->workers, engine->GetSchedule().step};
            curve.name += curve.name.empty() ? "W=" + std::to_string(item->workers) : "";
            if (curve.step.count > 0 && curve.step.min > 0)
            {
                curves.push_back(curve);
            }
        }
    }
    return curves;
}

/// @return points of a curve: normalised step time, part of the steps that are no better
std::vector<std::vector<double>>
GetPoints(const Distribution& step, double shortest)
{
    auto values = step.GetValues();
    std::reverse(values.begin(), values.end());
    std::vector<std::vector<double>> points{{shortest / values.front().first, 0}};
    uint64_t seen = 0;
    for (const auto& [value, number] : values)
    {
        seen += number;
        points.push_back({shortest / value, static_cast<double>(seen) / step.count});
    }
    points.push_back({1.02, 1});
    return points;
}

} // namespace

PlotScript
PlotStepCdf(const RunSummary& summary, const std::string& name)
{
    auto cases = ChooseCases(summary);
    std::string title = summary.name;
    if (cases.size() > MOST_CURVES)
    {
        const std::size_t all = cases.size();
        title += fmt::format(", {} of {} curves", MOST_CURVES, all);
        for (std::size_t i = 0; i < MOST_CURVES; ++i)
        {
            cases[i] = cases[i * (all - 1) / (MOST_CURVES - 1)]; // spread over all
        }
        cases.resize(MOST_CURVES);
    }
    std::vector<std::pair<std::string, std::vector<Curve>>> panels;
    for (const auto& engine : GetEngines())
    {
        auto curves = GetCurves(cases, engine.kind);
        if (!curves.empty())
        {
            panels.emplace_back(engine.name, std::move(curves));
        }
    }
    PlotScript plot{name};
    const std::size_t count = std::max<std::size_t>(1, panels.size());
    const double key = STEP_CDF_KEY_PIXELS * (cases.size() + 1);
    PlotPanels layout(plot, {36, 46, 84 + key}, count, 260);
    std::string plots;
    double least = 0.9;
    for (const auto& [engine, curves] : panels)
    {
        std::map<uint32_t, double> shortest;
        for (const auto& curve : curves)
        {
            const auto at = shortest.emplace(curve.workers, curve.step.min).first;
            at->second = std::min(at->second, curve.step.min);
        }
        plots += layout.Place(engine);
        plots += layout.IsLast()
                     ? "set format x '%g'\nset xlabel 'Normalised step time (shortest / step)'\n"
                       "set key at screen 0.54, screen " +
                           PlotNumber((key - 8) / plot.height) +
                           " center top maxcols 1 Left reverse samplen 2 font ',13'\n"
                     : "unset key\n";
        std::string lines;
        for (std::size_t i = 0; i < curves.size(); ++i)
        {
            const auto points = GetPoints(curves[i].step, shortest[curves[i].workers]);
            least = std::min(least, points.front().front());
            AddPlotLine(lines,
                        fmt::format("$data{} using 1:2 with steps lw 2 lc rgb '{}' title {}",
                                    plot.blocks.size(),
                                    plotcolor::CURVES[i],
                                    QuoteGnuplot(curves[i].name)));
            plot.blocks.push_back(
                {engine + ", " + curves[i].name + ": shortest step / step, part of the steps below",
                 points});
        }
        plots += lines + "\n";
    }
    plot.commands = "set multiplot title " + PlotTitle(title, plot.width) + "\nset xrange [" +
                    PlotNumber(std::floor(least * 10) / 10) +
                    ":1.02]\nset yrange [0:1.03]\nset tics nomirror out\nset border 3\n"
                    "set grid lc rgb '#DDDDDD' lw 1\nset ylabel 'Part of the steps'\n"
                    "set lmargin 9\nset rmargin 4\nset format x ''\n" +
                    (plots.empty() ? "plot NaN notitle\n" : plots) + "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
