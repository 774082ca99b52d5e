/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-answer.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-sweep-summary.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <fmt/core.h>

namespace ns3::dml
{

namespace
{

/// Share of the time from which on a link is called busy.
constexpr double BUSY = 0.85;

/// @return mean throughput in an engine, samples/s; 0 if it is not known
double
GetMean(const CaseSummary& item, EngineKind kind)
{
    const EngineSummary* engine = item.FindEngine(kind);
    return engine ? engine->GetThroughput().mean.value_or(0) : 0;
}

std::string
DescribeThroughput(const CaseSummary& item, EngineKind kind)
{
    const Confidence value = item.FindEngine(kind)->GetThroughput();
    return FormatValue(*value.mean) + " samples/s (" +
           (value.halfWidth
                ? fmt::format("95 % interval {} to {}",
                              FormatValue(std::max(0.0, *value.mean - *value.halfWidth)),
                              FormatValue(*value.mean + *value.halfWidth))
                : std::string("one replication, no interval")) +
           ", " + GetEngineName(kind) + " engine)";
}

/// @return "certainly", or that it may be chance
std::string
DescribeCertainty(const RelativeDifference& difference)
{
    return difference.IsSignificant() ? fmt::format("certainly ({:+.1f} to {:+.1f} %)",
                                                    100 * *difference.low,
                                                    100 * *difference.high)
           : difference.low
               ? fmt::format("not certainly ({:+.1f} to {:+.1f} %)",
                             100 * *difference.low,
                             100 * *difference.high)
               : std::string("by one replication each, which says nothing about chance");
}

/// @return what the fastest variant gains over the next best one with as many workers
std::string
CompareVariants(const RunSummary& summary, const CaseSummary& best, EngineKind kind)
{
    const CaseSummary* next = nullptr;
    for (const auto& item : summary.cases)
    {
        if (item.workers == best.workers && item.variant != best.variant &&
            GetMean(item, kind) > 0 && (!next || GetMean(item, kind) > GetMean(*next, kind)))
        {
            next = &item;
        }
    }
    if (!next)
    {
        return "";
    }
    const RelativeDifference difference =
        CompareRuns(best.FindEngine(kind), next->FindEngine(kind));
    return difference.value ? fmt::format("Against the next best, {}, that is {:+.1f} %, {}.",
                                          next->GetVariantName(),
                                          100 * *difference.value,
                                          DescribeCertainty(difference))
                            : "";
}

/// @return whether all workers compute on the same, and as large a batch, in all replications
bool
AreAlike(const CaseSummary& item, EngineKind kind)
{
    const auto& runs = item.FindEngine(kind)->replications;
    return std::all_of(runs.begin(), runs.end(), [](const ReplicationSummary& run) {
        return run.workersAlike;
    });
}

/// @return how much more the fastest number of workers gives than the smallest one
std::string
CompareWorkers(const RunSummary& summary, const CaseSummary& best, EngineKind kind)
{
    const CaseSummary* fewest = nullptr;
    for (const auto& item : summary.cases)
    {
        if (item.variant == best.variant && item.workers < best.workers &&
            GetMean(item, kind) > 0 && (!fewest || item.workers < fewest->workers))
        {
            fewest = &item;
        }
    }
    if (!fewest)
    {
        return "";
    }
    const double ratio = GetMean(best, kind) / GetMean(*fewest, kind);
    const std::string text = fmt::format("That is {:.2f} times what {} {}",
                                         ratio,
                                         Plural(fewest->workers, "worker"),
                                         fewest->workers == 1 ? "gives" : "give");
    if (!AreAlike(best, kind) || !AreAlike(*fewest, kind))
    {
        return text + "; but workers are not alike.";
    }
    const double most = static_cast<double>(best.workers) / fewest->workers;
    return text + fmt::format(", of {:.3g} times if nothing held them up ({:.0f} %).",
                              most,
                              100 * ratio / most);
}

/// @return how busy the links of servers are
std::string
DescribeLinks(const CaseSummary& item, EngineKind kind)
{
    const EngineSummary& engine = *item.FindEngine(kind);
    const auto down = engine.GetUtilisation(Direction::DOWNLINK);
    const auto up = engine.GetUtilisation(Direction::UPLINK);
    if (!down || !up)
    {
        return "";
    }
    return fmt::format(
        "The busiest server's link carries {:.0f} % (down) and {:.0f} % (up) of what "
        "fits: it is {}.",
        100 * *down,
        100 * *up,
        std::max(*down, *up) >= BUSY ? "nearly full" : "not full");
}

/// @return how far the default engines are apart there
std::string
CompareEngines(const CaseSummary& item)
{
    const RelativeDifference difference = item.GetDifference(MAIN_COMPARISON);
    return difference.value ? fmt::format("The {} engine says {:+.1f} % against {} there, {}.",
                                          GetEngineName(MAIN_COMPARISON.what),
                                          100 * *difference.value,
                                          GetEngineName(MAIN_COMPARISON.against),
                                          DescribeCertainty(difference))
                            : "";
}

} // namespace

std::vector<std::string>
AnswerStudy(const RunSummary& summary)
{
    const SweepSummary sweep = SummarizeSweep(summary);
    const EngineKind kind = sweep.engine;
    const auto best = std::max_element(summary.cases.begin(),
                                       summary.cases.end(),
                                       [kind](const CaseSummary& a, const CaseSummary& b) {
                                           return GetMean(a, kind) < GetMean(b, kind);
                                       });
    if (best == summary.cases.end() || GetMean(*best, kind) == 0)
    {
        return {"No throughput is known: see the notes."};
    }
    const bool swept = !sweep.variants.empty();
    std::vector<std::string> sentences{(swept ? "Of " + Plural(sweep.variants.size(), "variant") +
                                                    ", " + best->GetVariantName() +
                                                    " is the fastest: with "
                                              : "With ") +
                                       Plural(best->workers, "worker") + ", " + best->model +
                                       " trains at " + DescribeThroughput(*best, kind) + "."};
    for (const auto& sentence :
         {swept ? CompareVariants(summary, *best, kind) : CompareWorkers(summary, *best, kind),
          DescribeLinks(*best, kind),
          CompareEngines(*best)})
    {
        if (!sentence.empty())
        {
            sentences.push_back(sentence);
        }
    }
    return sentences;
}

} // namespace ns3::dml
