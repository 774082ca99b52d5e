/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-run.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_POINTS = 2000; //!< of a worker

/// @param firstBlock of a run; it and all that follow have a worker each
/// @return gnuplot commands for column @p column
std::string
PlotColumn(const PlotScript& plot, std::size_t firstBlock, int column)
{
    std::string lines;
    for (std::size_t block = firstBlock; block < plot.blocks.size(); ++block)
    {
        // one worker's lines have the same colour in all panels
        const auto worker = static_cast<std::size_t>(plot.blocks[block].rows.front().front());
        AddPlotLine(lines,
                    fmt::format("$data{} using 2:{} with {} lw 2 lc rgb '{}' title 'worker "
                                "{}'",
                                block,
                                column,
                                column == 3 ? "steps" : "lines",
                                plotcolor::CURVES[worker],
                                worker));
    }
    return (lines.empty() ? "plot [0:1] [0:1] NaN notitle" : lines) + "\n";
}

} // namespace

BatchCollector::BatchCollector(const std::string& engine, uint32_t workers)
{
    m_series.engine = engine;
    m_series.workers.resize(workers);
}

void
BatchCollector::On(const StepRecord& record)
{
    if (record.batch == 0)
    {
        return; // the profile's, as all others
    }
    m_batch = m_batch == 0 ? record.batch : m_batch;
    m_varies = m_varies || record.batch != m_batch;
    if (record.step % m_stride != 0)
    {
        return;
    }
    auto& points = m_series.workers.at(record.worker);
    const double done = record.done == UNKNOWN_TIME ? record.end : record.done;
    points.push_back({record.step, record.batch, done - record.start});
    if (points.size() > MOST_POINTS)
    {
        m_stride *= 2;
        for (auto& worker : m_series.workers)
        {
            worker.erase(std::remove_if(worker.begin(),
                                        worker.end(),
                                        [this](const BatchPoint& point) {
                                            return point.step % m_stride != 0;
                                        }),
                         worker.end());
        }
    }
}

PlotScript
PlotBatches(const std::string& title,
            const std::vector<BatchSeries>& series,
            const std::string& name)
{
    constexpr std::size_t MOST_WORKERS = plotcolor::CURVES.size();
    std::size_t workers = 0;
    for (const auto& run : series)
    {
        workers = std::max(workers, run.workers.size());
    }
    const std::string note = workers > MOST_WORKERS
                                 ? fmt::format(", first {} of {} workers", MOST_WORKERS, workers)
                                 : "";
    PlotScript plot{name, 1000};
    plot.commands = "set multiplot title " + PlotTitle(title + note, plot.width) +
                    "\nset yrange [0:*]\nset offsets 0, 0, graph 0.08, 0\n"
                    "set tics nomirror out\nset border 3\nset grid lc rgb '#DDDDDD' lw 1\n"
                    "set lmargin 10\nset rmargin 4\nset format x ''\nunset key\n";
    PlotPanels panels(plot, {36, 46, 130}, 2 * series.size(), 200);
    for (const auto& run : series)
    {
        const std::size_t first = plot.blocks.size();
        for (std::size_t worker = 0; worker < std::min(MOST_WORKERS, run.workers.size()); ++worker)
        {
            PlotBlock block{run.engine + ": worker, step, samples, processing time (s)", {}};
            for (const auto& point : run.workers[worker])
            {
                block.rows.push_back(
                    {double(worker), double(point.step), double(point.batch), point.seconds});
            }
            if (!block.rows.empty()) // gnuplot complains about a line without a single point
            {
                plot.blocks.push_back(block);
            }
        }
        plot.commands += panels.Place(run.engine + ": batch size") + "set ylabel 'Samples'\n" +
                         PlotColumn(plot, first, 3);
        plot.commands +=
            panels.Place(run.engine + ": batch processing time") + "set ylabel 'Time (s)'\n";
        if (panels.IsLast())
        {
            plot.commands +=
                "set format x '%g'\nset xlabel 'Step'\nset key at screen 0.53, screen " +
                PlotNumber(46.0 / plot.height) +
                " center top maxrows 2 Left reverse samplen 2 width 1 font ',14'\n";
        }
        plot.commands += PlotColumn(plot, first, 4);
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
