/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-run.h"

#include "ns3/dml-channel-label.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr PanelFrame TIMELINE_FRAME{86, 40, 88};  //!< below the title is the legend
constexpr double TIMELINE_ROW_PIXELS = 30;        //!< a row of a resource
constexpr double TIMELINE_MAX_STEPS_PIXELS = 200; //!< height of the panel of all workers' steps
constexpr double PANEL_WIDTH = 830;               //!< pixels between the margins set below
constexpr double FILL = 0.40;                     //!< half of a bar's height, in rows

/// What a bar stands for: one colour and one line of the legend each.
enum Category : size_t
{
    DOWN,
    PARSE,
    FORWARD_OP,
    BACKWARD_OP,
    OTHER_OP,
    UP,
    UPDATE_OP,
    CATEGORIES,
};

/// Name and colour of a category.
struct Legend
{
    const char* name;  //!< in the legend
    const char* color; //!< of its bars
};

constexpr std::array<Legend, CATEGORIES> LEGEND{{
    {"downlink", plotcolor::SKY},
    {"parse", plotcolor::BLACK},
    {"forward", plotcolor::GREEN},
    {"backward", plotcolor::PURPLE},
    {"other compute", plotcolor::YELLOW},
    {"uplink", plotcolor::ORANGE},
    {"PS update", plotcolor::VERMILION},
}};

/// Order of the rows, from the top.
using RowKey = std::pair<uint32_t, uint32_t>;

/// @param chunk a record; @return the row of its resource
RowKey
GetRow(const ChunkRecord& chunk)
{
    const uint32_t index = GetLabelIndex(chunk.resource);
    switch (GetLabel(chunk.resource))
    {
    case ResourceLabel::DOWNLINK:
        return {0, index};
    case ResourceLabel::PARSER:
        return {index == 0 ? 1u : 4u, index};
    case ResourceLabel::DEVICE:
        return {2, index};
    case ResourceLabel::UPLINK:
        return {3, index};
    case ResourceLabel::SERVER:
        return {5, index};
    case ResourceLabel::COLLECTIVE:
        return {6, index};
    case ResourceLabel::REDUCER:
        return {7, index};
    case ResourceLabel::PEER:
        break;
    }
    return {8, index};
}

/// @param row of a resource; @param profile names of devices; @return its label
std::string
GetLabel(const RowKey& row, const Profile& profile)
{
    const std::string number = std::to_string(row.second);
    switch (row.first)
    {
    case 0:
        return "downlink PS " + number;
    case 1:
        return "parser";
    case 2:
        return row.second < profile.devices.size() ? profile.devices[row.second].name
                                                   : "device " + number;
    case 3:
        return "uplink PS " + number;
    case 4:
        return "parser PS " + std::to_string(row.second - 1);
    case 5:
        return "PS " + number;
    case 6:
        return "collectives";
    case 7:
        return "reducer";
    default:
        return "to worker " + number;
    }
}

/// @param chunk a record; @param profile kinds of ops; @return what its bar stands for
Category
GetCategory(const ChunkRecord& chunk, const Profile& profile)
{
    if (chunk.parse)
    {
        return PARSE;
    }
    switch (profile.graph.Get(chunk.op).kind)
    {
    case OpKind::PULL:
        return DOWN;
    case OpKind::FORWARD:
        return FORWARD_OP;
    case OpKind::BACKWARD:
        return BACKWARD_OP;
    case OpKind::PUSH:
        return UP;
    case OpKind::UPDATE:
        return UPDATE_OP;
    case OpKind::COMPUTE:
        break;
    }
    return OTHER_OP;
}

/// @param workers number of workers; @return height of the panel of their steps, pixels
double
GetStepsPixels(uint32_t workers)
{
    return std::min(TIMELINE_MAX_STEPS_PIXELS, std::max(40.0, 18.0 * workers));
}

