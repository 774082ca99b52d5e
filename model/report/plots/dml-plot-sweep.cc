/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-summary.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-utf8.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace ns3::dml
{

namespace
{

constexpr std::array CURVE_COLORS{plotcolor::BLUE,
                                  plotcolor::VERMILION,
                                  plotcolor::GREEN,
                                  plotcolor::PURPLE,
                                  plotcolor::SKY,
                                  plotcolor::ORANGE,
                                  plotcolor::BLACK,
                                  plotcolor::GREY};
constexpr std::array CURVE_MARKS{7, 5, 9, 13, 11, 6, 4, 8};
constexpr std::size_t LONGEST_TIC = 14;   //!< characters
constexpr std::size_t LONGEST_NAME = 100; //!< of a curve, characters
constexpr uint32_t LINE_HEIGHT = 20;      //!< of a curve's name, pixels
constexpr double NO_VALUE = std::numeric_limits<double>::quiet_NaN();

/// Values of each key, in the order in which they come.
using KeyValues = std::vector<std::pair<std::string, std::vector<std::string>>>;

/// @return where @p text is in @p list, to which it is added if need be
std::size_t
FindOrAdd(std::vector<std::string>& list, const std::string& text)
{
    const auto found = std::find(list.begin(), list.end(), text);
    return found == list.end() ? (list.push_back(text), list.size() - 1) : found - list.begin();
}

KeyValues
ListValues(const SweepSummary& sweep)
{
    KeyValues keys;
    for (const auto& variant : sweep.variants)
    {
        for (const auto& [key, value] : variant.values)
        {
            auto known = std::find_if(keys.begin(), keys.end(), [&key = key](const auto& other) {
                return other.first == key;
            });
            known = known == keys.end() ? keys.insert(known, {key, {}}) : known;
            FindOrAdd(known->second, value);
        }
    }
    return keys;
}

/// One curve: what its points have in common, and their values.
struct SweepCurve
{
    std::string name;                                  //!< for the key of the plot
    uint32_t workers;                                  //!< of all points
    std::vector<std::pair<double, Confidence>> points; //!< place on the axis, samples/s
};

/// @param variant one of a sweep @param key of the axis @return its value of that, and its other
/// values by name
std::pair<std::string, std::string>
SplitVariant(const SweptVariant& variant, const std::string& key)
{
    std::string value = "-";
    auto others = variant.values;
    const auto own = std::find_if(others.begin(), others.end(), [&key](const auto& entry) {
        return entry.first == key;
    });
    if (own != others.end())
    {
        value = own->second;
        others.erase(own);
    }
    return {value, NameVariant(others)};
}

/// @param tics gets the values of @p key @return all curves, those of most workers first
std::vector<SweepCurve>
ListCurves(const SweepSummary& sweep, const std::string& key, std::vector<std::string>& tics)
{
    std::vector<SweepCurve> curves;
    for (auto workers = sweep.workers.rbegin(); workers != sweep.workers.rend(); ++workers)
    {
        for (const auto& variant : sweep.variants)
        {
            const auto throughput = variant.throughputs.find(*workers);
            if (throughput == variant.throughputs.end() || !throughput->second.mean)
            {
                continue;
            }
            const auto [value, others] = SplitVariant(variant, key);
            const std::string name =
                "W=" + std::to_string(*workers) + (others.empty() ? "" : ", " + others);
            auto curve =
                std::find_if(curves.begin(), curves.end(), [&name](const SweepCurve& other) {
                    return other.name == name;
                });
            curve = curve == curves.end() ? curves.insert(curve, {name, *workers, {}}) : curve;
            curve->points.emplace_back(FindOrAdd(tics, value), throughput->second);
        }
    }
    return curves;
}

/// @return commands for the axis of a key's values, which are spaced evenly
std::string
DrawAxis(const std::string& key, const std::vector<std::string>& tics)
{
    std::string labels;
    for (std::size_t i = 0; i < tics.size(); ++i)
    {
        labels += (i > 0 ? ", " : "") + QuoteGnuplotTic(ShortenText(tics[i], LONGEST_TIC)) + " " +
                  std::to_string(i);
    }
    return "set xlabel " + QuoteGnuplot(key) + "\nset xtics (" + labels + ") nomirror" +
           (tics.size() > 6 ? " rotate by -30" : "") +
           fmt::format("\nset xrange [-0.5:{}]\n", tics.size() - 0.5);
}

} // namespace

PlotScript
PlotSweep(const SweepSummary& sweep, const std::string& study)
{
    const KeyValues keys = ListValues(sweep);
    const auto axis = std::max_element(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    });
    std::vector<std::string> tics = axis->second;
    auto curves = ListCurves(sweep, axis->first, tics);
    const std::size_t all = curves.size();
    curves.resize(std::min(all, CURVE_COLORS.size()));
    PlotScript plot{"sweep"};
    plot.height += LINE_HEIGHT * curves.size();
    std::string lines;
    bool anyRange = false;
    bool anyInterval = false;
    for (std::size_t i = 0; i < curves.size(); ++i)
    {
        const SweepCurve& curve = curves[i];
        plot.blocks.push_back(
            {curve.name + ": value of " + axis->first + ", mean, bar from, to (samples/s)", {}});
        // curves stand side by side, or their bars would hide each other; these are arrows with
        // blunt heads, as gnuplot's error bars have a hole for the point
        const double aside = 0.04 * (i - (curves.size() - 1) / 2.0);
        for (const auto& [place, throughput] : curve.points)
        {
            const auto bounds = throughput.GetBounds();
            anyRange = anyRange || throughput.IsRange();
            anyInterval = anyInterval || throughput.halfWidth;
            plot.blocks.back().rows.push_back({place + aside,
                                               *throughput.mean,
                                               bounds ? bounds->first : NO_VALUE,
                                               bounds ? bounds->second : NO_VALUE});
        }
        AddPlotLine(lines,
                    fmt::format("$data{} using 1:2 with linespoints lw 2.5 ps 0.9 lc rgb "
                                "'{}' pt {} title {}",
                                i,
                                CURVE_COLORS[i],
                                CURVE_MARKS[i],
                                QuoteGnuplot(ShortenText(curve.name, LONGEST_NAME))));
        const auto& rows = plot.blocks.back().rows;
        if (std::any_of(rows.begin(), rows.end(), [](const auto& row) {
                return std::isfinite(row[2]);
            }))
        {
            AddPlotLine(lines,
                        fmt::format("$data{} using 1:3:(0):($4-$3) with vectors heads "
                                    "size screen 0.006,90 fixed lw 1.5 lc rgb '{}' notitle",
                                    i,
                                    CURVE_COLORS[i]));
        }
    }
    const std::string title =
        study + ", " + GetEngineName(sweep.engine) + (anyInterval ? ", 95 % intervals" : "") +
        (!anyRange      ? ""
         : !anyInterval ? ", least to greatest of few runs"
                        : " (of few runs: least to greatest)") +
        (curves.size() < all ? fmt::format(", {} of {} curves", curves.size(), all) : "");
    plot.commands = "set tmargin 3\nset label 1 " +
                    PlotTitle(title, plot.width, " at screen 0.5, screen 0.95 center") + "\n" +
                    DrawAxis(axis->first, tics) +
                    "set ylabel 'Training throughput (samples/s)'\nset yrange [0:*]\n"
                    "set ytics nomirror\nset tics out\nset border 3\n"
                    "set grid ytics lc rgb '#DDDDDD' lw 1\n"
                    "set key outside below left maxcols 1 Left reverse spacing 1.2 samplen 2 font "
                    "',12'\n" +
                    (lines.empty() ? "plot NaN notitle" : lines) + "\n";
    return plot;
}

} // namespace ns3::dml
