/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-overhead-fit.h"

#include <cmath>
#include <fmt/core.h>
#include <sstream>
#include <string>

namespace ns3::dml
{

namespace
{

/// Width of comments.
constexpr std::size_t COLUMNS = 80;

/// @return @p value as text, as the ends of intervals are printed
std::string
Print(double value)
{
    return fmt::format("{:.6g}", value);
}

/// @return "95 %: 1 to 2", or "given"; of a number that is at least 0
std::string
PrintInterval(const FittedValue& value)
{
    if (!value.fitted)
    {
        return "given";
    }
    const std::string text = "95 %: ";
    if (!std::isfinite(value.upper))
    {
        return text + (value.lower > 0 ? "at least " + Print(value.lower) : "anything");
    }
    return text + (value.lower > 0 ? Print(value.lower) + " to " : "at most ") + Print(value.upper);
}

/// @return why a key is not told, as comments of short lines
std::string
PrintRefusal(const std::string& indent, const std::string& refusal)
{
    std::string text;
    std::string line = indent + "#   not told:";
    std::istringstream words(refusal);
    for (std::string word; words >> word;)
    {
        if (line.size() + 1 + word.size() > COLUMNS)
        {
            text += line + "\n";
            line = indent + "#  ";
        }
        line += " " + word;
    }
    return text + line + "\n";
}

/// @return the line of a key of `overhead`, as a comment if it is refused
std::string
PrintKey(const std::string& key,
         const FittedValue& value,
         const char* unit,
         const std::string& refusal)
{
    const std::string interval = PrintInterval(value);
    if (!refusal.empty())
    {
        return "  # " + key + ": ...   # " + unit + "; " + interval + "\n" +
               PrintRefusal("  ", refusal);
    }
    return "  " + key + ": " + Print(value.value) + "   # " + unit + "; " + interval + "\n";
}

/// @return the line of the window
std::string
PrintWindow(const OverheadFit& fit)
{
    const WindowEstimate& window = fit.window;
    if (!window.upper)
    {
        return fmt::format("# transfer: {{window: ...}}   # no evidence: at least {} bytes\n",
                           window.lower);
    }
    const std::string interval = fit.windowBytes.fitted
                                     ? fmt::format("95 %: {} to {}",
                                                   std::llround(fit.windowBytes.lower),
                                                   std::llround(fit.windowBytes.upper))
                                     : fmt::format("{} to {}", window.lower, *window.upper - 1);
    return fmt::format("transfer: {{window: {}B}}   # {} bytes\n", fit.link.window, interval);
}

/// @return the line of the rate
std::string
PrintRate(const OverheadFit& fit, double payloadShare)
{
    const FittedValue& value = fit.secondsPerByte;
    const auto toLink = [&](double secondsPerByte) { return 8e-3 / secondsPerByte / payloadShare; };
    const double least = std::floor(toLink(value.upper));
    const std::string interval =
        !value.fitted ? "given"
        : value.lower > 0
            ? fmt::format("95 %: {:.0f} to {:.0f} kbit/s", least, std::ceil(toLink(value.lower)))
            : fmt::format("95 %: at least {:.0f} kbit/s", least);
    if (!fit.refusals.rate.empty())
    {
        return "# network: {rate: ...}   # " + interval + "\n" +
               PrintRefusal("", fit.refusals.rate);
    }
    return "network: {rate: " + std::to_string(std::llround(8e-3 * fit.link.rate / payloadShare)) +
           "kbps}   # " + interval + "\n";
}

} // namespace

std::string
WriteOverheadYaml(const OverheadFit& fit, double payloadShare)
{
    const OverheadRefusals& refusals = fit.refusals;
    const bool none =
        !refusals.alpha.empty() && !refusals.beta.empty() && !refusals.parallel.empty();
    std::string yaml = PrintWindow(fit);
    yaml += none ? "# overhead:\n" : "overhead:\n";
    yaml += PrintKey("alpha", fit.alpha, "seconds per byte", refusals.alpha);
    yaml += PrintKey("beta", fit.beta, "seconds", refusals.beta);
    const std::string parallel = fit.link.parallel ? "true" : "false";
    yaml += refusals.parallel.empty()
                ? "  parallel: " + parallel + "   # the deviance of the other model is " +
                      std::to_string(std::llround(fit.deviance)) + " more\n"
                : "  # parallel: ...\n" + PrintRefusal("  ", refusals.parallel);
    yaml += PrintRate(fit, payloadShare);
    yaml += "# " + Print(fit.link.latency) + " s from request to first byte; " +
            PrintInterval(fit.latency) + "\n";
    return yaml;
}

} // namespace ns3::dml
