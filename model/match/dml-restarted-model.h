/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESTARTED_MODEL_H
#define DML_RESTARTED_MODEL_H

#include "dml-matched-job.h"

#include "ns3/dml-run-observer.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-match
 * @brief How far the fair-share engine drifts from recorded steps within a number of steps.
 */
struct RestartBias
{
    uint32_t horizon{0};   //!< number of steps
    std::size_t starts{0}; //!< instants at which it was started
    double recorded{0};    //!< time that all workers took for so many steps from each of them, s
    double predicted{0};   //!< the model's, mean over its draws, s
    /// Half of the 95 % interval of GetLonger() within the run; nothing with fewer than four blocks
    /// of starts that do not overlap.
    std::optional<double> halfWidth;

    /// @return by how much the recorded steps take longer, in per cent; nothing if there are none
    std::optional<double> GetLonger() const;
};

/**
 * @ingroup dml-match
 * @brief Starts the fair-share engine at instants of a recorded run, and lets it go on by itself.
 *
 * MatchedModel asks what the model makes of a single step; this asks what becomes of that. A model
 * that keeps workers in step which in truth drift apart has every single step right, and its error
 * grows with the number of steps that it is on its own.
 *
 * From an instant on, each worker begins its next step when it did, and then does the steps behind
 * that one as the model has it. What was under way at the instant is there, as steps of their own.
 */
class RestartedModel
{
  public:
    /// Most instants at which the model is started.
    static constexpr std::size_t MOST_STARTS = 200;

    /**
     * @param job what is predicted
     * @param steps what another engine did; in any order
     */
    RestartedModel(MatchedJob job, const std::vector<StepRecord>& steps);

    /**
     * @param horizon number of steps, at least 1
     * @param draws how often a model that draws random numbers is started at each instant
     * @param counts whether a step is one at which the model may be started
     * @param until s: steps that end later only compete with the others
     * @return how far it drifts
     * @throws RunError if a step cannot end, as a link stays down
     */
    RestartBias Estimate(uint32_t horizon,
                         uint32_t draws,
                         const std::function<bool(const StepRecord&)>& counts,
                         double until) const;

  private:
    /// By worker, the place in its steps of the one that it begins next.
    using Start = std::vector<std::size_t>;

    std::vector<Start> ChooseStarts(uint32_t horizon,
                                    const std::function<bool(const StepRecord&)>& counts,
                                    double until) const;
    std::vector<MatchedWorker> MakeWorkers(const Start& start, uint32_t horizon) const;

    MatchedJob m_job;                             //!< see the constructor
    std::vector<std::vector<StepRecord>> m_steps; //!< by worker, in their order
};

} // namespace ns3::dml

#endif /* DML_RESTARTED_MODEL_H */
