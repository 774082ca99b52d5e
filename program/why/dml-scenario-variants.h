/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_VARIANTS_H
#define DML_SCENARIO_VARIANTS_H

#include "dml-what-if.h"

#include "ns3/dml-confidence.h"
#include "ns3/dml-engine-table.h"
#include "ns3/dml-profile.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// What the replications of a case gave: throughput in samples/s, or nothing where there is none.
using Throughputs = std::vector<std::optional<double>>;

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
     * @param workers number of workers to run with
     * @param jobs runs at the same time
     * @throws InputError if it cannot be read
     */
    ScenarioVariants(const std::string& summary, uint32_t workers, uint32_t jobs);

    /// Removes what the runs wrote.
    ~ScenarioVariants();

    ScenarioVariants(const ScenarioVariants&) = delete;
    ScenarioVariants& operator=(const ScenarioVariants&) = delete;

    /// @return the scenario as it was run
    const nlohmann::ordered_json& GetScenario() const;

    /**
     * @param scenario to run
     * @param engine that runs it
     * @return throughput of its replications
     * @throws InputError if it is no scenario, RunError if a run fails
     */
    Throughputs Run(const nlohmann::ordered_json& scenario, EngineKind engine);

    /**
     * @param set ops that could be made faster together
     * @param part of their time that they save
     * @return a scenario in which they do; nothing if no key or profile can say so
     */
    std::optional<nlohmann::ordered_json> Shorten(const WhatIf& set, double part);

  private:
    /// @param shorter by op of the profile: whether it saves @p part of its time @return path
    std::string WriteProfileWith(const std::vector<bool>& shorter, double part);

    nlohmann::ordered_json m_scenario; //!< as it was run
    std::string m_folder;              //!< for what runs write
    uint32_t m_jobs;                   //!< runs at the same time
    uint32_t m_runs{0};                //!< so far
    std::optional<Profile> m_profile;  //!< of the job, once it was needed
};

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_VARIANTS_H */
