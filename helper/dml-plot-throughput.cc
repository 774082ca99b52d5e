/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-throughput.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace dml
{

namespace
{

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

/// One number of workers.
struct Point
{
    std::string job;           //!< model and batch
    double workers{0};         //!< W
    uint32_t servers{1};       //!< number of parameter servers
    Confidence fairShare;      //!< samples/s
    Confidence packet;         //!< samples/s
    double cynthia{NONE};      //!< samples/s
    double lin{NONE};          //!< samples/s
};

/// @param summary results; @param variant name; @return the points of the variant by W
std::vector<Point>
GetPoints(const RunSummary& summary, const std::string& variant)
{
    std::vector<Point> points;
    for (const auto& item : summary.cases)
    {
        if (item.GetVariantName() != variant)
        {
            continue;
        }
        Point point;
        point.job = item.model + ", batch " + std::to_string(item.batch);
        point.workers = item.workers;
        point.servers = item.parameterServers;
        point.fairShare = item.fairShare ? item.fairShare->GetThroughput() : Confidence();
        point.packet = item.packet ? item.packet->GetThroughput() : Confidence();
        point.cynthia = item.cynthia.value_or(NONE);
        point.lin = item.lin.value_or(NONE);
        points.push_back(point);
    }
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
        return a.workers < b.workers;
    });
    return points;
}

/// @param points all points; @return the highest value that must be visible, samples/s
double
GetTop(const std::vector<Point>& points)
{
    double top = 0;
    for (const auto& point : points)
    {
        for (const auto* engine : {&point.fairShare, &point.packet})
        {
            top = std::max(top, engine->mean.value_or(0));
        }
        top = std::max({top,
                        std::isfinite(point.cynthia) ? point.cynthia : 0.0,
                        std::isfinite(point.lin) ? point.lin : 0.0});
    }
    return top > 0 ? top : 1;
}

} // namespace

PlotScript
PlotThroughput(const RunSummary& summary, const std::string& variant, const std::string& name)
{
    const std::vector<Point> points = GetPoints(summary, variant);
    PlotScript plot;
    plot.name = name;
    plot.blocks = {{"fair-share: W, mean, half-width (samples/s)", {}},
                   {"packet: W, mean, half-width (samples/s)", {}},
                   {"baselines: W, Cynthia, Lin et al., ideal (samples/s)", {}}};
    double perWorker = NONE;
    std::string tics;
    double last = 1;
    double first = 1;
    for (const auto& point : points)
    {
        if (!std::isfinite(perWorker))
        {
            const auto& base = point.fairShare.mean ? point.fairShare.mean : point.packet.mean;
            perWorker = base.value_or(NONE) / point.workers;
            first = point.workers;
        }
        const auto add = [&](size_t block, const Confidence& value) {
            plot.blocks[block].rows.push_back(
                {point.workers, value.mean.value_or(NONE), value.halfWidth.value_or(NONE)});
        };
        add(0, point.fairShare);
        add(1, point.packet);
        plot.blocks[2].rows.push_back(
            {point.workers, point.cynthia, point.lin, perWorker * point.workers});
        tics += (tics.empty() ? "" : ",") + PlotNumber(point.workers);
        last = std::max(last, point.workers);
    }
    const bool wide = last >= 32; // evenly spaced, the small W would be squeezed together
    std::string title = summary.name;
    if (!points.empty())
    {
        title += ": " + points.front().job + ", " + std::to_string(points.front().servers) + " PS";
    }
    title += variant.empty() ? "" : ", " + variant;
    const std::string range = wide ? "[" + PlotNumber(first / 1.2) + ":" + PlotNumber(last * 1.2)
                                   : "[0:" + PlotNumber(last * 1.06);
    plot.commands += "set title " + QuoteGnuplot(title) + "\n";
    plot.commands += "set xlabel 'Workers W'\nset ylabel 'Training throughput (samples/s)'\n";
    plot.commands += wide ? "set logscale x 2\n" : "";
    plot.commands +=
        "set xrange " + range + "]\nset yrange [0:" + PlotNumber(GetTop(points) * 1.15) + "]\n";
    plot.commands += "set xtics (" + tics + ") nomirror\nset ytics nomirror\n"
                     "set tics out\nset border 3\nset grid ytics lc rgb '#DDDDDD' lw 1\n"
                     "set key outside right center Left reverse spacing 1.6 samplen 3\n"
                     "set bars 1.2\n";
    // gnuplot complains about a line without a single point: leave it out.
    std::string lines;
    const auto add = [&](size_t block,
                         size_t column,
                         const std::string& columns,
                         const std::string& style) {
        const auto& rows = plot.blocks[block].rows;
        if (std::any_of(rows.begin(), rows.end(), [column](const std::vector<double>& row) {
                return std::isfinite(row[column - 1]);
            }))
        {
            lines += (lines.empty() ? "" : ", \\\n     ") + std::string("DATA index ") +
                     std::to_string(block) + " using " + columns + " with " + style;
        }
    };
    const auto color = [](const char* name) { return std::string(" lc rgb '") + name + "' "; };
    add(2, 4, "1:4", "lines lw 3 lc rgb '#C8C8C8' title 'ideal'");
    add(2,
        2,
        "1:2",
        "linespoints lw 1.5 ps 0.8 pt 8 dt (8,4)" + color(plotcolor::PURPLE) + "title 'Cynthia'");
    add(2,
        3,
        "1:3",
        "linespoints lw 1.5 ps 0.8 pt 12 dt (3,3)" + color(plotcolor::GREEN) +
            "title 'Lin et al.'");
    const auto addEngine = [&](size_t block, int mark, const char* name, const std::string& title) {
        // Mark 0 is a dot; size 0 would be a matrix that SVG viewers refuse.
        add(block, 3, "1:2:3", "yerrorbars pt 0 lw 2" + color(name) + "notitle");
        add(block,
            2,
            "1:2",
            "linespoints lw 2.5 ps 0.9 pt " + std::to_string(mark) + color(name) + "title '" +
                title + "'");
    };
    addEngine(0, 7, plotcolor::BLUE, "fair-share, 95 % CI");
    addEngine(1, 4, plotcolor::VERMILION, "packet, 95 % CI");
    plot.commands += "plot " + (lines.empty() ? "NaN notitle" : lines) + "\n";
    return plot;
}

} // namespace dml
} // namespace ns3
