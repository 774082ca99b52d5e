/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_LABELS = 16;  //!< bars wide enough for a number above them
constexpr std::size_t MOST_NUMBERS = 40; //!< workers whose numbers fit below the axis

/// Adds the block of a panel. @return gnuplot commands for its bars
std::string
AddBars(PlotScript& plot, const std::string& engine, const SyncSummary& sync, bool labels)
{
    PlotBlock block{engine + ": worker, own work in a step (s), waiting (s), waiting / step", {}};
    for (std::size_t worker = 0; worker < sync.workers.size(); ++worker)
    {
        const WorkerSync& steps = sync.workers[worker];
        const double waiting = steps.GetMeanWaiting();
        if (std::isfinite(waiting))
        {
            const double step = steps.knownSeconds / steps.known;
            block.rows.push_back(
                {double(worker), std::max(0.0, step - waiting), waiting, steps.GetWaitingShare()});
        }
    }
    if (block.rows.empty())
    {
        return "plot NaN notitle\n"; // gnuplot complains about a bar chart without a bar
    }
    std::string lines;
    const auto add = [&](const char* columns, const std::string& style) {
        AddPlotLine(lines,
                    fmt::format("$data{} using {} with {}", plot.blocks.size(), columns, style));
    };
    const std::string boxes = "boxes fs solid border lc rgb 'white' fc rgb '";
    add("1:($2 + $3)", boxes + plotcolor::ORANGE + "' title 'waiting for others'");
    add("1:2", boxes + plotcolor::BLUE + "' title 'own work'");
    if (labels)
    {
        add("1:($2 + $3):(sprintf('%.0f %%', 100 * $4))", "labels offset 0,0.6 font ',12' notitle");
    }
    plot.blocks.push_back(block);
    return lines + "\n";
}

} // namespace

PlotScript
PlotWaiting(const CaseSummary& item, const std::string& study, const std::string& name)
{
    std::map<EngineKind, SyncSummary> engines;
    for (const auto& [kind, engine] : item.engines)
    {
        engines[kind] = engine.GetSync();
    }
    const std::string variant = item.GetVariantName();
    const std::string title = study + ", " + (variant.empty() ? "" : variant + ", ") +
                              "W = " + std::to_string(item.workers);
    double longest = 0;
    std::size_t workers = 1;
    for (const auto& [kind, sync] : engines)
    {
        workers = std::max(workers, sync.workers.size());
        for (const auto& worker : sync.workers)
        {
            longest =
                std::max(longest, worker.known > 0 ? worker.knownSeconds / worker.known : 0.0);
        }
    }
    PlotScript plot{name};
    plot.commands = "set multiplot title " + PlotTitle(title, plot.width) +
                    "\nset xrange [-0.6:" + PlotNumber(workers - 0.4) +
                    "]\nset yrange [0:" + PlotNumber(longest > 0 ? 1.15 * longest : 1) +
                    "]\nset tics nomirror out front\nset border 3\nset boxwidth 0.8\n"
                    "set grid ytics lc rgb '#DDDDDD' lw 1\nset ylabel 'Mean step (s)'\n"
                    "set lmargin 12\nset rmargin 4\nset format x ''\nset xtics " +
                    std::string(workers <= MOST_NUMBERS ? "0,1" : "autofreq") + "\nunset key\n";
    PlotPanels panels(plot, {36, 46, 118}, engines.size(), 240);
    for (const auto& [kind, sync] : engines)
    {
        plot.commands += panels.Place(GetEngineName(kind), "-0.4");
        if (panels.IsLast())
        {
            plot.commands += "set format x '%g'\nset xlabel 'Worker'\n"
                             "set key at screen 0.54, screen " +
                             PlotNumber(34.0 / plot.height) +
                             " center top maxrows 1 Left reverse samplen 2 width 2 font ',14'\n";
        }
        plot.commands += AddBars(plot, GetEngineName(kind), sync, workers <= MOST_LABELS);
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
