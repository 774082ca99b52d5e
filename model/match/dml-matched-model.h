/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCHED_MODEL_H
#define DML_MATCHED_MODEL_H

#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-training-run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

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
     * @param run the job as the fair-share engine would run it
     * @param network its links and routes
     * @param steps what another engine did; in any order
     */
    MatchedModel(TrainingRun run, FairShareNetwork network, std::vector<StepRecord> steps);

    /**
     * @param run a job
     * @param network its links
     * @return why its steps cannot be predicted one by one, or an empty text
     */
    static std::string DescribeObstacle(const TrainingRun& run, const FairShareNetwork& network);

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

    /// @return whether the sharing rule draws random numbers, so that predictions differ from draw
    /// to draw
    bool IsRandom() const;

    /**
     * @param rate factor of the capacity of all links, above 0
     * @param draw number of the random numbers of the sharing rule, from 0; those of the run itself
     * are none of them
     * @return predicted duration of each of GetSteps(), in seconds
     * @throws RunError if a step cannot end, as a link stays down
     */
    std::vector<double> Predict(double rate, uint32_t draw) const;

  private:
    void KeepWholeRounds();
    FairShareNetwork MakeNetwork(double rate, uint32_t draw) const;
    std::vector<double> PredictSteps(double rate, uint32_t draw) const;
    std::vector<double> PredictRounds(double rate, uint32_t draw) const;
    /// A run of some of the steps, each by a worker of its own.
    TrainingRun MakeRun(std::size_t begin, std::size_t end) const;

    TrainingRun m_run;               //!< of the whole job
    FairShareNetwork m_network;      //!< likewise
    std::vector<StepRecord> m_steps; //!< what is predicted, rounds together
    bool m_rounds;                   //!< see HasRounds()
};

} // namespace ns3::dml

#endif /* DML_MATCHED_MODEL_H */
