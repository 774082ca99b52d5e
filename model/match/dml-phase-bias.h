/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PHASE_BIAS_H
#define DML_PHASE_BIAS_H

#include "dml-link-bias.h"
#include "dml-recorded-run.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace ns3::dml
{

/// Part of a step with parameter servers.
enum class StepPhase
{
    PULL, //!< from its begin until the last parameters are there
    PUSH, //!< from then to its end: what is computed behind them, pushes, and updates
    REST, //!< what errors of the model's pulls do to its pushes, which then meet others
};

/**
 * @ingroup dml-match
 * @brief By how much one phase of recorded steps takes longer than the model has it.
 *
 * Phases are told apart by how many other workers were in the same phase when they began: pulls, or
 * pushes, that share the links.
 */
struct PhaseBias
{
    StepPhase phase{StepPhase::PULL}; //!< which
    /// Fewest other workers in this phase when it began; of the rest 0.
    uint32_t fewest{0};
    uint32_t most{0};     //!< most of them
    std::size_t count{0}; //!< phases of this kind
    double recorded{0};   //!< recorded durations together, s; of the rest 0
    double predicted{0};  //!< durations of the model together, mean over the draws, s
    /// Half of the 95 % interval of GetLonger() within the run; nothing with fewer than four
    /// blocks.
    std::optional<double> halfWidth;

    /// @return by how much the recorded phases take longer, in per cent; nothing if there are none,
    /// and of the rest
    std::optional<double> GetLonger() const;
};

/**
 * @brief Find in which phases a model is off.
 *
 * The model's pushes are those of steps that have their parameters when the recorded ones had:
 * where its pulls are too short, its pushes would otherwise compete with other transfers than in
 * truth, and seem wrong. What that makes is the rest, with which the differences of all phases are
 * that of the steps.
 * @param model of a recorded run in which workers do not do steps together
 * @param run the same run, with the steps as MatchedModel::GetSteps() has them
 * @param counted steps that are compared
 * @param draws how often a model that draws random numbers predicts each step, at least 1
 * @param workers number of workers of the run: twice as many steps are a block
 * @return the kinds of phases that there are: pulls, pushes, the rest, and by number of others
 * @throws RunError as MatchedModel::Predict()
 */
std::vector<PhaseBias> EstimatePhaseBiases(const MatchedModel& model,
                                           const RecordedRun& run,
                                           const std::set<StepName>& counted,
                                           uint32_t draws,
                                           uint32_t workers);

} // namespace ns3::dml

#endif /* DML_PHASE_BIAS_H */
