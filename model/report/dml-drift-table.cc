/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-drift-table.h"

#include "ns3/dml-ratio-interval.h"

#include <fmt/core.h>
#include <map>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr const char* DRIFT_LINE = "{:>4}  {:<10}{:>7}{:>21}{:>9}\n";

/// @return lines of a configuration and an engine
std::string
FormatGroup(uint32_t workers,
            const std::string& engine,
            const std::vector<const RestartBias*>& found)
{
    std::map<uint32_t, std::vector<const RestartBias*>> group; // by number of steps
    for (const RestartBias* bias : found)
    {
        group[bias->horizon].push_back(bias);
    }
    std::string lines;
    for (const auto& [horizon, biases] : group)
    {
        std::vector<std::pair<double, std::optional<double>>> runs;
        std::size_t starts = 0;
        for (const RestartBias* bias : biases)
        {
            starts += bias->starts;
            if (const auto longer = bias->GetLonger())
            {
                runs.emplace_back(*longer, bias->halfWidth);
            }
        }
        lines += fmt::format(DRIFT_LINE,
                             workers,
                             engine,
                             horizon,
                             FormatPercent(CombineRuns(runs)),
                             starts);
    }
    return lines;
}

} // namespace

std::string
FormatDrifts(const std::vector<RunDrift>& runs)
{
    return FormatFindings(
        runs,
        MakeMatchHead(
            "on its own from recorded instants",
            fmt::format(DRIFT_LINE, "W", "engine", "steps", "recorded % longer", "starts")),
        FormatGroup);
}

void
WriteDriftCsv(ResultFile& file, const std::vector<RunDrift>& runs)
{
    WriteFindings(file, runs, "horizon,longer_percent,ci95,starts", [](const RestartBias& bias) {
        return fmt::format("{},{},{},{},",
                           bias.horizon,
                           WriteCsvNumber(bias.GetLonger()),
                           WriteCsvNumber(bias.halfWidth),
                           bias.starts);
    });
}

} // namespace ns3::dml
