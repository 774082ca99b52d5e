/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-table.h"

#include "ns3/dml-plot-script.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return the choice for which @p is holds; there must be one
template <typename Condition>
const EngineChoice&
FindChoice(const Condition& is)
{
    const auto& all = GetEngineChoices();
    const auto found = std::find_if(all.begin(), all.end(), is);
    return all.at(found - all.begin());
}

} // namespace

bool
EngineInfo::Has(EngineTrait trait) const
{
    return traits.count(trait) > 0;
}

const std::vector<EngineInfo>&
GetEngines()
{
    using Trait = EngineTrait;
    static const std::vector<EngineInfo> engines{
        {EngineKind::FAIR_SHARE,
         "fair-share",
         plotcolor::BLUE,
         7,
         {Trait::QUICK, Trait::COUNTS_PAYLOAD}},
        {EngineKind::PACKET,
         "packet",
         plotcolor::VERMILION,
         4,
         {Trait::SIMULATES_PACKETS,
          Trait::LOSES_PACKETS,
          Trait::SENDS_HEADERS,
          Trait::MEASURES_SHARES,
          Trait::SPLITS_OVER_RANKS}},
        {EngineKind::HOST,
         "host",
         plotcolor::GREEN,
         6,
         {Trait::LOSES_PACKETS,
          Trait::SENDS_HEADERS,
          Trait::MEASURES_SHARES,
          Trait::RUNS_IN_REAL_TIME}},
    };
    return engines;
}

const EngineInfo&
GetEngine(EngineKind kind)
{
    return GetEngines().at(static_cast<std::size_t>(kind));
}

const std::string&
GetEngineName(EngineKind kind)
{
    return GetEngine(kind).name;
}

bool
AnyHas(const EngineSet& engines, EngineTrait trait)
{
    return std::any_of(engines.begin(), engines.end(), [trait](EngineKind kind) {
        return GetEngine(kind).Has(trait);
    });
}

const std::vector<EngineChoice>&
GetEngineChoices()
{
    static const std::vector<EngineChoice> choices = [] {
        std::vector<EngineChoice> list;
        for (const auto& engine : GetEngines())
        {
            list.push_back({engine.name, {engine.kind}});
        }
        list.push_back({DEFAULT_ENGINES, {EngineKind::FAIR_SHARE, EngineKind::PACKET}});
        list.push_back({"all", {EngineKind::FAIR_SHARE, EngineKind::PACKET, EngineKind::HOST}});
        return list;
    }();
    return choices;
}

std::vector<std::string>
ListEngineChoices()
{
    std::vector<std::string> names;
    for (const auto& choice : GetEngineChoices())
    {
        names.push_back(choice.name);
    }
    return names;
}

const EngineSet&
ChooseEngines(const std::string& choice)
{
    return FindChoice([&](const EngineChoice& one) { return one.name == choice; }).engines;
}

const std::string&
NameEngines(const EngineSet& engines)
{
    return FindChoice([&](const EngineChoice& one) { return one.engines == engines; }).name;
}

std::vector<EngineComparison>
ListHostComparisons(const EngineSet& engines)
{
    std::vector<EngineComparison> comparisons;
    for (const EngineKind kind : engines)
    {
        if (kind != EngineKind::HOST && engines.count(EngineKind::HOST) > 0)
        {
            comparisons.push_back({kind, EngineKind::HOST});
        }
    }
    return comparisons;
}

} // namespace ns3::dml
