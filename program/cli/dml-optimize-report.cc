/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-optimize-report.h"

#include "ns3/dml-plural.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <utility>

namespace ns3::dml
{

std::string
FormatStrategies(std::vector<TriedStrategy> tried, std::optional<double> now)
{
    constexpr std::size_t MOST_LINES = 12;
    std::stable_sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) {
        return a.score.value_or(0) > b.score.value_or(0);
    });
    const bool memory = tried.front().strategy.peak > 0;
    std::string text = "  strategy                         samples/s   as it is";
    text += memory ? "     peak MB\n" : "\n";
    std::size_t lines = 0;
    for (const auto& one : tried)
    {
        const bool shown = one.strategy.isDefault || lines < MOST_LINES;
        if (!shown)
        {
            continue;
        }
        ++lines;
        text += fmt::format(
            "  {:<32} {:>9}   {}{}{}\n",
            one.strategy.name,
            one.score ? FormatValue(*one.score).c_str() : "refused",
            one.score && now ? fmt::format("{:>+7.2f} %", 100 * (*one.score / *now - 1)).c_str()
                             : "",
            one.strategy.isDefault ? "   default" : "",
            memory ? fmt::format("{:>12.1f}", one.strategy.peak / 1e6).c_str() : "");
    }
    return text;
}

std::string
DescribeGap(const std::vector<TriedStrategy>& tried)
{
    double all = 0;
    double found = 0;
    for (const auto& one : tried)
    {
        const bool exhaustive = one.strategy.name.rfind("exhaustive", 0) == 0;
        double& best = exhaustive ? all : found;
        best = std::max(best, one.score.value_or(0));
    }
    return all > 0 && found > 0 ? fmt::format("of all groups of neighbours, the best one gives "
                                              "{:+.2f} % against the best of\n"
                                              "the other passes\n",
                                              100 * (all / found - 1))
                                : "";
}

std::string
DescribeTimeline(const GradientTimeline& timeline)
{
    return Plural(timeline.gradients.size(), "gradient") + ", the last one ready after " +
           FormatValue(timeline.gradients.back().ready) + " s\nreducing B bytes takes " +
           FormatValue(1e3 * timeline.latency) + " ms + B / " +
           FormatValue(timeline.secondsPerByte > 0 ? 1e-6 / timeline.secondsPerByte : 0) +
           " MB/s, within " + fmt::format("{:.1f}", 100 * timeline.error) + " % of the longest\n\n";
}

std::string
WriteSettings(const std::vector<std::string>& settings)
{
    std::map<std::string, std::string> maps; // by the first part of their keys
    for (const auto& setting : settings)
    {
        const std::size_t dot = setting.find('.');
        const std::size_t equals = setting.find('=');
        maps[setting.substr(0, dot)] += "  " + setting.substr(dot + 1, equals - dot - 1) + ": " +
                                        setting.substr(equals + 1) + "\n";
    }
    std::string text;
    for (const auto& [key, lines] : maps)
    {
        text += key + ":\n" + lines;
    }
    return text;
}

} // namespace ns3::dml
