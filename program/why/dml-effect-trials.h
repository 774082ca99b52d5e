/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EFFECT_TRIALS_H
#define DML_EFFECT_TRIALS_H

#include "ns3/dml-match-case.h"
#include "ns3/dml-match-effects.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-stored-scenario.h"
#include "ns3/dml-without-table.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief Match a run of packets.
 * @param effect name of the effect that its network has not got; empty: the run of the results
 * @param run which @param steps of it @param model of it
 * @return its bias, or why that is not known
 */
WithoutBias MatchWithout(const std::string& effect,
                         const RunKey& run,
                         const MatchRecorder& steps,
                         const PreparedScenario& model);

/**
 * @ingroup dml-why
 * @brief Runs the packets of results again, each time without one effect of the network, and
 * matches the fair-share engine with the same change to them.
 */
class EffectTrials
{
  public:
    /**
     * @param scenario of the results; it stays where it is
     * @param names of effects, with commas between them, or "all"
     * @param budget CPU seconds: an effect whose runs take more than what is left is not tried
     * @param jobs runs at the same time
     * @throws InputError for a name that no effect has which a key can switch off
     */
    EffectTrials(const StoredScenario& scenario,
                 const std::string& names,
                 double budget,
                 uint32_t jobs);

    /**
     * @brief Find out which effects the network has, and what the runs without them will take.
     * @param runs as they were: key and bias; only configurations with a bias are run again
     * @return what will be run, what that takes, and what will not be run and why, in lines
     * @throws InputError if no run has a bias, with the reason
     */
    std::string Plan(const std::vector<RunWithout>& runs);

    /// @return how each effect that is tried is switched off, in lines
    const std::string& GetLegend() const
    {
        return m_legend;
    }

    /**
     * @brief Run what Plan() has found.
     * @param runs as they were: key and bias; gets what the others give
     * @throws InputError, RunError as ScratchStudy::RunAll()
     */
    void Run(std::vector<RunWithout>& runs);

    /// @return names of effects that a key can switch off
    static std::vector<std::string> ListNames();

  private:
    /// An effect, and scenarios without it.
    struct Trial
    {
        const MatchEffect* effect{nullptr};
        std::vector<Scenario> scenarios; //!< of the variants that have it
        std::vector<std::string> keys;   //!< settings that switch it off, in any variant
    };

    /// A configuration: name of its variant, and workers.
    using Configuration = std::pair<std::string, uint32_t>;

    /// @param known configurations that are run again @param[out] obstacle why it is not tried, or
    /// empty @return the trial of an effect
    Trial MakeTrial(const MatchEffect& effect,
                    const std::set<Configuration>& known,
                    std::string& obstacle) const;

    const StoredScenario& m_scenario;          //!< see the constructor
    std::vector<const MatchEffect*> m_effects; //!< those that were named
    double m_budget;                           //!< see the constructor
    ScratchStudy m_study;                      //!< runs them
    std::vector<Trial> m_trials;               //!< within the budget
    std::string m_legend;                      //!< see GetLegend()
};

} // namespace ns3::dml

#endif /* DML_EFFECT_TRIALS_H */
