/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-match-table.h"

#include "dml-csv-name.h"
#include "dml-result-file.h"
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
FormatMatch(uint32_t workers, const std::string& name, const EngineSummary& engine)
{
    const Confidence slower = engine.GetMatched();
    if (slower.count == 0)
    {
        const auto& runs = engine.replications;
        return runs.empty() || !runs.front().matched
                   ? ""
                   : WrapRemark(fmt::format("{:>4}  {:<10}not known: {}",
                                            workers,
                                            name,
                                            runs.front().matched->reason));
    }
    LinkBias all;
    double overlap = 0;
    for (const auto& run : engine.replications)
    {
        if (run.matched && run.matched->slower)
        {
            all.steps += run.matched->steps;
            all.recorded += run.matched->recorded;
            all.predicted += run.matched->predicted;
            overlap += run.matched->overlap * static_cast<double>(run.matched->steps);
        }
    }
    const std::string half = slower.halfWidth ? fmt::format("{:.2f}", *slower.halfWidth) : "?";
    return fmt::format(LINE,
                       workers,
                       name,
                       fmt::format("{:.2f} +- {}", *slower.mean, half),
                       fmt::format("{:+.2f}", all.GetRaw().value_or(0)),
                       all.steps,
                       fmt::format("{:.1f}", 100 * overlap / static_cast<double>(all.steps)));
}

} // namespace

std::string
FormatMatches(const std::vector<const CaseSummary*>& cases)
{
    std::string lines;
    for (const CaseSummary* item : cases)
    {
        for (const auto& [kind, engine] : item->engines)
        {
            lines += FormatMatch(item->workers, GetEngineName(kind), engine);
        }
    }
    return lines.empty()
               ? ""
               : "fair-share, each step from its recorded begin (doc/matched-comparison.rst):\n" +
                     fmt::format(LINE,
                                 "W",
                                 "engine",
                                 "links % slower",
                                 "raw %",
                                 "steps",
                                 "overlap %") +
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
                        "gain,spread_ratio,overlap,steps,undefined_because\n";
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
                                                bias.overlap,
                                                bias.steps,
                                                WriteCsvName(bias.reason));
                file.Commit();
            }
        }
    }
}

} // namespace ns3::dml
