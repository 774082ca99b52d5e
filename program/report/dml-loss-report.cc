/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-loss-report.h"

#include "dml-study-warnings.h"

#include "ns3/dml-plural.h"

#include <algorithm>
#include <fmt/core.h>
#include <utility>

namespace ns3::dml
{

namespace
{

std::string
Describe(const CaseSummary& item, const LossSum& sum)
{
    return "losses: " + item.GetName() + ": " + Plural(sum.drops, "drop") + ", " +
           Plural(sum.retransmissions, "retransmission") + ", " + Plural(sum.timeouts, "timeout") +
           ", " + std::to_string(sum.recoveries) +
           (sum.recoveries == 1 ? " fast recovery" : " fast recoveries") + " in " +
           std::to_string(sum.replications) + " of " + Plural(sum.runs, "replication");
}

} // namespace

LossSum::operator bool() const
{
    return replications > 0;
}

LossSum
SumLosses(const EngineSummary& engine)
{
    LossSum sum;
    sum.runs = engine.replications.size();
    for (const auto& run : engine.replications)
    {
        const uint64_t drops = run.drops.value_or(0);
        const uint64_t retransmissions = run.retransmissions.value_or(0);
        const uint64_t timeouts = run.timeouts.value_or(0);
        const uint64_t recoveries = run.recoveries.value_or(0);
        sum.drops += drops;
        sum.retransmissions += retransmissions;
        sum.timeouts += timeouts;
        sum.recoveries += recoveries;
        sum.replications += drops + retransmissions + timeouts + recoveries > 0 ? 1 : 0;
    }
    return sum;
}

std::vector<std::string>
MakeLossNotes(const RunSummary& summary)
{
    std::vector<std::pair<const CaseSummary*, LossSum>> losses;
    std::size_t large = 0;
    uint32_t mtu = 0;
    for (const auto& item : summary.cases)
    {
        const auto* engine = item.FindEngineThat(EngineTrait::LOSES_PACKETS);
        const LossSum sum = engine ? SumLosses(*engine) : LossSum();
        if (sum)
        {
            losses.emplace_back(&item, sum);
            large += IsLargePacket(item.mtu) ? 1 : 0;
            mtu = std::max(mtu, item.mtu);
        }
    }
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) {
        return a.second.retransmissions > b.second.retransmissions;
    });
    std::vector<std::string> notes;
    if (large > 0)
    {
        notes.push_back("warning: packets of up to " + std::to_string(mtu) +
                        " bytes were lost in " + Plural(large, "configuration") + ": " +
                        DescribeLargeLoss());
    }
    const std::size_t lines = std::min(losses.size(), MOST_REPORT_LINES);
    for (std::size_t i = 0; i < lines; ++i)
    {
        notes.push_back(Describe(*losses[i].first, losses[i].second));
    }
    if (losses.size() > lines)
    {
        notes.push_back("losses: in " + Plural(losses.size() - lines, "more configuration") +
                        "; see \"losses\" in summary.json");
    }
    return notes;
}

std::vector<std::string>
MakeSkipNotes(const RunSummary& summary)
{
    double least = 1;
    double time = 0;
    SkippedTotals skipped;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            for (const auto& run : engine.replications)
            {
                if (run.skipped)
                {
                    skipped.Add(*run.skipped);
                    time += run.end;
                    least = std::min(least, run.skipped->seconds / run.end);
                }
            }
        }
    }
    if (time == 0)
    {
        return {};
    }
    return {fmt::format("fast forward: {:.1f} % of the time was skipped, in the run with the least "
                        "{:.1f} %",
                        100 * skipped.seconds / time,
                        100 * least),
            skipped.checkedBytes > 0
                ? fmt::format("fast forward: {} of {} skips were simulated instead; there rates "
                              "are off by {:.2f} %, at most {:.2f} %",
                              skipped.checks,
                              skipped.skips + skipped.checks,
                              100 * skipped.GetMeanError(),
                              100 * skipped.largestError)
                : "fast forward: no skip was simulated instead, so how far off rates are is not "
                  "known"};
}

} // namespace ns3::dml
