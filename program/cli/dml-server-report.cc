/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-server-report.h"

#include "ns3/dml-paragraph.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-value-text.h"

#include <cmath>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// @return a line of the table
std::string
FormatRow(const std::vector<std::string>& cells)
{
    constexpr int WIDTHS[]{5, 5, 4, 11, 11, 9, 11, 9, 10};
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        const std::size_t width = WIDTHS[i];
        line += std::string(width > cells[i].size() ? width - cells[i].size() : 1, ' ') + cells[i];
    }
    return line + "\n";
}

/// @return "+1.2 %"
std::string
InPercent(double predicted, double measured)
{
    if (std::isnan(predicted))
    {
        return "-";
    }
    const double percent = 100 * (predicted / measured - 1);
    return (percent < 0 ? "" : "+") + FormatFixed(percent, 1) + " %";
}

/// @return mean size of the relative errors of a prediction where there is one, "1.2 %"
std::string
MeanError(const std::vector<ServerPoint>& points, double ServerPoint::*predicted)
{
    double sum = 0;
    std::size_t count = 0;
    for (const auto& point : points)
    {
        const double error = std::abs(point.*predicted / point.measured - 1);
        sum += std::isnan(error) ? 0 : error;
        count += std::isnan(error) ? 0 : 1;
    }
    return count == 0 ? "-" : FormatFixed(100 * sum / count, 1) + " %";
}

/// @return a number for YAML
std::string
PrintNumber(double value)
{
    return fmt::format("{:.4g}", value);
}

/// @return "1.2 ns per byte, standard error 0.1 ns"
std::string
DescribeCost(double value, double error, double scale, const char* unit, const char* per)
{
    return FormatValue(value * scale) + " " + unit + " per " + per + ", standard error " +
           FormatValue(error * scale) + " " + unit;
}

/// @return what else explains the points than the number of cores; empty: nothing
std::string
DescribeOtherCores(const ServerFit& fit)
{
    if (fit.cores.size() < 2 && !fit.hasMore)
    {
        return "";
    }
    const std::string low = std::to_string(fit.cores.front());
    return (fit.hasMore ? low + " and more" : low + " to " + std::to_string(fit.cores.back())) +
           " explain the points about as well";
}

/// @return the line of a cost
std::string
PrintCost(const std::string& key, const char* unit, double value, double error, bool told)
{
    return "    " + key + ": " +
           (told ? PrintNumber(value) + "   # seconds per " + unit + ", standard error " +
                       PrintNumber(error)
                 : std::string("0   # seconds per ") + unit + ", not told by the points") +
           "\n";
}

} // namespace

std::string
FormatServerTable(const std::vector<ServerPoint>& points)
{
    std::string out = FormatRow(
        {"line", "W", "M", "measured", "as it is", "error", "fitted", "error", "left out"});
    for (const auto& point : points)
    {
        out += FormatRow({std::to_string(point.line),
                          std::to_string(point.workers),
                          std::to_string(point.servers),
                          FormatValue(point.measured),
                          FormatValue(point.before),
                          InPercent(point.before, point.measured),
                          FormatValue(point.predicted),
                          InPercent(point.predicted, point.measured),
                          InPercent(point.leftOut, point.measured)});
    }
    return out + FormatRow({"mean",
                            "",
                            "",
                            "",
                            "",
                            MeanError(points, &ServerPoint::before),
                            "",
                            MeanError(points, &ServerPoint::predicted),
                            MeanError(points, &ServerPoint::leftOut)});
}

std::string
DescribeServerFit(const ServerFit& fit)
{
    std::string out;
    if (fit.tellsAlpha)
    {
        AppendParagraph(out,
                        "alpha: ",
                        DescribeCost(fit.cost.alpha, fit.alphaError, 1e9, "ns", "byte"));
    }
    if (fit.tellsBeta)
    {
        AppendParagraph(out,
                        "beta:  ",
                        DescribeCost(fit.cost.beta, fit.betaError, 1e6, "us", "tensor"));
    }
    const std::string others = DescribeOtherCores(fit);
    AppendParagraph(out,
                    "cores: ",
                    std::to_string(fit.cost.cores) + (others.empty() ? "" : "; " + others));
    if (fit.either)
    {
        AppendParagraph(out,
                        "note:  ",
                        std::string("a cost per ") + (fit.tellsAlpha ? "tensor" : "byte") +
                            " instead explains the points as well, so that these keys are for "
                            "jobs with tensors of such sizes; points of a job with others, or of "
                            "more servers, would tell");
    }
    return out;
}

std::string
WriteServerYaml(const ServerFit& fit)
{
    const std::string others = DescribeOtherCores(fit);
    return "overhead:\n  server:\n" +
           PrintCost("alpha", "byte", fit.cost.alpha, fit.alphaError, fit.tellsAlpha) +
           PrintCost("beta", "tensor", fit.cost.beta, fit.betaError, fit.tellsBeta) +
           "fair_share:\n  ps_cores: " + std::to_string(fit.cost.cores) +
           (others.empty() ? "" : "   # " + others) + "\n";
}

} // namespace ns3::dml
