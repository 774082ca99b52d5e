/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-connections.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_LINKS = 64; //!< that are shown
constexpr double ROW = 18;             //!< pixels of a link
constexpr double PER_LETTER = 8.5;     //!< pixels of a letter of a link's name

/// Keeps the @p most links that have most connections for what they would have, in their order.
void
KeepWorst(std::vector<MultipathLink>& links, std::size_t most)
{
    if (links.size() <= most)
    {
        return;
    }
    const auto excess = [](const MultipathLink& link) {
        return link.connections.count / link.connections.even;
    };
    std::stable_sort(
        links.begin(),
        links.end(),
        [&](const MultipathLink& a, const MultipathLink& b) { return excess(a) > excess(b); });
    links.resize(most);
    std::sort(links.begin(), links.end(), [](const MultipathLink& a, const MultipathLink& b) {
        return a.link < b.link;
    });
}

} // namespace

PlotScript
PlotConnections(const std::string& title, std::vector<MultipathLink> links, const std::string& name)
{
    const std::size_t all = links.size();
    KeepWorst(links, MOST_LINKS);
    PlotBlock block{
        "link, connections, connections if all paths were used alike, more than that (0, 1)",
        {}};
    std::string names;
    std::size_t longest = 0;
    double most = 0;
    for (std::size_t row = 0; row < links.size(); ++row)
    {
        const auto& [link, label, connections] = links[row];
        block.rows.push_back({double(row),
                              double(connections.count),
                              connections.even,
                              double(connections.IsCollision())});
        names += fmt::format("{}{} {}", row == 0 ? "" : ", ", QuoteGnuplotTic(label), row);
        longest = std::max(longest, label.size());
        most = std::max({most, double(connections.count), connections.even});
    }
    PlotScript plot{name};
    PlotPanels panels(plot, {72, 28, 84}, 1, ROW * links.size());
    const double left = std::min(0.5, (30 + PER_LETTER * longest) / plot.width);
    plot.commands =
        "set multiplot title " + PlotTitle(title, plot.width) + "\nset lmargin at screen " +
        PlotNumber(left) + "\nset rmargin at screen 0.97\n" +
        panels.Place(links.size() < all
                         ? fmt::format("{} of {} links between switches", links.size(), all)
                         : "Links between switches") +
        "set xrange [0:" + PlotNumber(1.05 * most) + "]\nset yrange [" +
        PlotNumber(links.size() - 0.4) +
        ":-0.6]\nset tics nomirror out\nset border 3\nset grid xtics lc rgb '#DDDDDD' lw 1\n"
        "set xlabel 'Connections'\nset ytics scale 0 font ',12' (" +
        names + ")\nset key at screen 0.5, screen " + PlotNumber(1 - 46.0 / plot.height) +
        " center maxrows 1 Left reverse samplen 2 width 1 font ',13'\n";
    std::string lines;
    const auto add = [&](const std::string& columns, const std::string& style) {
        AddPlotLine(lines, "$data0 using " + columns + " with " + style);
    };
    const auto bars = [&](const char* which, const char* color, const char* label) {
        add(fmt::format("(0):1:(0):({} ? $2 : NaN):($1-0.35):($1+0.35)", which),
            fmt::format("boxxyerror fs solid noborder lc rgb '{}' title '{}'", color, label));
    };
    bars("$4 == 0", plotcolor::BLUE, "connections");
    bars("$4 == 1", plotcolor::VERMILION, "more than with even use");
    add("3:($1-0.45):(0):(0.9)",
        fmt::format("vectors nohead lw 2 lc rgb '{}' title 'with even use'", plotcolor::BLACK));
    plot.blocks.push_back(block);
    plot.commands += lines + "\nunset multiplot\n";
    return plot;
}

} // namespace ns3::dml
