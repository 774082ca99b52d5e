/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-commands.h"
#include "dml-output-file.h"

#include "ns3/dml-drift-table.h"
#include "ns3/dml-error.h"
#include "ns3/dml-match-case.h"
#include "ns3/dml-match-table.h"
#include "ns3/dml-phase-table.h"
#include "ns3/dml-plugin-file.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-run-rows.h"
#include "ns3/dml-scenario-reader.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-stored-path.h"
#include "ns3/dml-study-inputs.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Largest summary that is read: a study of thousands of configurations has 100 MB.
constexpr uint64_t MOST_BYTES = 1000000000;

/// Latest instant of a run, s: 30 years.
constexpr double MOST_SECONDS = 1e9;

/// Deepest nesting of a summary.
constexpr int MOST_DEPTH = 100;

/// Name files as they are called now, where the echo of a scenario has names that are no UTF-8.
void
FindFiles(Json& json)
{
    for (auto& [key, value] : json.items())
    {
        if (value.is_structured())
        {
            FindFiles(value);
        }
        else if (value.is_string())
        {
            value = FindStoredPath(value.get_ref<const std::string&>());
        }
    }
}

/// The scenario of results, as they have it and as a model is to have it.
class StoredScenario
{
  public:
    /// @param summary path of a summary.json @param changes as of --set
    StoredScenario(const std::string& summary, const std::vector<std::string>& changes)
    {
        TraceInput input(summary);
        Json json = Json::parse(
            input.ReadText(MOST_BYTES),
            [&summary](int depth, Json::parse_event_t, const Json&) {
                if (depth > MOST_DEPTH)
                {
                    throw InputError(summary +
                                     ": is nested too deep; accepted: a summary.json of a run");
                }
                return true;
            },
            false);
        if (!json.is_object() || !json.contains("scenario") || !json["scenario"].is_object())
        {
            throw InputError(summary + ": has no scenario; accepted is a summary.json of a run");
        }
        ListVariants(json);
        FindFiles(json["scenario"]);
        std::vector<std::string> settings;
        for (const auto& [key, value] : json["scenario"].items())
        {
            settings.push_back(key + "=" + value.dump());
        }
        const ScratchStudy scratch(1);
        const std::string empty = scratch.GetFolder() + "/scenario.yaml";
        ResultFile::Replace(empty, "{}\n");
        for (const auto& variant : m_variants)
        {
            auto all = settings;
            for (const auto& [key, value] : variant)
            {
                all.push_back(key + "=" + value);
            }
            all.insert(all.end(), changes.begin(), changes.end());
            try
            {
                m_models.push_back(ReadScenario(empty, all).front());
                m_models.back().variant = variant;
            }
            catch (const InputError& error)
            {
                throw InputError(summary + ": its scenario cannot be read" +
                                 (changes.empty() ? ": " : ", with --set: ") + error.what());
            }
        }
        m_prepared.resize(m_models.size());
    }

    /// @param variant name of one, as of the rows @param workers of one of its cases @return the
    /// scenario of its model, prepared; null if there is no such case
    const PreparedScenario* Find(const std::string& variant, uint32_t workers)
    {
        if (m_cases.count({variant, workers}) == 0)
        {
            return nullptr;
        }
        for (std::size_t i = 0; i < m_models.size(); ++i)
        {
            if (NameVariant(m_variants[i]) == variant)
            {
                if (!m_prepared[i])
                {
                    m_prepared[i] = PrepareScenario(m_models[i], false);
                }
                return &*m_prepared[i];
            }
        }
        return nullptr;
    }

  private:
    using Variant = std::vector<std::pair<std::string, std::string>>;

    /// Find the variants, in their order. @param json of the summary
    void ListVariants(const Json& json)
    {
        const Json cases = json.value("cases", Json::array());
        for (const auto& item : cases)
        {
            const Json set = item.is_object() ? item.value("variant", Json::object()) : Json();
            Variant variant;
            for (const auto& [key, value] : set.items())
            {
                variant.emplace_back(key, value.is_string() ? value.get<std::string>() : "");
            }
            const Json count = item.is_object() ? item.value("workers", Json()) : Json();
            if (count.is_number_unsigned())
            {
                m_cases.insert({NameVariant(variant), count.get<uint32_t>()});
            }
            if (m_variants.empty() || m_variants.back() != variant)
            {
                m_variants.push_back(variant);
            }
        }
    }

