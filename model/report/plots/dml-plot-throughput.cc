/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-plot-summary.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace ns3::dml
{

namespace
{

constexpr double NONE = std::numeric_limits<double>::quiet_NaN();

/// One number of workers.
struct Point
{
    std::string job;                 //!< model and batch
    double workers{0};               //!< W
    uint32_t servers{1};             //!< number of parameter servers
    std::vector<Confidence> engines; //!< samples/s, of each engine that is shown
    double cynthia{NONE};            //!< samples/s
    double lin{NONE};                //!< samples/s
};

/// @param summary results; @param variant name; @param shown engines
/// @return the points of the variant by W
std::vector<Point>
GetPoints(const RunSummary& summary, const std::string& variant, const EngineSet& shown)
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
        for (const EngineKind kind : shown)
        {
            const EngineSummary* engine = item.FindEngine(kind);
            point.engines.push_back(engine ? engine->GetThroughput() : Confidence());
        }
        point.cynthia = item.cynthia.value_or(NONE);
        point.lin = item.lin.value_or(NONE);
        points.push_back(point);
    }
    std::stable_sort(points.begin(), points.end(), [](const Point& a, const Point& b) {
        return a.workers < b.workers;
    });
    return points;
}

/// @return mean throughput of the first engine that has one, samples/s; NaN if none has
double
GetFirstMean(const Point& point)
{
    const auto known = [](const Confidence& value) { return value.mean.has_value(); };
    const auto first = std::find_if(point.engines.begin(), point.engines.end(), known);
    return first != point.engines.end() ? *first->mean : NONE;
}

/// What an axis of throughputs must show, samples/s.
struct Tops
{
    double values{0}; //!< highest value
    double bars{0};   //!< highest end of an error bar that is drawn

    /// @return where the axis ends
    double GetEnd() const
    {
        return std::max(values * 1.15, bars * 1.05);
    }
};

/// Longest error bar, in highest values: a longer one would leave no room for anything else.
constexpr double LONGEST_BAR = 2;

/// @param points all points; @return what the axis must show
Tops
GetTops(const std::vector<Point>& points)
{
    Tops tops;
    for (const auto& point : points)
    {
        for (const auto& engine : point.engines)
        {
            tops.values = std::max(tops.values, engine.mean.value_or(0));
            const auto bounds = engine.GetBounds();
            tops.bars = std::max(tops.bars, bounds ? bounds->second : engine.mean.value_or(0));
        }
        tops.values = std::max({tops.values,
                                std::isfinite(point.cynthia) ? point.cynthia : 0.0,
                                std::isfinite(point.lin) ? point.lin : 0.0});
    }
    tops.values = tops.values > 0 ? tops.values : 1;
    tops.bars = std::min(tops.bars, LONGEST_BAR * tops.values);
    return tops;
}

/// @param value mean and interval; @param tops what the axis shows
/// @return mean, half-width of the interval, ends of the bar, and its upper end once more if it was
/// cut there
std::vector<double>
GetColumns(const Confidence& value, const Tops& tops)
{
    constexpr double PIXELS = 400; // about the axis' height: a shorter bar cannot be seen
    const double mean = value.mean.value_or(NONE);
    const double half = value.halfWidth.value_or(NONE);
    const auto bounds = value.GetBounds();
    if (!bounds || !(bounds->second - bounds->first > tops.GetEnd() / PIXELS))
    {
        return {mean, half, NONE, NONE, NONE};
    }
    const auto [low, high] = *bounds;
    return {mean,
            half,
            std::max(0.0, low), // nothing trains backwards
            std::min(high, tops.bars),
            high > tops.bars ? tops.bars : NONE};
}

/// @param points all points; @param engine index of one; @return on how many runs its means stand
std::string
CountRuns(const std::vector<Point>& points, std::size_t engine)
{
    uint32_t least = std::numeric_limits<uint32_t>::max();
    uint32_t most = 0;
    for (const auto& point : points)
    {
        const Confidence& value = point.engines[engine];
        if (value.mean)
        {
            least = std::min(least, value.count);
            most = std::max(most, value.count);
        }
    }
    return (least < most ? std::to_string(least) + "-" : "") + std::to_string(most) +
           (most == 1                   ? " run"
            : most < LEAST_FOR_INTERVAL ? " runs, min to max"
                                        : " runs, 95 % CI");
}

/// The axis of W, and how much room it has.
class WorkersAxis
{
  public:
    static constexpr double LEFT = 0.09;  //!< margin, in widths of the picture
    static constexpr double RIGHT = 0.69; //!< as above, where the key begins

