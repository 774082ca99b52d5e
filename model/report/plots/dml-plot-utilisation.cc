/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-run.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>

namespace ns3::dml
{

namespace
{

constexpr size_t MAX_LINK_BINS = 200; //!< in a panel
constexpr double PANEL_HEIGHT = 210;  //!< pixels, if the legend needs no more
constexpr double KEY_HEIGHT = 29;     //!< pixels of a line of the legend

/// Lines of servers 0, 1, ..; then they repeat.
constexpr const char* DOWN_COLORS[] = {plotcolor::BLUE, plotcolor::SKY, plotcolor::GREEN};
/// Lines of servers 0, 1, ..; then they repeat.
constexpr const char* UP_COLORS[] = {plotcolor::VERMILION, plotcolor::ORANGE, plotcolor::PURPLE};

/// @param bins values; @param factor of neighbours to merge; @return their means
std::vector<double>
Merge(const std::vector<double>& bins, size_t factor)
{
    std::vector<double> result;
    for (size_t i = 0; i < bins.size(); i += factor)
    {
        const size_t end = std::min(i + factor, bins.size());
        result.push_back(std::accumulate(bins.begin() + i, bins.begin() + end, 0.0) / (end - i));
    }
    return result;
}

/// @param run a panel; @return number of bins of its longest line
size_t
GetBins(const UtilisationSeries& run)
{
    size_t bins = 0;
    for (const auto* lines : {&run.downlink, &run.uplink})
    {
        for (const auto& line : *lines)
        {
            bins = std::max(bins, line.size());
        }
    }
    return bins;
}

/// @param from time; @param to time; @return commands that shade the stretch
std::string
Shade(double from, double to)
{
    return fmt::format("set object rectangle from {}, graph 0 to {}, graph 1 behind fs solid "
                       "noborder fc rgb '{}'\n",
                       PlotNumber(from),
                       PlotNumber(to),
                       plotcolor::PALE);
}

/// @param run a panel; @param plot gets its numbers; @return what gnuplot has to draw of them
std::string
AddLines(const UtilisationSeries& run, PlotScript& plot)
{
    const size_t bins = GetBins(run);
    const size_t factor = std::max<size_t>(1, (bins + MAX_LINK_BINS - 1) / MAX_LINK_BINS);
    const bool many = run.downlink.size() > 1;
    std::string lines;
    for (size_t server = 0; server < run.downlink.size(); ++server)
    {
        for (const bool down : {true, false})
        {
            const auto values = Merge(down ? run.downlink[server] : run.uplink[server], factor);
            const std::string label = std::string(down ? "downlink" : "uplink") +
                                      (many ? " PS " + std::to_string(server) : "");
            if (values.empty())
            {
                continue; // gnuplot complains about a line without a single point
            }
            const double scale = down ? 100 : -100; // uplinks hang below the axis
            PlotBlock block{run.engine + ", " + label + ": start of the bin (s), utilisation (%)",
                            {}};
            for (size_t i = 0; i < values.size(); ++i)
            {
                block.rows.push_back({i * factor * run.binWidth, scale * values[i]});
            }
            block.rows.push_back({bins * run.binWidth, scale * values.back()});
            AddPlotLine(lines,
                        fmt::format("$data{} using 1:2 with {} lc rgb '{}' {} title '{}'",
                                    plot.blocks.size(),
                                    many ? fmt::format("steps lw 1.6 dt {}", 1 + server / 3 % 5)
                                         : "fillsteps",
                                    (down ? DOWN_COLORS : UP_COLORS)[server % 3],
                                    many ? "" : "fs solid",
                                    label));
            plot.blocks.push_back(block);
        }
    }
    return lines;
}

} // namespace

UtilisationSeries
UtilisationSeries::From(const std::string& engine,
                        const LinkMeter& meter,
                        const Throughput& throughput)
{
    UtilisationSeries series;
    series.engine = engine;
    series.binWidth = meter.GetBinWidth();
    series.t0 = throughput.t0;
    series.t1 = throughput.t1;
    for (uint32_t server = 0; server < meter.GetServers(); ++server)
    {
        series.downlink.push_back(meter.GetUtilisation(Direction::DOWNLINK, server));
        series.uplink.push_back(meter.GetUtilisation(Direction::UPLINK, server));
    }
    return series;
}

PlotScript
PlotUtilisation(const std::string& title,
                const std::vector<UtilisationSeries>& series,
                const std::string& name)
{
    PlotScript plot{name, 1000};
    size_t servers = 1;
    double end = 0;
    for (const auto& run : series)
    {
        servers = std::max(servers, run.downlink.size());
        end = std::max(end, GetBins(run) * run.binWidth);
    }
    end = end > 0 ? end : 1;
    const double panel = std::max(PANEL_HEIGHT, KEY_HEIGHT * (2 * servers + 2));
    PlotPanels panels(plot, {36, 50, 84}, series.size(), panel);
    plot.commands += "set multiplot title " + PlotTitle(title, plot.width) + "\n";
    plot.commands +=
        "set xrange [0:" + PlotNumber(end) +
        "]\nset yrange [-105:105]\n"
        "set ytics ('100' -100, '50' -50, '0' 0, '50' 50, '100' 100) nomirror\n"
        "set xtics nomirror\nset xzeroaxis lt 1 lw 1 lc rgb 'black'\n"
        "set border 3\nset grid ytics lc rgb '#DDDDDD' lw 1\nset tics front out\n"
        "set ylabel \"PS link utilisation (%)\\nup             down\"\n"
        "set lmargin 9\nset rmargin 20\n"
        "set key outside right center Left reverse spacing 1.15 samplen 2 font ',14'\n";
    for (const auto& run : series)
    {
        std::string lines = AddLines(run, plot);
        plot.commands += panels.Place(run.engine);
        plot.commands +=
            panels.IsLast() ? "set format x '%g'\nset xlabel 'Time (s)'\n" : "set format x ''\n";
        if (run.t1 > run.t0)
        {
            plot.commands += Shade(0, run.t0) + Shade(run.t1, end);
            AddPlotLine(
                lines,
                fmt::format("NaN with boxes lc rgb '{}' fs solid noborder title 'not measured'",
                            plotcolor::PALE));
        }
        plot.commands += (lines.empty() ? "plot NaN notitle" : lines) + "\nunset object\n";
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
