/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sweep-summary.h"

#include "dml-table-cells.h"
#include "dml-variant-choice.h"

#include "ns3/dml-terminal-text.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <set>

namespace ns3::dml
{

namespace
{

constexpr std::size_t MOST_COLUMNS = 6;
constexpr std::size_t MOST_LINES = 100;
constexpr std::size_t COLUMN_WIDTH = 9; //!< number (8), star (1)

/// @return the last engine, in their order, that gave a throughput
EngineKind
FindEngine(const RunSummary& summary)
{
    EngineKind last = EngineKind::FAIR_SHARE;
    for (const auto& item : summary.cases)
    {
        for (const auto& [kind, engine] : item.engines)
        {
            last = engine.GetThroughput().mean ? std::max(last, kind) : last;
        }
    }
    return last;
}

/// @return at most MOST_COLUMNS of @p workers, the first and the last one among them
std::vector<uint32_t>
ChooseColumns(const std::vector<uint32_t>& workers)
{
    if (workers.size() <= MOST_COLUMNS)
    {
        return workers;
    }
    std::vector<uint32_t> chosen;
    for (std::size_t i = 0; i < MOST_COLUMNS; ++i)
    {
        chosen.push_back(
            workers[std::lround(double(i) * (workers.size() - 1) / (MOST_COLUMNS - 1))]);
    }
    return chosen;
}

/// @return the mean with this number of workers, if there is one
std::optional<double>
FindMean(const SweptVariant& variant, uint32_t workers)
{
    const auto found = variant.throughputs.find(workers);
    return found == variant.throughputs.end() ? std::nullopt : found->second.mean;
}

} // namespace

SweepSummary
SummarizeSweep(const RunSummary& summary)
{
    SweepSummary sweep;
    sweep.engine = FindEngine(summary);
    std::set<uint32_t> workers;
    std::map<std::string, std::size_t> places; // of variants, by name
    const auto choices = ChooseVariants(summary, sweep.engine);
    for (const auto& item : summary.cases)
    {
        const auto [known, isNew] = places.emplace(item.GetVariantName(), places.size());
        if (isNew)
        {
            sweep.variants.push_back({item.variant, {}, {}});
        }
        SweptVariant& variant = sweep.variants[known->second];
        const EngineSummary* engine = item.FindEngine(sweep.engine);
        variant.throughputs[item.workers] = engine ? engine->GetThroughput() : Confidence();
        workers.insert(item.workers);
        const VariantChoice& choice = choices.at(item.workers);
        if (choice.choice.next && choice.MayBeFastest(item))
        {
            variant.mayBeFastest.insert(item.workers);
        }
    }
    sweep.workers.assign(workers.begin(), workers.end());
    if (sweep.variants.size() == 1)
    {
        sweep.variants.clear();
    }
    return sweep;
}

std::string
FormatSweep(const SweepSummary& sweep)
{
    const auto columns = ChooseColumns(sweep.workers);
    const std::size_t width = LINE_WIDTH - columns.size() * COLUMN_WIDTH;
    std::string head = "samples/s, " + GetEngineName(sweep.engine);
    head.resize(width, ' ');
    for (const uint32_t workers : columns)
    {
        head += Right("W=" + std::to_string(workers), COLUMN_WIDTH - 1) + " ";
    }
    head.pop_back();
    std::string text = head + "\n" + std::string(head.size(), '-') + "\n";
    const std::size_t shown = std::min(sweep.variants.size(), MOST_LINES);
    for (std::size_t i = 0; i < shown; ++i)
    {
        const SweptVariant& variant = sweep.variants[i];
        std::string name = EscapeControls(NameVariant(variant.values));
        if (name.size() >= width)
        {
            text += WrapRemark(name);
            name.clear();
        }
        name.resize(width, ' ');
        for (const uint32_t workers : columns)
        {
            const auto mean = FindMean(variant, workers);
            name += Right(mean ? FormatValue(*mean) : "-", COLUMN_WIDTH - 1) +
                    (variant.mayBeFastest.count(workers) > 0 ? "*" : " ");
        }
        name.erase(name.find_last_not_of(' ') + 1);
        text += name + "\n";
    }
    std::string legend =
        std::string("*: the fastest of its column, or not distinguishable from it (") +
        CHOICE_METHOD + ")";
    if (shown < sweep.variants.size())
    {
        legend += fmt::format(", of all {} variants, the first {} of which are here",
                              sweep.variants.size(),
                              shown);
    }
    legend += columns.size() < sweep.workers.size() ? "; intervals and other W are above"
                                                    : "; intervals are above";
    return text + WrapRemark(legend);
}

} // namespace ns3::dml