    /// @param points by W @param width of the picture, pixels
    WorkersAxis(const std::vector<Point>& points, double width)
        : m_pixels((RIGHT - LEFT) * width)
    {
        for (const auto& point : points)
        {
            m_workers.push_back(point.workers);
        }
        const double first = m_workers.empty() ? 1 : m_workers.front();
        const double last = m_workers.empty() ? 1 : m_workers.back();
        m_wide = last >= 32; // evenly spaced, the small W would be squeezed together
        m_left = m_wide ? first / 1.2 : 0;
        m_right = last * (m_wide ? 1.2 : 1.06);
    }

    /// @return commands for range and tics; numbers of which not all fit are left out
    std::string Draw() const
    {
        constexpr double DIGIT = 9; // pixels
        std::string tics;
        double free = std::numeric_limits<double>::infinity(); // where the next label may end
        for (auto w = m_workers.rbegin(); w != m_workers.rend(); ++w) // the last one has a number
        {
            const std::string number = PlotNumber(*w);
            const double half = DIGIT * number.size() / 2;
            const bool fits = Place(*w) + half < free;
            free = fits ? Place(*w) - half - DIGIT : free;
            tics = (fits ? number : "'' " + number + " 1") + (tics.empty() ? "" : ",") + tics;
        }
        return (m_wide ? "set logscale x 2\n" : "") + std::string("set xrange [") +
               PlotNumber(m_left) + ":" + PlotNumber(m_right) + "]\nset xtics (" + tics +
               ") nomirror\n";
    }

    /// @return pixels between the nearest two W, at most those of a whole axis
    double GetGap() const
    {
        double gap = m_pixels;
        for (std::size_t i = 1; i < m_workers.size(); ++i)
        {
            gap = std::min(gap, Place(m_workers[i]) - Place(m_workers[i - 1]));
        }
        return gap;
    }

    /// @return as a gnuplot expression of column 1, W moved to the right by @p pixels
    std::string Move(double pixels) const
    {
        const double part = pixels / m_pixels;
        return pixels == 0 ? "1"
               : m_wide    ? fmt::format("($1*{:.6g})", std::pow(m_right / m_left, part))
                           : fmt::format("($1{:+.6g})", (m_right - m_left) * part);
    }

  private:
    /// @return pixels from the left end of the axis to @p workers
    double Place(double workers) const
    {
        return m_pixels * (m_wide ? std::log(workers / m_left) / std::log(m_right / m_left)
                                  : (workers - m_left) / (m_right - m_left));
    }

    std::vector<double> m_workers; //!< W of the points
    double m_pixels;               //!< length
    bool m_wide{false};            //!< logarithmic
    double m_left{0};              //!< W at its left end
    double m_right{1};             //!< W at its right end
};

/// @return the numbers of each engine, and last those of the baselines
std::vector<PlotBlock>
MakeBlocks(const std::vector<Point>& points,
           const std::vector<EngineKind>& engines,
           const Tops& tops)
{
    std::vector<PlotBlock> blocks;
    for (const EngineKind kind : engines)
    {
        blocks.push_back(
            {GetEngineName(kind) + ": W, mean, half-width, bar from, to, cut at (samples/s)", {}});
    }
    blocks.push_back({"baselines: W, Cynthia, Lin et al., ideal (samples/s)", {}});
    double perWorker = NONE;
    for (const auto& point : points)
    {
        if (!std::isfinite(perWorker))
        {
            perWorker = GetFirstMean(point) / point.workers;
        }
        for (std::size_t i = 0; i < engines.size(); ++i)
        {
            auto row = GetColumns(point.engines[i], tops);
            row.insert(row.begin(), point.workers);
            blocks[i].rows.push_back(row);
        }
        blocks.back().rows.push_back(
            {point.workers, point.cynthia, point.lin, perWorker * point.workers});
    }
    return blocks;
}

/// @return whether a column has a number: gnuplot complains about a line without a point
bool
HasNumber(const PlotBlock& block, std::size_t column)
{
    return std::any_of(block.rows.begin(), block.rows.end(), [column](const auto& row) {
        return std::isfinite(row[column - 1]);
    });
}

/// Add a line, unless column @p needed has no number. @param columns that it has @param lines so
/// far
void
AddColumns(const PlotScript& plot,
           std::size_t block,
           std::size_t needed,
           const std::string& columns,
           const std::string& style,
           std::string& lines)
{
    if (HasNumber(plot.blocks[block], needed))
    {
        AddPlotLine(lines, fmt::format("$data{} using {} with {}", block, columns, style));
    }
}

/// @param block their numbers @param size of points @param lines gets theirs
void
AddBaselines(const PlotScript& plot, std::size_t block, const std::string& size, std::string& lines)
{
    const auto style = [&size](const char* kind, const char* color, const char* name) {
        return fmt::format("linespoints lw 1.5 ps {} {} lc rgb '{}' title '{}'",
                           size,
                           kind,
                           color,
                           name);
    };
    AddColumns(plot, block, 4, "1:4", "lines lw 3 lc rgb '#C8C8C8' title 'ideal'", lines);
    const std::string cynthia = style("pt 8 dt (8,4)", plotcolor::PURPLE, "Cynthia");
    AddColumns(plot, block, 2, "1:2", cynthia, lines);
    const std::string lin = style("pt 12 dt (3,3)", plotcolor::GREEN, "Lin et al.");
    AddColumns(plot, block, 3, "1:3", lin, lines);
}

