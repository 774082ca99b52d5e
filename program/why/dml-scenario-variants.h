/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_VARIANTS_H
#define DML_SCENARIO_VARIANTS_H

#include "dml-step-path.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-match-effects.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-scratch-study.h"

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief Runs a study again with one thing changed, to see whether that has the effect which was
 * computed. Replications have the seeds of the study, so that they can be compared in pairs.
 */
class ScenarioVariants
{
  public:
    /**
     * @param summary path of the study's summary.json, which has all keys of its scenario
     * @param model name of what was trained
     * @param run a run of the study; there are as many workers
     * @param jobs runs at the same time
     * @throws InputError if it cannot be read, or is of another study
     */
    ScenarioVariants(const std::string& summary,
                     const std::string& model,
                     const RecordedJob& run,
                     uint32_t jobs);

    /// @return the scenario as it was run
    const nlohmann::ordered_json& GetScenario() const
    {
        return m_scenario;
    }

    /// @return the scenario as it was run, read @throws InputError if it cannot be
    Scenario MakeScenario() const;

    /**
     * @param scenario to run
     * @param engine that runs it
     * @return throughput of its replications
     * @throws InputError if it is no scenario, RunError if a run fails
     */
    Throughputs Run(const nlohmann::ordered_json& scenario, EngineKind engine);

    /// @param engine that runs the scenario as it was run @return throughput of its replications,
    /// run once for all @throws InputError, RunError as Run()
    const Throughputs& RunUnchanged(EngineKind engine);

    /**
     * @param set ops that could be made faster together
     * @param part of their time that they save
     * @return a scenario in which they do; nothing if no key or profile can say so
     */
    std::optional<nlohmann::ordered_json> Shorten(const WhatIf& set, double part);

    /// @param effect of the network @param[out] obstacle why it cannot be switched off, or empty
    /// @return the scenario without it; nothing if it has none, or no key can say so
    std::optional<nlohmann::ordered_json> MakeWithout(const MatchEffect& effect,
                                                      std::string& obstacle) const;

  private:
    /// Give folders whose names are no UTF-8, which no scenario can name, names that are.
    void LinkFolders(nlohmann::ordered_json& json);

    std::string m_summary;                         //!< path of the study's summary.json
    nlohmann::ordered_json m_scenario;             //!< as it was run
    ScratchStudy m_study;                          //!< runs it
    std::map<EngineKind, Throughputs> m_unchanged; //!< of the scenario as it was run
    uint32_t m_files{0};                           //!< written so far
    std::optional<Profile> m_profile;              //!< of the job, once it was needed
};

} // namespace ns3::dml

#endif /* DML_SCENARIO_VARIANTS_H */
