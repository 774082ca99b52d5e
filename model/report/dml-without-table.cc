/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-without-table.h"

#include "ns3/dml-effect-bias.h"

#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* WITHOUT_LINE = "{:>4}  {:<10}{:<13}{:>18}";

/// Columns of what an effect makes of a bias, behind that.
constexpr std::size_t EFFECT_WIDTH = 20;

/// Below the table.
constexpr const char* WITHOUT_NOTE =
    "  effect: the bias with it less that without it, in the same replications;\n"
    "  ?: may be 0\n";

/// Values of several runs, as of CombineRuns().
using RunValues = std::vector<std::pair<double, std::optional<double>>>;

/// @return lines of a configuration and an engine
std::string
FormatWithoutGroup(uint32_t workers,
                   const std::string& engine,
                   const std::vector<const WithoutBias*>& found)
{
    std::vector<std::string> names; // in their order
    for (const WithoutBias* bias : found)
    {
        if (std::find(names.begin(), names.end(), bias->effect) == names.end())
        {
            names.push_back(bias->effect);
        }
    }
    std::string lines;
    for (const auto& name : names)
    {
        RunValues slower;
        RunValues change;
        std::string obstacle;
        for (const WithoutBias* bias : found)
        {
            if (bias->effect == name && bias->slower)
            {
                slower.emplace_back(*bias->slower, bias->halfWidth);
            }
            if (bias->effect == name && bias->change)
            {
                change.emplace_back(*bias->change, bias->changeHalfWidth);
            }
            if (bias->effect == name && !bias->slower)
            {
                obstacle = bias->obstacle;
            }
        }
        if (slower.empty())
        {
            lines += WrapRemark(fmt::format("{:>16}{:<13}not known: {}", "", name, obstacle));
            continue;
        }
        const Confidence effect = CombinePairs(change);
        const std::string cells = fmt::format(WITHOUT_LINE,
                                              lines.empty() ? std::to_string(workers) : "",
                                              lines.empty() ? engine : "",
                                              name.empty() ? "nothing" : name,
                                              FormatPercent(CombineRuns(slower)));
        const bool certain = effect.mean && IsCertainBias(effect);
        lines += cells + (name.empty() ? "" : Right(FormatPercent(effect), EFFECT_WIDTH)) +
                 (name.empty() || certain ? "\n" : " ?\n");
    }
    return lines;
}

} // namespace

std::string
FormatWithout(const std::vector<RunWithout>& runs)
{
    return FormatFindings(
               runs,
               MakeMatchHead("beside packets without an effect",
                             fmt::format(WITHOUT_LINE, "W", "engine", "without", "links % slower") +
                                 Right("effect, links %", EFFECT_WIDTH) + "\n"),
               FormatWithoutGroup) +
           (runs.empty() ? "" : WITHOUT_NOTE);
}

void
WriteWithoutCsv(ResultFile& file, const std::vector<RunWithout>& runs)
{
    WriteFindings(file,
                  runs,
                  "without,links_slower_percent,ci95,effect_percent,effect_ci95",
                  [](const WithoutBias& bias) {
                      return fmt::format("{},{},{},{},{},{}",
                                         bias.effect,
                                         WriteCsvNumber(bias.slower),
                                         WriteCsvNumber(bias.halfWidth),
                                         WriteCsvNumber(bias.change),
                                         WriteCsvNumber(bias.changeHalfWidth),
                                         WriteCsvName(bias.obstacle));
                  });
}

} // namespace ns3::dml
