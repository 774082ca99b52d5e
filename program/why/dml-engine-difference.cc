/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-wait.h"
#include "dml-why-report.h"

#include "ns3/dml-match-effects.h"
#include "ns3/dml-study-words.h"
#include "ns3/dml-table-cells.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/core.h>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_TRANSFERS = 6;       //!< transfers that are listed
constexpr std::size_t MOST_STATES = 3;          //!< of which states are told
constexpr double FEWEST_AHEAD = 0.05;           //!< transfers ahead that are named, on average
constexpr std::size_t TRANSFER_NAME_WIDTH = 30; //!< columns

/// @return mean seconds of each part of a step, and of all
std::array<double, TIME_PARTS + 1>
GetMeanParts(const WhyAnalysis& analysis)
{
    std::array<double, TIME_PARTS + 1> means{};
    for (const auto& path : analysis.paths)
    {
        const auto parts = path.GetParts();
        for (std::size_t part = 0; part < TIME_PARTS; ++part)
        {
            means[part] += parts[part] / analysis.paths.size();
        }
        means[TIME_PARTS] += (path.step.end - path.step.start) / analysis.paths.size();
    }
    return means;
}

std::string
FormatSigned(double value)
{
    return (value < 0 ? "-" : "+") + FormatValue(std::abs(value));
}

/// Lines of an engine on the states of a transfer.
std::string
FormatState(const RecordedJob& job, const TransferKey& key)
{
    const TransferState state = MeasureState(job, key);
    std::string text = fmt::format("    {:<28} {:>10} {:>10} {:>10} {:>10}\n",
                                   job.engine,
                                   FormatValue(state.queued),
                                   FormatValue(state.sending),
                                   FormatValue(state.held),
                                   FormatValue(state.onItsWay));
    if (state.aheadCount >= FEWEST_AHEAD)
    {
        text += fmt::format("      behind {} of {} ({:.1f} on average)\n",
                            KeepEnd(state.ahead, TRANSFER_NAME_WIDTH),
                            state.aheadIsOwn ? "its own worker" : "other workers",
                            state.aheadCount);
    }
    return text;
}

std::string
FormatTransfers(const WhyAnalysis& one, const WhyAnalysis& other)
{
    const auto first = MeasureTransfers(*one.job);
    const auto second = MeasureTransfers(*other.job);
    std::map<TransferKey, double> both;
    for (const auto& [key, times] : first)
    {
        const auto match = second.find(key);
        if (match != second.end())
        {
            both[key] = std::abs(times.GetMean() - match->second.GetMean());
        }
    }
    auto differences = ListLargest(both, MOST_TRANSFERS);
    std::string text = "\n" + fmt::format("  {:<30} {:>10} {:>10} {:>10}  beside it\n",
                                          "from ready to arrival, s",
                                          one.job->engine,
                                          other.job->engine,
                                          "difference");
    for (const auto& [difference, key] : differences)
    {
        const TransferWait& a = first.at(key);
        const TransferWait& b = second.at(key);
        text += fmt::format("  {:<30} {:>10} {:>10} {:>10} {:>5.1f} {:>4.1f}\n",
                            KeepEnd(key.first, TRANSFER_NAME_WIDTH),
                            FormatValue(a.GetMean()),
                            FormatValue(b.GetMean()),
                            FormatSigned(b.GetMean() - a.GetMean()),
                            a.GetOthers(),
                            b.GetOthers());
    }
    text += "  beside it: other transfers on the way to or from the same server meanwhile\n";
    differences.resize(std::min(differences.size(), MOST_STATES));
    if (differences.empty())
    {
        return text;
    }
    text += "\n" + fmt::format("  {:<30} {:>10} {:>10} {:>10} {:>10}\n",
                               "in which state, s",
                               "queued",
                               "sending",
                               "held back",
                               "on its way");
    for (const auto& [difference, key] : differences)
    {
        text += "  " + KeepEnd(key.first, TRANSFER_NAME_WIDTH) + "\n" + FormatState(*one.job, key) +
                FormatState(*other.job, key);
    }
    return text +
           "  queued: others are on its connection; held back: nothing is, though it could\n"
           "  be (a closed window, a protocol's rule); on its way: in TCP's buffers, in the\n"
           "  queues of ports, on the wire\n";
}

/// @return ratios of the pairs
Throughputs
GetRatios(const std::vector<std::pair<std::optional<double>, std::optional<double>>>& pairs)
{
    Throughputs ratios;
    for (const auto& [one, other] : pairs)
    {
        ratios.push_back(one && other && *other > 0 ? std::optional<double>(*one / *other)
                                                    : std::nullopt);
    }
    return ratios;
}

} // namespace

std::string
FormatDifference(const WhyAnalysis& one, const WhyAnalysis& other)
{
    const auto first = GetMeanParts(one);
    const auto second = GetMeanParts(other);
    std::string text = "why " + one.job->engine + " and " + other.job->engine + " differ\n\n" +
                       fmt::format("  {:<30} {:>10} {:>10} {:>10}\n",
                                   "critical path of a step, s",
                                   one.job->engine,
                                   other.job->engine,
                                   "difference");
    for (std::size_t part = 0; part <= TIME_PARTS; ++part)
    {
        if (first[part] == 0 && second[part] == 0)
        {
            continue;
        }
        const std::string name = part == TIME_PARTS ? "all" : ToString(static_cast<TimePart>(part));
        text += fmt::format("  {:<30} {:>10} {:>10} {:>10}\n",
                            name,
                            FormatValue(first[part]),
                            FormatValue(second[part]),
                            FormatSigned(second[part] - first[part]));
    }
    return text + FormatTransfers(one, other);
}

std::string
FormatEffects(ScenarioVariants& variants, const EngineComparison& comparison)
{
    const auto before = PairReplications(variants.RunUnchanged(comparison.what),
                                         variants.RunUnchanged(comparison.against));
    std::string rows;
    std::string left;
    for (const auto& effect : GetMatchEffects())
    {
        std::string obstacle;
        const auto scenario = variants.MakeWithout(effect, obstacle);
        if (!scenario)
        {
            left +=
                obstacle.empty()
                    ? ""
                    : WrapRemark(
                          fmt::format("  {} cannot be switched off: {}", effect.text, obstacle));
            continue;
        }
        const auto after = PairReplications(variants.Run(*scenario, comparison.what),
                                            variants.Run(*scenario, comparison.against));
        const auto left = EstimateDifference(after);
        const auto change =
            EstimateDifference(PairReplications(GetRatios(before), GetRatios(after)));
        rows += fmt::format("  {:<34} {:>13}   {}{}\n",
                            effect.text,
                            left.value ? fmt::format("{:+.1f}", 100 * *left.value).c_str() : "-",
                            PercentText(change, 1),
                            change.IsSignificant() ? "" : " ?");
    }
    return rows.empty() ? ""
                        : "\n  throughput of " + GetEngineName(comparison.what) + " against " +
                              GetEngineName(comparison.against) + ": " +
                              PercentText(EstimateDifference(before), 1) +
                              " %\n\n  without                                        %   effect, "
                              "%\n" +
                              rows + DOUBT_NOTE + left;
}

} // namespace ns3::dml