/// @param plot gets the block and the commands; @param run whose steps; @param span shown, s
void
AddSteps(PlotScript& plot, const TimelineSeries& run, double span)
{
    PlotBlock even{run.engine + ", even steps: middle, row, left, right, bottom, top (s)", {}};
    PlotBlock odd{run.engine + ", odd steps: middle, row, left, right, bottom, top (s)", {}};
    std::string labels;
    for (const auto& step : run.steps)
    {
        const double from = std::max(0.0, step.start - run.start);
        const double to = std::min(run.end, step.end) - run.start;
        const double row = step.worker;
        const double half = run.workers <= 16 ? FILL : 0.5; // gaps of less than a pixel flicker
        (step.step % 2 == 0 ? even : odd)
            .rows.push_back({(from + to) / 2, row, from, to, row - half, row + half});
        if (run.workers <= 12 && to - from > span / 30)
        {
            labels += fmt::format("set label '{}' at {},{} center front font ',11'\n",
                                  step.step,
                                  PlotNumber((from + to) / 2),
                                  PlotNumber(row));
        }
    }
    const uint32_t every = (run.workers + 11) / 12;
    std::string tics;
    for (uint32_t worker = 0; worker < run.workers; worker += every)
    {
        tics += fmt::format("{}'worker {}' {}", worker > 0 ? "," : "", worker, worker);
    }
    plot.commands += "set yrange [" + PlotNumber(run.workers - 0.5) + ":-0.5]\nset ytics (" + tics +
                     ") nomirror scale 0 font ',12'\n" + labels;
    std::string lines;
    for (const auto& [block, color] : {std::pair(&even, "#A9BCD6"), std::pair(&odd, "#D9E2EE")})
    {
        AddPlotLine(lines,
                    fmt::format("$data{} using 1:2:3:4:5:6 with boxxyerror lc rgb '{}' fs "
                                "solid noborder notitle",
                                plot.blocks.size(),
                                color));
        plot.blocks.push_back(*block);
    }
    plot.commands += lines + "\nunset label\n";
}

/// @param plot gets blocks and commands; @param run whose worker 0; @param profile kinds and names;
/// @param rows of the panel
void
AddResources(PlotScript& plot,
             const TimelineSeries& run,
             const Profile& profile,
             const std::map<RowKey, uint32_t>& rows)
{
    std::array<PlotBlock, CATEGORIES> blocks;
    for (const auto& chunk : run.chunks)
    {
        if (chunk.end <= chunk.start)
        {
            continue;
        }
        const double from = chunk.start - run.start;
        const double to = chunk.end - run.start;
        const double row = rows.at(GetRow(chunk));
        blocks[GetCategory(chunk, profile)].rows.push_back(
            {(from + to) / 2, row, from, to, row - FILL, row + FILL});
    }
    std::string tics;
    for (const auto& [key, row] : rows)
    {
        tics += (tics.empty() ? "" : ",") + QuoteGnuplotTic(GetLabel(key, profile)) + " " +
                std::to_string(row);
    }
    plot.commands += "set yrange [" + PlotNumber(std::max<double>(1, rows.size()) - 0.5) +
                     ":-0.5]\nset ytics (" + tics + ") nomirror scale 0 font ',13'\n";
    for (const auto& step : run.steps)
    {
        const double at = step.start - run.start;
        if (step.worker == 0 && at >= 0)
        {
            plot.commands += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead back "
                                         "lc rgb '{1}' dt (4,3)\n",
                                         PlotNumber(at),
                                         plotcolor::GREY);
        }
    }
    std::string lines;
    for (size_t i = 0; i < CATEGORIES; ++i)
    {
        if (blocks[i].rows.empty())
        {
            continue;
        }
        blocks[i].title = run.engine + ", worker 0, " + LEGEND[i].name +
                          ": middle, row, left, right, bottom, top (s)";
        AddPlotLine(lines,
                    fmt::format("$data{0} using 1:2:3:(cut($3,$4)):5:6 with boxxyerror lw "
                                "0.7 lc rgb '{1}' fs solid border lc rgb '{1}' notitle",
                                plot.blocks.size(),
                                LEGEND[i].color));
        plot.blocks.push_back(blocks[i]);
    }
    plot.commands += (lines.empty() ? "plot NaN notitle" : lines) + "\nunset arrow\n";
}

/// @param used categories that occur; @return commands that draw the legend across the top
std::string
GetLegend(const std::array<bool, CATEGORIES>& used, double height)
{
    std::string lines;
    for (size_t i = 0; i < CATEGORIES; ++i)
    {
        if (used[i])
        {
            AddPlotLine(lines,
                        fmt::format("NaN with boxes lc rgb '{}' fs solid noborder title '{}'",
                                    LEGEND[i].color,
                                    LEGEND[i].name));
        }
    }
    if (lines.empty())
    {
        return "";
    }
    return "set key at screen 0.5, screen " + PlotNumber(1 - 58 / height) +
           " center center horizontal maxcols 7 Left reverse samplen 1.2 width -1 font ',13'\n"
           "set yrange [0:1]\nunset border\nunset tics\n" +
           lines + "\nset border 3\nset tics\nunset key\n";
}

} // namespace

TimelineCollector::TimelineCollector(uint32_t firstStep, uint32_t steps)
    : m_count(std::max<uint32_t>(1, steps)),
      m_open(firstStep == 0)
{
    m_series.firstStep = firstStep;
    m_series.start = std::numeric_limits<double>::infinity();
}

