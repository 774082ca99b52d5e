/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-run.h"

#include "ns3/dml-channel-label.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr PanelFrame GRADIENTS_FRAME{72, 40, 84}; //!< below the title is the legend
constexpr const char* WAIT_COLOR = "#F7E2B4";     //!< a pale orange

/// Adds the block of a panel. @return gnuplot commands for its bars
std::string
AddPanel(PlotScript& plot, const GradientSeries& run)
{
    std::vector<TransferRecord> pushes = run.pushes;
    std::sort(pushes.begin(), pushes.end(), [](const auto& a, const auto& b) {
        return a.tensor < b.tensor;
    });
    PlotBlock block{run.engine + ": gradient, ready, first byte, last byte (s)", {}};
    for (const auto& push : pushes)
    {
        block.rows.push_back({double(block.rows.size()),
                              push.ready - run.start,
                              push.firstByte - run.start,
                              push.lastByte - run.start});
    }
    if (block.rows.empty())
    {
        return "plot NaN notitle\n";
    }
    std::string lines;
    const auto add = [&](const char* columns, const char* style, const char* color) {
        AddPlotLine(lines,
                    fmt::format("$data{} using {} with {} lc rgb '{}' notitle",
                                plot.blocks.size(),
                                columns,
                                style,
                                color));
    };
    add("2:1:2:3:($1-0.5):($1+0.5)", "boxxyerror fs solid noborder", WAIT_COLOR);
    add("3:1:3:4:($1-0.5):($1+0.5)", "boxxyerror fs solid noborder", plotcolor::BLUE);
    add("3:1", "points pt 7 ps 0.3", plotcolor::BLUE); // a short transfer's bar is too narrow
    add("2:1", "points pt 7 ps 0.35", plotcolor::BLACK);
    plot.blocks.push_back(block);
    return lines + "\n";
}

/// Commands that draw the legend above the panels.
std::string
GetLegend(double height)
{
    return "set tmargin at screen 1\nset bmargin at screen " +
           PlotNumber(1 - GRADIENTS_FRAME.title / height) + "\nset key at screen 0.5, screen " +
           PlotNumber(1 - 50 / height) +
           " center maxrows 1 samplen 1.6 width 1 Left reverse\nset yrange [0:1]\nunset "
           "border\nunset tics\n"
           "plot NaN with points pt 7 ps 0.7 lc rgb '" +
           plotcolor::BLACK + "' title 'ready', NaN with boxes fs solid noborder lc rgb '" +
           WAIT_COLOR + "' title 'waits', NaN with boxes fs solid noborder lc rgb '" +
           plotcolor::BLUE + "' title 'is transferred'\nset border 3\nset tics\nunset key\n";
}

} // namespace

GradientCollector::GradientCollector(const std::string& engine, uint32_t step)
{
    m_series.engine = engine;
    m_series.step = step;
}

void
GradientCollector::On(const TransferRecord& record)
{
    if (GetWorker(record.channel) == 0 && record.step == m_series.step &&
        GetDirection(record.channel) == Direction::UPLINK && record.ready != UNKNOWN_TIME)
    {
        m_series.pushes.push_back(record);
    }
}

void
GradientCollector::On(const StepRecord& record)
{
    if (record.worker == 0 && record.step == m_series.step)
    {
        m_series.start = record.start;
    }
}

PlotScript
PlotGradients(const std::string& title,
              const std::vector<GradientSeries>& series,
              const std::string& name)
{
    double first = 0;
    double last = 0;
    std::size_t most = 1;
    for (const auto& run : series)
    {
        most = std::max(most, run.pushes.size());
        for (const auto& push : run.pushes)
        {
            first = last > 0 ? std::min(first, push.ready - run.start) : push.ready - run.start;
            last = std::max(last, push.lastByte - run.start);
        }
    }
    if (!(last > first))
    {
        last = first + 1;
    }
    const double margin = 0.02 * (last - first);
    PlotScript plot{name, 1000};
    PlotPanels panels(plot, GRADIENTS_FRAME, series.size(), 300);
    plot.commands =
        "set multiplot\nset label 1 " +
        PlotTitle(title,
                  plot.width,
                  " at screen 0.5, screen " + PlotNumber(1 - 20.0 / plot.height) + " center") +
        "\nset lmargin at screen 0.09\nset rmargin at screen 0.97\n"
        "set xrange [" +
        PlotNumber(first - margin) + ":" + PlotNumber(last + margin) + "]\n" +
        GetLegend(plot.height) +
        "unset label 1\nset tics nomirror out\n"
        "set grid xtics lc rgb '#E4E4E4' lw 1\nset format x ''\n"
        "set ylabel 'Gradient (0: first layer)'\nset yrange [-1:" +
        std::to_string(most) + "]\n";
    for (const auto& run : series)
    {
        plot.commands +=
            panels.Place(fmt::format("{}: gradients of worker 0, step {}", run.engine, run.step),
                         "-0.7");
        if (panels.IsLast())
        {
            plot.commands +=
                "set format x '%g'\nset xlabel 'Time since worker 0 started the step (s)'\n";
        }
        plot.commands += AddPanel(plot, run);
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
