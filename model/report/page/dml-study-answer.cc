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
#include "ns3/dml-variant-choice.h"

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

/// @return how far the mean of a throughput is known
std::string
DescribeUncertainty(const Confidence& value)
{
    const auto bounds = value.GetBounds();
    if (!bounds)
    {
        return "one replication, no interval";
    }
    const std::string ends =
        FormatValue(std::max(0.0, bounds->first)) + " to " + FormatValue(bounds->second);
    return value.IsRange() ? "the " + Plural(value.count, "replication") + " gave " + ends
                           : "95 % interval " + ends;
}

std::string
DescribeThroughput(const CaseSummary& item, EngineKind kind)
{
    const Confidence value = item.FindEngine(kind)->GetThroughput();
    return FormatValue(*value.mean) + " samples/s (" + DescribeUncertainty(value) + ", " +
           GetEngineName(kind) + " engine)";
}

/// @param certain whether it is @return "certainly", or that it may be chance
std::string
DescribeCertainty(const RelativeDifference& difference, bool certain)
{
    if (!difference.low || !difference.high)
    {
        return "by one replication each, which says nothing about chance";
    }
    const std::string ends =
        fmt::format("{:+.1f} to {:+.1f} %", 100 * *difference.low, 100 * *difference.high);
    return !difference.HasInterval()
               ? fmt::format("in {} pairs of replications {}, too few to be certain",
                             difference.pairs,
                             ends)
               : (certain ? "certainly (" : "not certainly (") + ends + ")";
}

/// @param shown choice whose best variant has this number of workers @return what the fastest
/// variant gains over the next best one, and which others may be as fast
std::string
CompareVariants(const VariantChoice& shown)
{
    const BestChoice& choice = shown.choice;
    if (!choice.next)
    {
        return "";
    }
    const RelativeDifference& lead = choice.lead[*choice.next];
    std::vector<std::string> equals; // that may be as fast
    for (std::size_t i = 0; i < shown.cases.size(); ++i)
    {
        if (i != *choice.best && choice.mayBeBest[i])
        {
            equals.push_back(shown.cases[i]->GetVariantName());
        }
    }
    std::string text;
    if (lead.value)
    {
        text = fmt::format("Against the next best, {}, that is {:+.1f} %, {}. ",
                           shown.cases[*choice.next]->GetVariantName(),
                           100 * *lead.value,
                           DescribeCertainty(lead, lead.IsSignificant()));
    }
    if (choice.IsCertain())
    {
        return text + "It is the fastest of all for certain (" + CHOICE_METHOD + ").";
    }
    constexpr std::size_t MOST = 5;
    text += "Not to be distinguished from it: ";
    for (std::size_t i = 0; i < std::min(MOST, equals.size()); ++i)
    {
        text += (i > 0 ? "; " : "") + equals[i];
    }
    return text + (equals.size() > MOST ? fmt::format("; and {} more", equals.size() - MOST) : "") +
           " (" + CHOICE_METHOD + ").";
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
                                          DescribeCertainty(difference, difference.IsSignificant()))
                            : "";
}

} // namespace

std::vector<std::string>
AnswerStudy(const RunSummary& summary)
{
    const SweepSummary sweep = SummarizeSweep(summary);
    const EngineKind kind = sweep.engine;
    const auto choices = ChooseVariants(summary, kind);
    const VariantChoice* chosen = nullptr; // with the number of workers that gives most
    const CaseSummary* best = nullptr;
    for (const auto& [workers, choice] : choices)
    {
        const CaseSummary* item = choice.choice.best ? choice.cases[*choice.choice.best] : nullptr;
        if (item && (!best || GetMean(*item, kind) > GetMean(*best, kind)))
        {
            chosen = &choice;
            best = item;
        }
    }
    if (!best)
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
         {swept ? CompareVariants(*chosen) : CompareWorkers(summary, *best, kind),
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
