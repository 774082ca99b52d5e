/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STORED_SCENARIO_H
#define DML_STORED_SCENARIO_H

#include "ns3/dml-prepared-scenario.h"
#include "ns3/dml-run-rows.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// @param path of a summary.json @return whether a script wrote it, so that it has no scenario
/// @throws InputError that says where, if it cannot be read or is no JSON
bool IsOfScript(const std::string& path);

/// @param path of a summary.json @return what the run said of its results, in the order in which it
/// did @throws InputError that says where, if it cannot be read or is no JSON
std::vector<std::string> ListStoredNotes(const std::string& path);

/**
 * @ingroup dml-study
 * @brief Read a summary.json that has a scenario.
 * @param path of it
 * @return all of it
 * @throws InputError that says where, if it cannot be read, is no JSON, or has none
 */
nlohmann::ordered_json ReadSummaryJson(const std::string& path);

/// @param scenario echo of one, as a summary.json has it @return "key=value" of each of its
/// sections, as of --set: their paths start where the user is, as those of the echo do
std::vector<std::string> ListStoredSettings(const nlohmann::ordered_json& scenario);

/// @param error of a scenario that was read from ListStoredSettings() @param settings those
/// @return what it says, without a --set that nobody gave
std::string DescribeStoredError(const std::string& error, const std::vector<std::string>& settings);

/**
 * @ingroup dml-study
 * @brief The scenario of results, as they have it and as a model is to have it.
 */
class StoredScenario
{
  public:
    /**
     * @param summary path of a summary.json
     * @param changes of the model, as of --set
     * @throws InputError if it cannot be read, or a change is not one of the model
     */
    StoredScenario(const std::string& summary, const std::vector<std::string>& changes);

    /// @param variant name of one, as results have it @param workers number of workers
    /// @return the scenario of its model, prepared; null if the results have no such configuration
    const PreparedScenario* Find(const std::string& variant, uint32_t workers);

    /// @return the models of all variants
    const std::vector<Scenario>& GetModels() const
    {
        return m_models;
    }

    /**
     * @param variant place in GetModels()
     * @param changes besides those of the constructor, as of --set
     * @return this model with them
     * @throws InputError that says what does not fit, as a key's value, without a --set that nobody
     * gave
     */
    Scenario ChangeModel(std::size_t variant, const std::vector<std::string>& changes) const;

    /// @return runs of real processes while which something else used the machine
    const std::set<RunKey>& GetDisturbed() const
    {
        return m_disturbed;
    }

    /// @return path of the summary.json
    const std::string& GetSummary() const
    {
        return m_summary;
    }

  private:
    using Variant = std::vector<std::pair<std::string, std::string>>;

    /// Find the variants, in their order, and runs that were disturbed. @param json of the summary
    void ListVariants(const nlohmann::ordered_json& json);

    /// @param settings of the results @return the model's scenario
    Scenario ReadModel(const std::vector<std::string>& settings) const;

    std::string m_summary;                                   //!< path of it
    std::vector<std::string> m_changes;                      //!< of the models
    std::vector<std::vector<std::string>> m_settings;        //!< of the results, by variant
    std::vector<Variant> m_variants;                         //!< what a sweep set, in order
    std::set<std::pair<std::string, uint32_t>> m_cases;      //!< names of them, and workers
    std::set<RunKey> m_disturbed;                            //!< see GetDisturbed()
    std::vector<Scenario> m_models;                          //!< by variant
    std::vector<std::optional<PreparedScenario>> m_prepared; //!< those that were asked for
};

} // namespace ns3::dml

#endif /* DML_STORED_SCENARIO_H */