/// @param plot has the blocks; @param points by W; @param engines of the blocks but the last;
/// @param axis of W; @return gnuplot's command for all lines
std::string
DrawLines(const PlotScript& plot,
          const std::vector<Point>& points,
          const std::vector<EngineKind>& engines,
          const WorkersAxis& axis)
{
    std::string lines;
    const double gap = axis.GetGap();
    const std::string size = PlotNumber(std::clamp(gap / 14, 0.3, 0.9));
    AddBaselines(plot, engines.size(), size, lines);
    const std::size_t drawn =
        std::count_if(plot.blocks.begin(), plot.blocks.end() - 1, [](const PlotBlock& block) {
            return HasNumber(block, 2);
        });
    // Bars of engines stand side by side, with caps that do not touch, nor those of the next W.
    constexpr double APART = 7; // pixels to each side
    const double apart = drawn > 1 ? std::min(APART, gap / (2.0 * drawn)) : 0;
    const double cap = 0.8 * std::min(apart > 0 ? 2 * apart : gap, 2 * APART);
    double pixels = apart - drawn * apart; // to the right
    bool isCut = false;
    for (std::size_t block = 0; block < engines.size(); ++block)
    {
        if (!HasNumber(plot.blocks[block], 2))
        {
            continue;
        }
        const EngineInfo& engine = GetEngine(engines[block]);
        const std::string x = axis.Move(pixels) + ":";
        const std::string color = fmt::format(" lc rgb '{}' ", engine.color);
        pixels += 2 * apart;
        isCut = isCut || HasNumber(plot.blocks[block], 6);
        // arrows with blunt heads: gnuplot's error bars have a hole for the point, whatever its
        // size
        const std::string bars =
            fmt::format("vectors heads size screen {:.4g},90 fixed lw 2{}notitle",
                        cap / 2 / plot.width,
                        color);
        AddColumns(plot, block, 4, x + "4:(0):($5-$4)", bars, lines);
        AddColumns(plot, block, 6, x + "6", "points pt 9 ps 1.3" + color + "notitle", lines);
        const std::string curve = fmt::format("linespoints lw 2.5 ps {} pt {}{}title '{}, {}'",
                                              size,
                                              engine.mark,
                                              color,
                                              engine.name,
                                              CountRuns(points, block));
        AddColumns(plot, block, 2, x + "2", curve, lines);
    }
    if (isCut)
    {
        AddPlotLine(lines,
                    fmt::format("NaN with points pt 9 ps 1.3 lc rgb '{}' title 'bar goes on'",
                                plotcolor::GREY));
    }
    return lines.empty() ? "plot NaN notitle" : lines;
}

} // namespace

PlotScript
PlotThroughput(const RunSummary& summary, const std::string& variant, const std::string& name)
{
    const EngineSet shown = summary.GetShownEngines();
    const std::vector<EngineKind> engines(shown.begin(), shown.end()); // a block each
    const std::vector<Point> points = GetPoints(summary, variant, shown);
    PlotScript plot{name};
    const Tops tops = GetTops(points);
    plot.blocks = MakeBlocks(points, engines, tops);
    std::string title = summary.name;
    if (!points.empty())
    {
        title += ": " + points.front().job + ", " + FormatServers(points.front().servers);
    }
    title += variant.empty() ? "" : ", " + variant;
    const WorkersAxis axis(points, plot.width);
    // over the middle of the picture, not of the axes, where a long one would begin outside
    plot.commands += "set tmargin 3\nset label 1 " +
                     PlotTitle(title, plot.width, " at screen 0.5, screen 0.95 center") + "\n";
    plot.commands += "set xlabel 'Workers W'\nset ylabel 'Training throughput (samples/s)'\n";
    plot.commands += axis.Draw() + "set yrange [0:" + PlotNumber(tops.GetEnd()) + "]\n";
    plot.commands += "set ytics nomirror\nset tics out\nset border 3\n"
                     "set grid ytics lc rgb '#DDDDDD' lw 1\nset lmargin at screen " +
                     PlotNumber(WorkersAxis::LEFT) + "\nset rmargin at screen " +
                     PlotNumber(WorkersAxis::RIGHT) + "\nset key at screen " +
                     PlotNumber(WorkersAxis::RIGHT) +
                     ", screen 0.55 left center Left reverse spacing 1.6 samplen 3\n";
    plot.commands += DrawLines(plot, points, engines, axis) + "\n";
    return plot;
}

} // namespace ns3::dml
