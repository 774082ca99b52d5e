/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-phase-difference.h"

#include "ns3/dml-effect-table.h"
#include "ns3/dml-error.h"
#include "ns3/dml-recorded-steps.h"
#include "ns3/dml-result-summary.h"
#include "ns3/dml-study-inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

namespace ns3::dml
{

namespace
{

namespace fs = std::filesystem;

/// @return what parts of effects add to the bias of each run @throws InputError as
/// ReadRecordedSteps()
std::vector<RunEffects>
MatchRuns(const std::string& folder, uint32_t workers, EngineKind engine)
{
    CheckStudyInputs(folder);
    StoredScenario scenario((fs::path(folder) / "summary.json").string(), {});
    const std::string path = (fs::path(folder) / "steps.csv").string();
    const std::string variant = NameVariant(scenario.GetModels().front().variant);
    auto runs = ReadRecordedSteps(path, {engine}, [&](const RunKey& run) {
        return std::get<0>(run) == variant && std::get<1>(run) == workers;
    });
    ReadRecordedTransfers(folder, runs, scenario);
    std::vector<RunEffects> found;
    for (const auto& [run, steps] : runs)
    {
        const PreparedScenario& model = FindModel(scenario, run, path);
        auto& finding = found.emplace_back();
        finding.run = run;
        finding.found = steps.MatchEffects(model,
                                           workers,
                                           std::get<3>(run),
                                           FindFirstCounted(model),
                                           finding.obstacle);
    }
    return found;
}

} // namespace

std::string
FormatPhaseDifference(const std::string& folder,
                      uint32_t workers,
                      const std::string& engine,
                      uint64_t most)
{
    const auto& known = GetEngines();
    const auto info = std::find_if(known.begin(), known.end(), [&](const EngineInfo& one) {
        return one.name == engine;
    });
    std::error_code none;
    if (info == known.end() || info->Has(EngineTrait::QUICK) ||
        !fs::exists(fs::path(folder) / "matched.csv", none))
    {
        return "";
    }
    const auto size = fs::file_size(fs::path(folder) / "transfers.csv", none);
    if (none || size > most)
    {
        return "\n" + WrapRemark(none ? "  phases are not known: there is no transfers.csv "
                                        "(output.transfers: true)"
                                      : "  phases: transfers.csv is large; 'dml match --effects' "
                                        "reads it");
    }
    try
    {
        return "\n" + FormatCertainParts(MatchRuns(folder, workers, info->kind),
                                         {"direction", "others", "acks"});
    }
    catch (const InputError& error)
    {
        return "\n" + WrapRemark("  phases are not known: " + std::string(error.what()));
    }
}

} // namespace ns3::dml
