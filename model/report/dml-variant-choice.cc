/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-variant-choice.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return throughputs by replication; none where the engine did not run
std::vector<std::optional<double>>
ListThroughputs(const CaseSummary& item, EngineKind kind)
{
    std::vector<std::optional<double>> values;
    if (const EngineSummary* engine = item.FindEngine(kind))
    {
        for (const auto& run : engine->replications)
        {
            values.resize(std::max<std::size_t>(values.size(), run.replication + 1));
            values[run.replication] = run.throughput.samplesPerSecond;
        }
    }
    return values;
}

} // namespace

bool
VariantChoice::MayBeFastest(const CaseSummary& item) const
{
    const auto found = std::find(cases.begin(), cases.end(), &item);
    return found != cases.end() && choice.mayBeBest[found - cases.begin()];
}

std::map<uint32_t, VariantChoice>
ChooseVariants(const RunSummary& summary, EngineKind kind)
{
    std::map<uint32_t, VariantChoice> choices;
    for (const auto& item : summary.cases)
    {
        choices[item.workers].cases.push_back(&item);
    }
    std::size_t comparisons = 0;
    std::map<uint32_t, std::vector<std::vector<std::optional<double>>>> throughputs;
    for (const auto& [workers, choice] : choices)
    {
        std::size_t known = 0;
        for (const CaseSummary* item : choice.cases)
        {
            const auto& values = throughputs[workers].emplace_back(ListThroughputs(*item, kind));
            known += std::any_of(values.begin(), values.end(), [](const auto& value) {
                return value.has_value();
            });
        }
        comparisons += known > 0 ? known - 1 : 0;
    }
    for (auto& [workers, choice] : choices)
    {
        choice.choice = ChooseBest(throughputs[workers], comparisons);
    }
    return choices;
}

} // namespace ns3::dml
