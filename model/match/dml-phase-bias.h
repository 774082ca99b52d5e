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
    uint32_t fewest{0};               //!< other workers in this phase when it began: at least
    uint32_t most{0};                 //!< likewise: at most
    std::size_t count{0};             //!< phases of this kind
    double recorded{0};               //!< their durations together, s
    double predicted{0};              //!< the model's, mean over the draws, s
    /// Half of the 95 % interval of GetLonger() within the run; nothing with fewer than four
    /// blocks.
    std::optional<double> halfWidth;

    /// @return by how much the recorded phases take longer, in per cent; nothing if there are none
    std::optional<double> GetLonger() const;
};

/**
 * @brief Find in which phases a model is off.
 *
 * A phase of the model begins when the model's own one before ends, so that the differences of all
 * phases together are that of the steps.
 * @param model of a recorded run in which workers do not do steps together
 * @param run the same run, with the steps as MatchedModel::GetSteps() has them
 * @param counted steps that are compared
 * @param draws how often a model that draws random numbers predicts each step, at least 1
 * @param workers number of workers of the run: twice as many steps are a block
 * @return the kinds of phases that there are: pulls first, then by number of others
 * @throws RunError as MatchedModel::Predict()
 */
std::vector<PhaseBias> EstimatePhaseBiases(const MatchedModel& model,
                                           const RecordedRun& run,
                                           const std::set<StepName>& counted,
                                           uint32_t draws,
                                           uint32_t workers);

} // namespace ns3::dml

#endif /* DML_PHASE_BIAS_H */
