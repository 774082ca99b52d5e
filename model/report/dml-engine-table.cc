/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-engine-table.h"

#include "ns3/dml-plot-script.h"

#include <algorithm>
#include <sstream>

namespace ns3::dml
{

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
        {EngineKind::BURST, "burst", plotcolor::ORANGE, 9, {Trait::QUICK, Trait::COUNTS_PAYLOAD}},
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

std::optional<EngineSet>
FindEngines(const std::string& choice)
{
    const auto& choices = GetEngineChoices();
    const auto find = [&choices](const std::string& name) {
        return std::find_if(choices.begin(), choices.end(), [&name](const EngineChoice& known) {
            return known.name == name;
        });
    };
    if (const auto found = find(choice); found != choices.end())
    {
        return found->engines;
    }
    EngineSet engines;
    std::istringstream names(choice + ",");
    for (std::string name; std::getline(names, name, ',');)
    {
        const auto found = find(name);
        if (found == choices.end() || found->engines.size() > 1)
        {
            return std::nullopt;
        }
        engines.insert(*found->engines.begin());
    }
    return engines;
}

EngineSet
ChooseEngines(const std::string& choice)
{
    return FindEngines(choice).value();
}

std::string
NameEngines(const EngineSet& engines)
{
    for (const auto& choice : GetEngineChoices())
    {
        if (choice.engines == engines)
        {
            return choice.name;
        }
    }
    std::string name;
    for (const EngineKind kind : engines)
    {
        name += (name.empty() ? "" : ",") + GetEngineName(kind);
    }
    return name;
}

std::vector<EngineComparison>
ListFurtherComparisons(const EngineSet& engines)
{
    std::vector<EngineComparison> comparisons;
    const bool plain = engines == EngineSet{MAIN_COMPARISON.what, MAIN_COMPARISON.against};
    const EngineKind nearest = engines.empty() ? EngineKind::FAIR_SHARE : *engines.rbegin();
    for (const EngineKind kind : engines)
    {
        if (!plain && kind != nearest && !GetEngine(nearest).Has(EngineTrait::QUICK))
        {
            comparisons.push_back({kind, nearest});
        }
    }
    return comparisons;
}

} // namespace ns3::dml
