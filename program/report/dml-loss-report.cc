/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-loss-report.h"

#include "dml-study-warnings.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

std::string
Count(uint64_t n, const std::string& one, const std::string& many)
{
    return std::to_string(n) + " " + (n == 1 ? one : many);
}

std::string
GetCaseName(const CaseSummary& item)
{
    const std::string variant = item.GetVariantName();
    return "W=" + std::to_string(item.workers) + (variant.empty() ? "" : ", " + variant);
}

std::string
Describe(const CaseSummary& item, const LossSum& sum)
{
    return "losses: " + GetCaseName(item) + ": " + Count(sum.drops, "drop", "drops") + ", " +
           Count(sum.retransmissions, "retransmission", "retransmissions") + ", " +
           Count(sum.timeouts, "timeout", "timeouts") + ", " +
           Count(sum.recoveries, "fast recovery", "fast recoveries") + " in " +
           std::to_string(sum.replications) + " of " +
           Count(sum.runs, "replication", "replications");
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
                        " bytes were lost in " + Count(large, "configuration", "configurations") +
                        ": " + DescribeLargeLoss());
    }
    const std::size_t lines = std::min(losses.size(), MOST_REPORT_LINES);
    for (std::size_t i = 0; i < lines; ++i)
    {
        notes.push_back(Describe(*losses[i].first, losses[i].second));
    }
    if (losses.size() > lines)
    {
        notes.push_back("losses: in " +
                        Count(losses.size() - lines, "more configuration", "more configurations") +
                        "; see \"losses\" in summary.json");
    }
    return notes;
}

} // namespace ns3::dml
