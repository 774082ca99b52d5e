/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LINK_BIAS_H
#define DML_LINK_BIAS_H

#include "dml-matched-model.h"
#include "dml-ratio-interval.h"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A worker and a number of a step.
using StepName = std::pair<uint32_t, uint32_t>;

/**
 * @ingroup dml-match
 * @brief How far the fair-share engine's steps are from recorded ones that begin when they begin.
 *
 * The sum of the durations is not the bias that one wants: where a model's steps are too short,
 * fewer of them overlap, which makes them shorter still, by a factor that depends on the number of
 * workers. So the bias is said in units of what causes it: the share by which all links of the
 * model would have to be slower for its steps to take as long as the recorded ones.
 */
struct LinkBias
{
    std::size_t steps{0}; //!< that were compared
    double recorded{0};   //!< their durations together, s
    double predicted{0};  //!< the model's, mean over the draws, s
    /// Per cent by which the model's links would have to be slower; nothing if nothing was
    /// compared, links matter next to nothing, or they would have to be more than MOST off.
    std::optional<double> slower;
    /// Half of its 95 % interval within the run: a jackknife over blocks of consecutive steps;
    /// nothing with fewer than four blocks.
    std::optional<double> halfWidth;
    /// Standard deviation of what the model does not explain of single steps, as a multiple of that
    /// of its own draws; nothing where it draws nothing.
    std::optional<double> spread;
    /// Mean part of a model's step that lies behind the recorded begin of the worker's next one.
    double overlap{0};
    std::string reason; //!< why it is not known how much slower, or empty

    /// Per cent of the capacity: largest bias that is looked for.
    static constexpr double MOST = 75;

    /// @return whether steps were compared, even if no rate of the links explains them
    bool IsCompared() const
    {
        return predicted > 0;
    }

    /// @return recorded / predicted durations - 1, in per cent; nothing if there are none
    std::optional<double> GetRaw() const;

    /// @return by how much the durations change for each per cent of the links' rate, in per cent
    std::optional<double> GetGain() const;
};

/// Steps that follow each other, of which the bias could be told alone.
struct BiasBlock
{
    std::vector<std::size_t> steps; //!< places in MatchedModel::GetSteps()
    /// Seconds of the recorded steps less those of the model at the rate that was found.
    double residual{0};
    double slope{0}; //!< seconds that the model's steps take longer for each per cent
};

/// @param blocks any @return their residuals and slopes
RatioBlocks ListRatios(const std::vector<BiasBlock>& blocks);

/**
 * @brief Find the bias of a model.
 * @param model of a recorded run
 * @param counted steps that are compared; the others only compete with them
 * @param draws how often a model that draws random numbers predicts each step, at least 1
 * @param workers number of workers of the run: twice as many steps are a block
 * @param[out] blocks those of the interval, where the bias is known; or null
 * @return the bias
 * @throws RunError as MatchedModel::Predict()
 */
LinkBias EstimateLinkBias(const MatchedModel& model,
                          const std::set<StepName>& counted,
                          uint32_t draws,
                          uint32_t workers,
                          std::vector<BiasBlock>* blocks = nullptr);

} // namespace ns3::dml

#endif /* DML_LINK_BIAS_H */