void
TimelineCollector::On(const StepRecord& record)
{
    const uint32_t end = m_series.firstStep + m_count;
    if (record.worker == 0)
    {
        if (record.step >= m_series.firstStep && record.step < end)
        {
            m_series.start = std::min(m_series.start, record.start);
            m_series.end = record.end;
        }
        // The window opens with the end of the step before: whatever ended earlier is outside.
        m_open = m_open || record.step + 1 == m_series.firstStep;
        m_closed = m_closed || record.step + 1 >= end;
    }
    if (m_open && (!m_closed || record.start < m_series.end))
    {
        m_series.steps.push_back(record);
    }
}

void
TimelineCollector::On(const ChunkRecord& record)
{
    if (record.worker == 0 && record.step >= m_series.firstStep &&
        record.step < m_series.firstStep + m_count)
    {
        m_series.chunks.push_back(record);
    }
}

TimelineSeries
TimelineCollector::GetSeries(const std::string& engine, uint32_t workers) const
{
    TimelineSeries series = m_series;
    series.engine = engine;
    series.workers = workers;
    series.start = std::isfinite(series.start) ? series.start : 0;
    auto& steps = series.steps;
    steps.erase(std::remove_if(steps.begin(),
                               steps.end(),
                               [&series](const auto& step) { return !(step.end > series.start); }),
                steps.end());
    return series;
}

PlotScript
PlotTimeline(const std::string& title,
             const Profile& profile,
             const std::vector<TimelineSeries>& series,
             const std::string& name)
{
    // All panels show the same rows and the same span of time, so that the eye can compare them.
    std::map<RowKey, uint32_t> rows;
    std::array<bool, CATEGORIES> used{};
    double span = 0;
    for (const auto& run : series)
    {
        span = std::max(span, run.end - run.start);
        for (const auto& chunk : run.chunks)
        {
            rows[GetRow(chunk)] = 0;
            used[GetCategory(chunk, profile)] = true;
        }
    }
    uint32_t count = 0;
    for (auto& [key, row] : rows)
    {
        row = count++;
    }
    span = span > 0 ? span : 1;
    const double rowsPixels = TIMELINE_ROW_PIXELS * std::max<uint32_t>(1, count);
    std::vector<double> heights;
    for (const auto& run : series)
    {
        heights.insert(heights.end(), {rowsPixels, GetStepsPixels(run.workers)});
    }

    PlotScript plot{name, 1000};
    PlotPanels panels(plot, TIMELINE_FRAME, heights);
    plot.commands +=
        "set multiplot\nset label 1 " +
        PlotTitle(title,
                  plot.width,
                  " at screen 0.5, screen " + PlotNumber(1 - 22.0 / plot.height) + " center") +
        "\nset lmargin at screen 0.14\nset rmargin at screen 0.97\n"
        "set xrange [0:" +
        PlotNumber(span) + "]\n" + GetLegend(used, plot.height) + "unset label 1\n" +
        "set border 1\nset xtics nomirror out\nset grid xtics lc rgb '#E4E4E4' lw 1\n"
        "set format x ''\n" +
        // A wide bar leaves a gap to the next one, a narrow one would vanish.
        "pixel = " + PlotNumber(span / PANEL_WIDTH) +
        "\ncut(a, b) = b - a > 6 * pixel ? b - 1.5 * pixel : b\n";
    for (const auto& run : series)
    {
        uint32_t last = run.firstStep;
        for (const auto& chunk : run.chunks) // the step after it, which may overlap it, has none
        {
            last = std::max(last, chunk.step);
        }
        if (run.end - run.start < span)
        {
            // This run's steps are shorter: what follows them is not shown, rather than idle.
            plot.commands += fmt::format("set object rectangle from {}, graph 0 to graph 1, graph "
                                         "1 behind fs solid noborder fc rgb '{}'\n",
                                         PlotNumber(run.end - run.start),
                                         plotcolor::PALE);
        }
        plot.commands += panels.Place(
            fmt::format("{}: worker 0, steps {} to {}", run.engine, run.firstStep, last),
            "-0.7");
        AddResources(plot, run, profile, rows);
        plot.commands += panels.Place(run.engine + ": steps of all workers", "-0.7");
        if (panels.IsLast())
        {
            plot.commands += "set format x '%g'\nset xlabel 'Time since worker 0 started step " +
                             std::to_string(run.firstStep) + " (s)'\n";
        }
        AddSteps(plot, run, span);
        plot.commands += "unset object\n";
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
