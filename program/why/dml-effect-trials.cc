/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-effect-trials.h"

#include "ns3/dml-error.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-progress-board.h"
#include "ns3/dml-recorded-steps.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-run-cost.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-study-plan.h"
#include "ns3/dml-suggestion.h"
#include "ns3/dml-table-cells.h"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

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

/// @param settings "key.path=value" @return them in a line, without values that fill several
std::string
JoinSettings(const std::vector<std::string>& settings)
{
    constexpr std::size_t LONGEST = 60;
    std::string keys;
    for (const auto& setting : settings)
    {
        keys +=
            (keys.empty() ? "" : ", ") +
            (setting.size() > LONGEST ? setting.substr(0, setting.find('=')) + "=..." : setting);
    }
    return keys;
}

} // namespace

WithoutBias
MatchWithout(const std::string& effect,
             const RunKey& run,
             const MatchRecorder& steps,
             const PreparedScenario& model)
{
    std::vector<BiasBlock> blocks;
    const LinkBias bias =
        steps.Match(model, std::get<1>(run), std::get<3>(run), FindFirstCounted(model), &blocks);
    return {effect, bias.slower, bias.halfWidth, {}, {}, ListRatios(blocks), bias.reason};
}

EffectTrials::EffectTrials(const StoredScenario& scenario,
                           const std::string& names,
                           double budget,
                           uint32_t jobs)
    : m_scenario(scenario),
      m_effects(ChooseEffects(names)),
      m_budget(budget),
      m_study(jobs)
{
}

EffectTrials::Trial
EffectTrials::MakeTrial(const MatchEffect& effect,
                        const std::set<Configuration>& known,
                        std::string& obstacle) const
{
    Trial trial;
    trial.effect = &effect;
    const auto& models = m_scenario.GetModels();
    for (std::size_t variant = 0; variant < models.size(); ++variant)
    {
        const std::string name = NameVariant(models[variant].variant);
        const auto settings = effect.without(models[variant]);
        Scenario without;
        try
        {
            without = m_scenario.ChangeModel(variant, settings);
        }
        catch (const InputError& error)
        {
            obstacle = fmt::format("cannot be switched off{} by {}: {}",
                                   name.empty() ? " here" : " with " + name,
                                   JoinSettings(settings),
                                   error.what());
            continue;
        }
        const bool differs = ScenarioToJson(without) != ScenarioToJson(models[variant]);
        auto& workers = without.job.workers;
        workers.erase(std::remove_if(workers.begin(),
                                     workers.end(),
                                     [&](uint32_t count) {
                                         return known.count({name, count}) == 0;
                                     }),
                      workers.end());
        if (workers.empty() || !differs)
        {
            continue;
        }
        for (const auto& setting : settings)
        {
            if (std::find(trial.keys.begin(), trial.keys.end(), setting) == trial.keys.end())
            {
                trial.keys.push_back(setting);
            }
        }
        trial.scenarios.push_back(std::move(without));
    }
    if (trial.scenarios.empty() && obstacle.empty())
    {
        obstacle = "this network has none";
    }
    return trial;
}

std::string
EffectTrials::Plan(const std::vector<RunWithout>& runs)
{
    std::set<Configuration> known;
    std::string why;
    for (const auto& run : runs)
    {
        if (!run.found.empty())
        {
            known.insert({std::get<0>(run.run), std::get<1>(run.run)});
        }
        why = why.empty() ? run.obstacle : why;
    }
    if (known.empty())
    {
        throw InputError(m_scenario.GetSummary() +
                         ": --without would run packets whose bias is not "
                         "known: " +
                         why + "; accepted: results of which 'dml match' tells a bias");
    }
    std::size_t count = 0;
    double seconds = 0;
    std::string left;
    for (const MatchEffect* effect : m_effects)
    {
        std::string obstacle;
        Trial trial = MakeTrial(*effect, known, obstacle);
        if (!obstacle.empty())
        {
            left += WrapRemark(fmt::format("{}: {}", effect->name, obstacle));
        }
        if (trial.scenarios.empty())
        {
            continue;
        }
        MeasurePacketSpeed(trial.scenarios.front().network);
        StudyPlan plan(trial.scenarios, {EngineKind::PACKET});
        plan.PrepareAll();
        double cost = 0;
        for (const auto& run : plan.GetRuns())
        {
            cost += run.cost.cpuSeconds;
        }
        if (seconds + cost > m_budget)
        {
            left += WrapRemark(fmt::format("{}: its {} would take {} of CPU",
                                           effect->name,
                                           Plural(plan.GetRuns().size(), "run"),
                                           FormatDuration(cost)));
            continue;
        }
        seconds += cost;
        count += plan.GetRuns().size();
        m_legend += WrapRemark(
            fmt::format("  {}: {} ({})", effect->name, effect->text, JoinSettings(trial.keys)));
        m_trials.push_back(std::move(trial));
    }
    return WrapRemark(fmt::format("{} of packets without an effect, about {} of CPU; --budget "
                                  "allows {}",
                                  Plural(count, "run"),
                                  FormatDuration(seconds),
                                  FormatDuration(m_budget))) +
           left;
}

void
EffectTrials::Run(std::vector<RunWithout>& runs)
{
    for (const auto& trial : m_trials)
    {
        auto scenarios = trial.scenarios;
        for (auto& scenario : scenarios)
        {
            scenario.fairShare.matched.draws = 0; // below, from files, as those of the results are
        }
        std::map<std::string, PreparedScenario> models; // by name of the variant
        for (const auto& scenario : trial.scenarios)
        {
            models.emplace(NameVariant(scenario.variant), PrepareScenario(scenario, false));
        }
        const std::string folder = m_study.RunInFolder(std::move(scenarios), EngineKind::PACKET);
        for (const auto& [key, steps] : ReadRecordedSteps(folder + "/steps.csv",
                                                          {EngineKind::PACKET},
                                                          [](const RunKey&) { return true; }))
        {
            const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& known) {
                return known.run == key;
            });
            if (run == runs.end() || run->found.empty())
            {
                continue;
            }
            const WithoutBias& with = run->found.front();
            WithoutBias without =
                MatchWithout(trial.effect->name, key, steps, models.at(std::get<0>(key)));
            if (without.slower)
            {
                without.change = *with.slower - *without.slower;
                without.changeHalfWidth = EstimateDifferenceInterval(with.blocks, without.blocks);
            }
            run->found.push_back(std::move(without));
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
