/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCHED_MODEL_H
#define DML_MATCHED_MODEL_H

#include "dml-matched-job.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// What steps pull, by step and server; see MatchedWorker::pulls.
using PullTimes = std::vector<std::vector<std::vector<PulledTensor>>>;

struct RecordedRun;

/// @param run has the steps, servers and tensors
/// @param transfers of each step, s from the start of the run
/// @return when each step got its parameters
PullTimes ListPulls(const RecordedRun& run,
                    const std::vector<std::vector<TimedTransfer>>& transfers);

/**
 * @ingroup dml-match
 * @brief Predicts each step of a recorded run from the instant at which it began there.
 *
 * Two engines that run an asynchronous job from its start are in different states after a few
 * steps, so the difference of their throughputs says more about chaos than about the engines. Here
 * every recorded step becomes a worker of the fair-share engine that does this step alone: it
 * begins when the step began, with the same sample, batch size, routes and HTTP/2 windows, and all
 * of them share the network. What the model did wrong in one step does not change when the next one
 * begins.
 *
 * Where workers wait for each other in rounds (bulk-synchronous training, all-reduce), it is a
 * round of all workers that begins at the recorded instants, each round in a run of its own.
 */
class MatchedModel
{
  public:
    /**
     * @param job what is predicted
     * @param steps what another engine did; in any order
     */
    MatchedModel(MatchedJob job, std::vector<StepRecord> steps);

    /// @return what the model predicts, in the order of their begin; of rounds only those of which
    /// all steps were recorded
    const std::vector<StepRecord>& GetSteps() const
    {
        return m_steps;
    }

    /// @return whether rounds of all workers are predicted, not single steps
    bool HasRounds() const
    {
        return m_rounds;
    }

    /// @return whether predictions differ from draw to draw
    bool IsRandom() const
    {
        return m_job.IsRandom();
    }

    /**
     * @param rate factor of the capacity of all links, above 0
     * @param draw number of the random numbers of the sharing rule, from 0
     * @return predicted duration of each of GetSteps(), in seconds
     * @throws RunError if a step cannot end, as a link stays down
     */
    std::vector<double> Predict(double rate, uint32_t draw) const;

    /**
     * @param rate likewise
     * @param draw likewise
     * @param detail what is told of each of them
     * @param pulls when each step gets its parameters; empty: as links allow
     * @return when each of GetSteps() has its parameters, and when it ends, in seconds from its
     * begin
     * @throws RunError likewise
     */
    std::vector<PredictedStep> PredictTimes(double rate,
                                            uint32_t draw,
                                            PredictionDetail detail = PredictionDetail::TIMES,
                                            const PullTimes& pulls = {}) const;

    /**
     * @param pulls of each of GetSteps(): when its parameters were there
     * @return the same, earlier by the latency of messages: with it PredictTimes() has the
     * parameters of each server when the recorded run had them, so that pushes begin when they did
     * @throws RunError likewise
     */
    PullTimes FindPullTimes(PullTimes pulls) const;

  private:
    MatchedJob m_job;                //!< whose steps they are
    std::vector<StepRecord> m_steps; //!< what is predicted, rounds together
    bool m_rounds;                   //!< see HasRounds()
};

} // namespace ns3::dml

#endif /* DML_MATCHED_MODEL_H */
