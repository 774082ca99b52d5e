/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EFFECT_BIAS_H
#define DML_EFFECT_BIAS_H

#include "dml-link-bias.h"
#include "dml-recorded-run.h"

#include "ns3/dml-confidence.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

struct MatchEffect;

/**
 * @ingroup dml-match
 * @brief How much of the bias of a model is in one part of the steps' time.
 */
struct EffectBias
{
    std::string effect;  //!< name of a MatchEffect; empty: the whole bias
    std::string part;    //!< name of one of its parts; empty: what is in none of them
    double recorded{0};  //!< seconds of the recorded steps
    double predicted{0}; //!< seconds of the model's steps, mean over the draws
    /// What it adds to LinkBias::slower, per cent; nothing if the run does not tell the parts.
    std::optional<double> slower;
    /// Half of its 95 % interval within the run, as LinkBias::halfWidth.
    std::optional<double> halfWidth;
    std::string obstacle; //!< why the run does not tell the parts, or empty
};

/// @param slower what a part adds to a bias, per cent @return whether that is not 0, and not too
/// small to be shown
bool IsCertainBias(const Confidence& slower);

/**
 * @brief Divide the bias of a model among parts of the time of steps.
 *
 * The time of a step is cut at the instants at which tensors arrive, and each piece belongs to the
 * tensor that arrives at its end. The model's step is cut at its own arrivals: until it has its
 * parameters, of a step that begins when the recorded one did; behind that, of one that has them
 * when the recorded one had (MatchedModel::FindPullTimes()), as a model whose pulls are too short
 * would otherwise have its pushes compete with others than in truth. The bias is divided in the
 * ratio of the differences of recorded and predicted seconds. What is left is the rest of each
 * effect: what is behind the last arrival, and what errors of pulls do to pushes.
 *
 * @param model of a recorded run
 * @param run the same run, with the steps as MatchedModel::GetSteps() has them
 * @param effects that divide the time, each in its own way
 * @param counted steps that are compared
 * @param draws how often a model that draws random numbers predicts each step, at least 1
 * @param workers number of workers of the run: twice as many steps are a block
 * @param[out] obstacle why there is no bias to divide, or empty
 * @return the whole bias; then by effect its parts and what is in none of them, which add up to it
 * @throws RunError as MatchedModel::Predict()
 */
std::vector<EffectBias> EstimateEffectBiases(const MatchedModel& model,
                                             const RecordedRun& run,
                                             const std::vector<MatchEffect>& effects,
                                             const std::set<StepName>& counted,
                                             uint32_t draws,
                                             uint32_t workers,
                                             std::string& obstacle);

} // namespace ns3::dml

#endif /* DML_EFFECT_BIAS_H */
