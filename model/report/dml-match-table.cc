/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-table.h"

#include "dml-csv-name.h"
#include "dml-result-file.h"
#include "dml-run-finding.h"
#include "dml-table-cells.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>

namespace ns3::dml
{

namespace
{

constexpr const char* LINE = "{:>4}  {:<10}{:>21}{:>9}{:>8}{:>11}\n";

/// @return the line of a configuration and an engine
std::string
FormatMatch(uint32_t workers, const std::string& name, const MatchSummary& match)
{
    if (match.steps == 0)
    {
        return match.obstacle.empty() ? "" : FormatNotKnown(workers, name, match.obstacle);
    }
    std::string line = fmt::format(LINE,
                                   workers,
                                   name,
                                   FormatPercent(match.slower),
                                   fmt::format("{:+.2f}", match.raw),
                                   match.steps,
                                   fmt::format("{:.1f}", match.overlap));
    if (match.slower.count == 0)
    {
        line += WrapRemark("      " + match.obstacle);
    }
    else if (match.unknown > 0)
    {
        line += FormatUnknown(match.unknown, match.slower.count + match.unknown, match.obstacle);
    }
    return line;
}

} // namespace

MatchSummary
SummarizeMatches(const EngineSummary& engine)
{
    MatchSummary match;
    match.slower = engine.GetMatched();
    LinkBias all;
    for (const auto& run : engine.replications)
    {
        if (run.matched && run.matched->IsCompared())
        {
            const LinkBias& bias = *run.matched;
            all.steps += bias.steps;
            all.recorded += bias.recorded;
            all.predicted += bias.predicted;
            all.overlap += bias.overlap * static_cast<double>(bias.steps);
        }
        if (run.matched && !run.matched->slower)
        {
            ++match.unknown;
            match.obstacle = match.obstacle.empty() ? run.matched->reason : match.obstacle;
        }
    }
    match.raw = all.GetRaw().value_or(0);
    match.steps = all.steps;
    match.overlap = all.steps > 0 ? 100 * all.overlap / static_cast<double>(all.steps) : 0;
    return match;
}

std::string
FormatMatches(const std::vector<const CaseSummary*>& cases)
{
    std::string lines;
    for (const CaseSummary* item : cases)
    {
        for (const auto& [kind, engine] : item->engines)
        {
            lines += FormatMatch(item->workers, GetEngineName(kind), SummarizeMatches(engine));
        }
    }
    return lines.empty() ? ""
                         : MakeMatchHead("each step from its recorded begin",
                                         fmt::format(LINE,
                                                     "W",
                                                     "engine",
                                                     "links % slower",
                                                     "raw %",
                                                     "steps",
                                                     "overlap %")) +
                               lines;
}

bool
HasMatches(const RunSummary& summary)
{
    return std::any_of(summary.cases.begin(), summary.cases.end(), [](const CaseSummary& item) {
        return std::any_of(item.engines.begin(), item.engines.end(), [](const auto& engine) {
            const auto& runs = engine.second.replications;
            return std::any_of(runs.begin(), runs.end(), [](const ReplicationSummary& run) {
                return static_cast<bool>(run.matched);
            });
        });
    });
}

void
WriteMatchedCsv(ResultFile& file, const RunSummary& summary)
{
    file.GetBuffer() += "variant,workers,engine,replication,links_slower_percent,ci95,raw_percent,"
                        "gain,spread_ratio,overlap_percent,steps,undefined_because\n";
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                if (!run.matched)
                {
                    continue;
                }
                const LinkBias& bias = *run.matched;
                file.GetBuffer() += fmt::format("{},{},{},{},{},{},{},{},{},{:.9g},{},{}\n",
                                                WriteCsvName(item.GetVariantName()),
                                                item.workers,
                                                GetEngineName(kind),
                                                run.replication,
                                                WriteCsvNumber(bias.slower),
                                                WriteCsvNumber(bias.halfWidth),
                                                WriteCsvNumber(bias.GetRaw()),
                                                WriteCsvNumber(bias.GetGain()),
                                                WriteCsvNumber(bias.spread),
                                                100 * bias.overlap,
                                                bias.steps,
                                                WriteCsvName(bias.reason));
                file.Commit();
            }
        }
    }
}

} // namespace ns3::dml