    std::vector<Variant> m_variants;                         //!< what a sweep set, in order
    std::set<std::pair<std::string, uint32_t>> m_cases;      //!< names of them, and workers
    std::vector<Scenario> m_models;                          //!< likewise
    std::vector<std::optional<PreparedScenario>> m_prepared; //!< those that were asked for
};

/// @return the steps of all runs of engines that the options choose, in the order of the file
std::vector<std::pair<RunKey, MatchRecorder>>
ReadRecordedSteps(const std::string& path, const CommandOptions& options)
{
    const EngineSet& engines = ChooseEngines(options.IsGiven("engine") ? options.engine : "all");
    std::vector<std::pair<RunKey, MatchRecorder>> runs;
    std::map<RunKey, std::size_t> places;
    RunRows rows(path, {"worker", "step", "sample", "start", "end", "batch"});
    while (rows.Next())
    {
        const RunKey run = rows.GetRun();
        const auto& known = GetEngines();
        const auto engine = std::find_if(known.begin(), known.end(), [&](const EngineInfo& info) {
            return info.name == std::get<2>(run);
        });
        if (engine == known.end())
        {
            throw InputError(path + ":" + std::to_string(rows.GetLine()) + ": found engine '" +
                             std::get<2>(run) + "', which this program lacks");
        }
        if (engine->Has(EngineTrait::QUICK) || engines.count(engine->kind) == 0)
        {
            continue;
        }
        const auto [place, added] = places.emplace(run, runs.size());
        if (added)
        {
            runs.emplace_back(run, MatchRecorder());
        }
        StepRecord step{rows.Get<uint32_t>(0),
                        rows.Get<uint32_t>(1),
                        rows.Get<uint32_t>(2),
                        rows.Get<double>(3),
                        rows.Get<double>(4)};
        step.batch = rows.Get<uint32_t>(5);
        if (step.worker >= std::get<1>(run))
        {
            rows.Fail(0,
                      "found worker " + std::to_string(step.worker) + "; accepted: below " +
                          std::to_string(std::get<1>(run)) + ", the run's number of workers");
        }
        if (step.end > MOST_SECONDS)
        {
            rows.Fail(4, "found more than 1e9 s; accepted: seconds from the start of a run");
        }
        if (step.end < step.start)
        {
            rows.Fail(4,
                      "found an end before the start; accepted: seconds from the start of a run");
        }
        runs[place->second].second.On(step);
    }
    return runs;
}

/// Read when the steps of some runs had their parameters. @param path of transfers.csv
void
ReadPulls(const std::string& path, std::vector<std::pair<RunKey, MatchRecorder>>& runs)
{
    std::map<RunKey, MatchRecorder*> places;
    for (auto& [run, recorder] : runs)
    {
        places[run] = &recorder;
    }
    RunRows rows(path, {"worker", "step", "direction", "last_byte"});
    while (rows.Next())
    {
        const auto found = places.find(rows.GetRun());
        if (found != places.end() && rows.GetText(2) == "downlink")
        {
            if (rows.Get<double>(3) > MOST_SECONDS)
            {
                rows.Fail(3, "found more than 1e9 s; accepted: seconds from the start of a run");
            }
            found->second->AddPull({rows.Get<uint32_t>(0), rows.Get<uint32_t>(1)},
                                   rows.Get<double>(3));
        }
    }
}

/// @param summary gets a configuration for each that the runs have
void
AddRun(RunSummary& summary, const RunKey& run, const PreparedScenario& model, LinkBias bias)
{
    const auto& [variant, workers, engine, replication] = run;
    auto item = std::find_if(summary.cases.begin(), summary.cases.end(), [&](const auto& known) {
        return known.workers == std::get<1>(run) && known.variant == model.scenario.variant;
    });
    if (item == summary.cases.end())
    {
        item = summary.cases.emplace(item);
        item->workers = workers;
        item->variant = model.scenario.variant;
    }
    for (const auto& known : GetEngines())
    {
        if (known.name == engine)
        {
            ReplicationSummary result;
            result.replication = replication;
            result.matched = std::move(bias);
            item->engines[known.kind].replications.push_back(std::move(result));
        }
    }
}

