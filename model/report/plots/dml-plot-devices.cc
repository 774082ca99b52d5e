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

constexpr uint32_t MAX_BINS = 400; //!< in a panel

/// Lines of devices 0, 1, ..; then they repeat.
constexpr const char* DEVICE_COLORS[] = {plotcolor::GREEN,
                                         plotcolor::PURPLE,
                                         plotcolor::BLUE,
                                         plotcolor::ORANGE};

/// Adds the blocks of a panel. @return gnuplot commands for its lines
std::string
AddPanel(PlotScript& plot, const DeviceSeries& run)
{
    std::string lines;
    for (std::size_t device = 0; device < run.utilisation.size(); ++device)
    {
        const auto& values = run.utilisation[device];
        if (values.empty())
        {
            continue; // gnuplot complains about a line without a single point
        }
        PlotBlock block{run.engine + ", " + run.devices[device] +
                            ": time since the start (s), utilisation (%)",
                        {}};
        for (std::size_t bin = 0; bin < values.size(); ++bin)
        {
            block.rows.push_back({bin * run.binWidth, 100 * values[bin]});
        }
        block.rows.push_back({values.size() * run.binWidth, 100 * values.back()});
        AddPlotLine(lines,
                    fmt::format("$data{} using 1:2 with {} lc rgb '{}' title {}",
                                plot.blocks.size(),
                                device == 0 ? "fillsteps fs solid 0.75" : "steps lw 1.8",
                                DEVICE_COLORS[device % 4],
                                QuoteGnuplot(run.devices[device])));
        plot.blocks.push_back(block);
    }
    return lines.empty() ? "plot NaN notitle" : lines;
}

} // namespace

DeviceCollector::DeviceCollector(const std::string& engine,
                                 const Profile& profile,
                                 uint32_t firstStep,
                                 uint32_t steps)
    : m_firstStep(firstStep),
      m_endStep(firstStep + std::max<uint32_t>(1, steps)),
      m_busy(profile.devices.size(), MAX_BINS)
{
    m_series.engine = engine;
    for (const auto& device : profile.devices)
    {
        m_series.devices.push_back(device.name);
        m_slots.push_back(device.slots);
    }
}

void
DeviceCollector::On(const ChunkRecord& record)
{
    const bool shown = record.worker == 0 && record.step >= m_firstStep &&
                       record.step < m_endStep && record.end > m_series.start;
    if (shown && GetLabel(record.resource) == ResourceLabel::DEVICE)
    {
        m_busy.Add(record.resource.index,
                   std::max(0.0, record.start - m_series.start),
                   record.end - m_series.start,
                   1.0 / m_slots.at(record.resource.index));
    }
}

void
DeviceCollector::On(const StepRecord& record)
{
    if (record.worker == 0 && record.step + 1 == m_firstStep)
    {
        m_series.start = record.end; // whatever ran earlier is outside
    }
    if (record.worker == 0 && record.step >= m_firstStep && record.step < m_endStep)
    {
        m_series.stepEnds.push_back(record.end);
    }
}

DeviceSeries
DeviceCollector::GetSeries() const
{
    DeviceSeries series = m_series;
    series.binWidth = m_busy.GetWidth();
    for (std::size_t device = 0; device < m_slots.size(); ++device)
    {
        series.utilisation.push_back(m_busy.GetRates(device));
    }
    return series;
}

PlotScript
PlotDevices(const std::string& title,
            const std::vector<DeviceSeries>& series,
            const std::string& name)
{
    double span = 0;
    std::size_t longest = 0;
    for (const auto& run : series)
    {
        for (const auto& device : run.devices)
        {
            longest = std::max(longest, device.size());
        }
        span = std::max(span, run.stepEnds.empty() ? 0.0 : run.stepEnds.back() - run.start);
    }
    PlotScript plot{name, 1000};
    plot.commands = "set multiplot title " + PlotTitle(title, plot.width) +
                    "\nset xrange [0:" + PlotNumber(span > 0 ? span : 1) +
                    "]\nset yrange [0:105]\nset tics nomirror out front\nset border 3\n"
                    "set grid ytics lc rgb '#DDDDDD' lw 1\nset ylabel 'Utilisation (%)'\n"
                    "set lmargin 9\nset rmargin " +
                    std::to_string(8 + longest) +
                    "\nset format x ''\n"
                    "set key outside right center Left reverse spacing 1.15 samplen 2 font ',14'\n";
    PlotPanels panels(plot, {36, 50, 84}, series.size(), 200);
    for (const auto& run : series)
    {
        plot.commands += panels.Place(run.engine + ": devices of worker 0");
        if (panels.IsLast())
        {
            plot.commands += "set format x '%g'\nset xlabel 'Time since the warm-up ended (s)'\n";
        }
        for (const double end : run.stepEnds)
        {
            const std::string at = PlotNumber(end - run.start);
            plot.commands += fmt::format("set arrow from {0}, graph 0 to {0}, graph 1 nohead front "
                                         "dt (2,3) lw 1 lc rgb '{1}'\n",
                                         at,
                                         plotcolor::BLACK);
        }
        plot.commands += AddPanel(plot, run) + "\nunset arrow\n";
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
