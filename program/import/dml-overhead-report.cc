/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-report.h"

#include "ns3/dml-goodput.h"
#include "ns3/dml-network-spec.h"
#include "ns3/dml-paragraph.h"
#include "ns3/dml-value-text.h"

#include <cmath>

namespace ns3::dml
{

namespace
{

/// @return "12.3 us (95 %: 11.9 to 12.7)"
std::string
FormatFitted(const FittedValue& value, double scale, const std::string& unit)
{
    const std::string text = FormatValue(value.value * scale) + " " + unit;
    if (!value.fitted)
    {
        return text;
    }
    return text + " (95 %: " +
           (std::isfinite(value.upper)
                ? FormatValue(value.lower * scale) + " to " + FormatValue(value.upper * scale)
                : "at least " + FormatValue(value.lower * scale)) +
           ")";
}

/// @return "1.23 %"
std::string
InPercent(double fraction)
{
    return FormatValue(100 * fraction) + " %";
}

} // namespace

double
GetPayloadShare()
{
    const NetworkSpec network; // of a scenario that says nothing else
    constexpr uint64_t RATE = 1000000000;
    return GetGoodput(DataRate(RATE), GetWireFormat(network.mtu, network.tcp.timestamps)) * 8 /
           RATE;
}

std::optional<double>
GetTensorRate(std::optional<uint64_t> rate)
{
    return rate ? std::optional(*rate / 8.0 * GetPayloadShare()) : std::nullopt;
}

std::string
DescribeEndTimeError(const EndTimeError& error)
{
    if (error.streams == 0)
    {
        return "no downlink stream with a recorded end to predict";
    }
    return "predicted ends of " + std::to_string(error.streams) + " downlink streams are off by " +
           InPercent(error.average) + " on average (median " + InPercent(error.median) +
           ", 95th percentile " + InPercent(error.percentile95) + ", maximum " +
           InPercent(error.maximum) + ")";
}

std::string
FormatOverheadReport(const OverheadFit& fit)
{
    std::string out;
    AppendParagraph(out,
                    "fitted:  ",
                    std::to_string(fit.used) + " streams in " + std::to_string(fit.groups.size()) +
                        " groups, " + std::to_string(fit.wireTimes) +
                        " of known last byte; residuals " + FormatValue(1e6 * fit.medianResidual) +
                        " us (median), " + FormatValue(1e6 * fit.percentile95) +
                        " us (95th percentile)");
    AppendParagraph(out,
                    "link:    ",
                    FormatValue(fit.link.rate / 1e6) + " MB/s of tensors, " +
                        FormatFitted(fit.secondsPerByte, 1e9, "ns/byte"));
    AppendParagraph(out,
                    "parsing: ",
                    "alpha " + FormatFitted(fit.alpha, 1e9, "ns/byte") + ", beta " +
                        FormatFitted(fit.beta, 1e6, "us"));
    const std::string text = fit.window.GetText();
    const std::string title = "window: ";
    AppendParagraph(out, "window:  ", text.rfind(title, 0) == 0 ? text.substr(title.size()) : text);
    AppendParagraph(out, "error:   ", DescribeEndTimeError(fit.error));
    if (!fit.rules.empty())
    {
        out += "assumed:\n";
    }
    for (const auto& rule : fit.rules)
    {
        AppendParagraph(out, "  - ", rule);
    }
    if (!fit.warnings.empty())
    {
        out += "warnings:\n";
    }
    for (const auto& warning : fit.warnings)
    {
        AppendParagraph(out, "  - ", warning);
    }
    return out;
}

} // namespace ns3::dml