/// @return tables of all variants
std::string
FormatAll(const RunSummary& summary)
{
    std::string text;
    for (std::size_t i = 0; i < summary.cases.size();)
    {
        const std::string name = summary.cases[i].GetVariantName();
        std::vector<const CaseSummary*> cases;
        for (; i < summary.cases.size() && summary.cases[i].GetVariantName() == name; ++i)
        {
            cases.push_back(&summary.cases[i]);
        }
        text +=
            (text.empty() ? "" : "\n") + (name.empty() ? "" : name + "\n") + FormatMatches(cases);
    }
    return text;
}

} // namespace

int
RunMatch(const CommandOptions& options)
{
    if (options.phases && !options.horizons.empty())
    {
        throw InputError("--phases: goes without --horizon; accepted: one of them");
    }
    CheckReplaceable(options.out, options.force);
    LoadPlugins(options.plugins);
    const std::string& folder = options.operands[1];
    const std::string summary = (fs::path(folder) / "summary.json").string();
    StoredScenario scenario(summary, options.settings);
    CheckStudyInputs(folder);
    const std::string path = (fs::path(folder) / "steps.csv").string();
    for (const char* name : {"summary.json", "study.json", "steps.csv", "transfers.csv"})
    {
        std::error_code none;
        if (!options.out.empty() && fs::equivalent(options.out, fs::path(folder) / name, none))
        {
            throw InputError("-o: found '" + options.out +
                             "', which is what is read; accepted: another file");
        }
    }
    RunSummary result;
    std::vector<RunDrift> drifts;
    std::vector<RunPhases> phases;
    auto runs = ReadRecordedSteps(path, options);
    if (options.phases)
    {
        ReadPulls((fs::path(folder) / "transfers.csv").string(), runs);
    }
    for (const auto& [run, steps] : runs)
    {
        const auto& [variant, workers, engine, replication] = run;
        const PreparedScenario* model = scenario.Find(variant, workers);
        if (!model)
        {
            throw InputError(path + ": found " + std::to_string(workers) + " workers" +
                             (variant.empty() ? "" : " and variant '" + variant + "'") +
                             "; accepted: what " + summary + " has in cases");
        }
        std::optional<double> from;
        if (model->scenario.job.autoSteps.on)
        {
            from = 0; // every step counts: the files do not tell when the warm-up was over
        }
        if (!options.horizons.empty())
        {
            auto& drift = drifts.emplace_back();
            drift.run = run;
            drift.found = steps.MatchRestarts(*model,
                                              workers,
                                              replication,
                                              from,
                                              options.horizons,
                                              drift.obstacle);
            continue;
        }
        if (options.phases)
        {
            auto& phase = phases.emplace_back();
            phase.run = run;
            phase.found = steps.MatchPhases(*model, workers, replication, from, phase.obstacle);
            continue;
        }
        AddRun(result, run, *model, steps.Match(*model, workers, replication, from));
    }
    if (runs.empty())
    {
        throw InputError(path + ": has no step of the packet or the host engine" +
                         (options.IsGiven("engine") ? " that --engine accepts" : "") +
                         "; accepted: results of 'run --engine=both' or 'all'");
    }
    std::cout << FormatAll(result) << FormatDrifts(drifts) << FormatPhases(phases);
    if (!options.out.empty())
    {
        ResultFile::Replace(FollowLinks(options.out), [&](ResultFile& file) {
            !drifts.empty()   ? WriteDriftCsv(file, drifts)
            : !phases.empty() ? WritePhaseCsv(file, phases)
                              : WriteMatchedCsv(file, result);
        });
        std::cout << "table: " << options.out << '\n';
    }
    return 0;
}

} // namespace ns3::dml
