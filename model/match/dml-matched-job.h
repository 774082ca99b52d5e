/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MATCHED_JOB_H
#define DML_MATCHED_JOB_H

#include "dml-step-transfer.h"

#include "ns3/dml-fair-share-network.h"
#include "ns3/dml-training-run.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A parameter whose time is prescribed.
struct PulledTensor
{
    double bytes{0}; //!< of it
    double time{0};  //!< s from the begin of the step, when its last byte leaves the link
};

/**
 * @ingroup dml-match
 * @brief A worker of a prediction, which does some consecutive steps of a recorded worker.
 */
struct MatchedWorker
{
    uint32_t worker{0};            //!< index in the recorded run
    uint32_t step{0};              //!< number of its first step there
    double start{0};               //!< seconds, when the first step begins
    uint32_t batch{0};             //!< samples of a step; 0: as the run says
    std::vector<uint32_t> samples; //!< profiled step of each of its steps, at least one
    /// Parameters that it gets from each server over a link of its own, the first one first; none:
    /// over the links of the network.
    std::vector<std::vector<PulledTensor>> pulls{};
};

/// What a step of a prediction comes to.
struct PredictedStep
{
    double pulled{0}; //!< when the last of its parameters are there, s; its begin if it has none
    double end{0};    //!< s
    /// When tensors came, in no order; only where that was asked for.
    std::vector<StepArrival> arrivals;
};

/// What a prediction tells of a step.
enum class PredictionDetail
{
    TIMES,    //!< nothing of single tensors
    ARRIVALS, //!< when each tensor came
};

/**
 * @ingroup dml-match
 * @brief A job whose steps another engine did, and runs of the fair-share engine that do parts of
 * them.
 */
class MatchedJob
{
  public:
    /**
     * @param run the job as the fair-share engine would run it
     * @param network its links and routes
     */
    MatchedJob(TrainingRun run, FairShareNetwork network);

    /// @return why its steps cannot be predicted from recorded instants, or an empty text
    std::string DescribeObstacle() const;

    /// @return the job
    const TrainingRun& GetRun() const
    {
        return m_run;
    }

    /// @return its links and routes
    const FairShareNetwork& GetNetwork() const
    {
        return m_network;
    }

    /// @return whether all workers do a step together
    bool HasRounds() const
    {
        return m_rounds;
    }

    /// @return whether workers wait for others without doing steps together
    bool WaitsForSome() const;

    /// @return whether the sharing rule draws random numbers
    bool IsRandom() const;

    /// @brief No step of the prediction is late: the instants say how late it was.
    void DropLateness()
    {
        m_run.jitter.clear();
    }

    /**
     * @brief Let the fair-share engine do some steps, each worker beginning when it did.
     *
     * A worker of the prediction has the routes, the HTTP/2 windows and what drop-tail ports know
     * of the connections of the worker that it was. It may be there several times, and waits for
     * nobody. Where all workers do a step together, they do so here, too.
     * @param chosen workers; all workers of the job in their order where HasRounds()
     * @param rate factor of the capacity of all links, above 0
     * @param draw number of the random numbers of the sharing rule, from 0; those of the job itself
     * are none of them
     * @param detail what is told of the steps
     * @return the steps of each of them
     * @throws RunError if a step cannot end, as a link stays down
     */
    std::vector<std::vector<PredictedStep>> Predict(
        const std::vector<MatchedWorker>& chosen,
        double rate,
        uint32_t draw,
        PredictionDetail detail = PredictionDetail::TIMES) const;

  private:
    TrainingRun MakeRun(const std::vector<MatchedWorker>& chosen) const;
    FairShareNetwork MakeNetwork(double rate, uint32_t draw) const;
    void SelectFlows(const std::vector<MatchedWorker>& chosen, FlowNetwork& links) const;

    /// Give pulls the links of their own that MatchedWorker::pulls ask for.
    static void SeparatePulls(const std::vector<MatchedWorker>& chosen, FairShareNetwork& network);

    TrainingRun m_run;          //!< of the whole job
    FairShareNetwork m_network; //!< likewise
    bool m_rounds;              //!< see HasRounds()
};

} // namespace ns3::dml

#endif /* DML_MATCHED_JOB_H */
