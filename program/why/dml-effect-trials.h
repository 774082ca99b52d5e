/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EFFECT_TRIALS_H
#define DML_EFFECT_TRIALS_H

#include "ns3/dml-match-effects.h"
#include "ns3/dml-scratch-study.h"
#include "ns3/dml-stored-scenario.h"
#include "ns3/dml-without-table.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-why
 * @brief Runs the packets of results again, each time without one effect of the network, and
 * matches the fair-share engine with the same change to them.
 */
class EffectTrials
{
  public:
    /**
     * @brief Find out which effects the scenario has, and what the runs will take.
     * @param scenario of the results
     * @param names of effects, with commas between them, or "all"
     * @param budget CPU seconds: an effect whose runs take more than what is left is not tried
     * @param jobs runs at the same time
     * @throws InputError for a name that no effect has which a key can switch off
     */
    EffectTrials(const StoredScenario& scenario,
                 const std::string& names,
                 double budget,
                 uint32_t jobs);

    /// @return what will be run, what that takes, and what will not be run and why, in lines
    const std::string& GetNote() const
    {
        return m_note;
    }

    /// @return how each effect that is tried is switched off, in lines
    const std::string& GetLegend() const
    {
        return m_legend;
    }

    /**
     * @brief Run.
     * @param runs as they were: key and bias; gets what the others give
     * @throws InputError, RunError as ScratchStudy::RunAll()
     */
    void Run(std::vector<RunWithout>& runs);

    /// @return names of effects that a key can switch off
    static std::vector<std::string> ListNames();

  private:
    /// An effect, and the scenarios of all variants without it.
    struct Trial
    {
        const MatchEffect* effect;
        std::vector<Scenario> scenarios;
    };

    ScratchStudy m_study;        //!< runs them
    std::vector<Trial> m_trials; //!< within the budget
    std::string m_note;          //!< see GetNote()
    std::string m_legend;        //!< see GetLegend()
};

} // namespace ns3::dml

#endif /* DML_EFFECT_TRIALS_H */
