/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-effect-trials.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-progress-board.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-study-plan.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-table-cells.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <sstream>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// @return the effects that are named; @throws InputError for a name that is none
std::vector<const MatchEffect*>
ChooseEffects(const std::string& names)
{
    std::vector<const MatchEffect*> all;
    for (const auto& effect : GetMatchEffects())
    {
        if (effect.without)
        {
            all.push_back(&effect);
        }
    }
    if (names == "all")
    {
        return all;
    }
    std::vector<const MatchEffect*> chosen;
    std::istringstream items(names + ",");
    for (std::string name; std::getline(items, name, ',');)
    {
        const auto found = std::find_if(all.begin(), all.end(), [&](const MatchEffect* effect) {
            return effect->name == name;
        });
        if (found == all.end())
        {
            throw InputError("--without: found '" + name + "'; accepted: all, or of " +
                             JoinWords(EffectTrials::ListNames()));
        }
        if (std::find(chosen.begin(), chosen.end(), *found) == chosen.end())
        {
            chosen.push_back(*found);
        }
    }
    return chosen;
}

/// @return what all variants are like
std::string
Describe(const std::vector<Scenario>& scenarios)
{
    std::string text;
    for (const auto& scenario : scenarios)
    {
        text += ScenarioToJson(scenario).dump() + "\n";
    }
    return text;
}

/// @return half of the interval of a difference
std::optional<double>
CombineHalves(const std::optional<double>& one, const std::optional<double>& other)
{
    return one && other ? std::optional(std::hypot(*one, *other)) : std::nullopt;
}

} // namespace

EffectTrials::EffectTrials(const StoredScenario& scenario,
                           const std::string& names,
                           double budget,
                           uint32_t jobs)
    : m_study(jobs)
{
    const EngineSet engines{EngineKind::PACKET};
    const std::string before = Describe(scenario.MakeModels({}));
    std::size_t runs = 0;
    double seconds = 0;
    std::string left;
    for (const MatchEffect* effect : ChooseEffects(names))
    {
        const auto settings = effect->without(scenario.GetFirstModel());
        Trial trial{effect, {}};
        try
        {
            trial.scenarios = scenario.MakeModels(settings);
        }
        catch (const InputError& error)
        {
            left += WrapRemark(
                fmt::format("{}: cannot be switched off here: {}", effect->name, error.what()));
            continue;
        }
        if (settings.empty() || Describe(trial.scenarios) == before)
        {
            left += WrapRemark(fmt::format("{}: this network has none", effect->name));
            continue;
        }
        for (auto& model : trial.scenarios)
        {
            model.fairShare.matched.draws = std::max<uint32_t>(1, model.fairShare.matched.draws);
        }
        StudyPlan plan(trial.scenarios, engines);
        plan.PrepareAll();
        double cost = 0;
        for (const auto& run : plan.GetRuns())
        {
            cost += run.cost.cpuSeconds;
        }
        if (seconds + cost > budget)
        {
            left += WrapRemark(fmt::format("{}: its {} would take {} of CPU",
                                           effect->name,
                                           Plural(plan.GetRuns().size(), "run"),
                                           FormatDuration(cost)));
            continue;
        }
        seconds += cost;
        runs += plan.GetRuns().size();
        std::string keys;
        for (const auto& setting : settings)
        {
            keys += (keys.empty() ? "" : ", ") + setting;
        }
        m_legend += WrapRemark(fmt::format("  {}: {} ({})", effect->name, effect->text, keys));
        m_trials.push_back(std::move(trial));
    }
    m_note = WrapRemark(fmt::format("{} of packets without an effect, about {} of CPU; --budget "
                                    "allows {}",
                                    Plural(runs, "run"),
                                    FormatDuration(seconds),
                                    FormatDuration(budget))) +
             left;
}

void
EffectTrials::Run(std::vector<RunWithout>& runs)
{
    for (const auto& trial : m_trials)
    {
        for (const auto& item : m_study.RunAll(trial.scenarios, EngineKind::PACKET))
        {
            for (const auto& result : item.engines.at(EngineKind::PACKET).replications)
            {
                const RunKey key(item.GetVariantName(),
                                 item.workers,
                                 GetEngineName(EngineKind::PACKET),
                                 result.replication);
                const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& known) {
                    return known.run == key;
                });
                if (run == runs.end() || run->found.empty())
                {
                    continue;
                }
                const WithoutBias& with = run->found.front();
                WithoutBias without;
                without.effect = trial.effect->name;
                if (result.matched && result.matched->slower)
                {
                    without.slower = result.matched->slower;
                    without.halfWidth = result.matched->halfWidth;
                    without.change = *with.slower - *without.slower;
                    without.changeHalfWidth = CombineHalves(with.halfWidth, without.halfWidth);
                }
                run->found.push_back(std::move(without));
            }
        }
    }
}

std::vector<std::string>
EffectTrials::ListNames()
{
    std::vector<std::string> names;
    for (const auto& effect : GetMatchEffects())
    {
        if (effect.without)
        {
            names.emplace_back(effect.name);
        }
    }
    return names;
}

} // namespace ns3::dml
