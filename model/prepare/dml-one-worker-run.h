/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ONE_WORKER_RUN_H
#define DML_ONE_WORKER_RUN_H

#include "ns3/dml-flow-network.h"
#include "ns3/dml-profile.h"
#include "ns3/dml-run-observer.h"
#include "ns3/dml-step-plan.h"
#include "ns3/dml-training-run.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-prepare
 * @brief A run of one worker that starts at 0, first in, first out, without flow control.
 * @param plan the whole step
 * @param samples profiled steps; it replays each of them once, in order
 * @return the run, to be changed as needed
 */
TrainingRun MakeOneWorkerRun(std::shared_ptr<const StepPlan> plan, uint32_t samples);

/// A star on which one worker and its servers are alone.
struct OneWorkerNetwork
{
    double bytesPerSecond; //!< rate of tensors on every link in each direction, above 0
    std::vector<CoordinatorDelays> delays{}; //!< between the worker and each server; empty: none
    bool delaysRequests{false};              //!< see FlowNetwork::delaysRequests
};

/**
 * @ingroup dml-prepare
 * @brief Run one worker that has a network for itself, by the fair-share engine.
 * @param run what to run, with one worker
 * @param network rates and delays
 * @param observer told of everything; may be null
 * @return when it ended, s
 */
double RunOneWorker(TrainingRun run, const OneWorkerNetwork& network, RunObserver* observer);

/**
 * @ingroup dml-prepare
 * @brief The order in which a worker runs a step's compute ops when it waits for no network: that
 * of the fair-share engine, with an op's mean duration over the profile's steps.
 * @param profile a valid profile
 * @return all ops of kinds forward, backward and compute, by start, each once
 */
std::vector<OpIndex> FindComputeOrder(const Profile& profile);

/// Which transfers have a place in an order.
enum class RankedTransfers
{
    PULLS,           //!< pushes go as they become ready
    PULLS_AND_PUSHES //!< a push has the rank of its tensor's pull; without one, it comes last
};

/// @param profile whose step it is @param pulls of it, first one first @return rank of each tensor;
/// NO_INDEX: it has none
std::vector<uint32_t> RankTensors(const Profile& profile, const std::vector<OpIndex>& pulls);

/**
 * @param plan of a whole step
 * @param profile whose step it is
 * @param pulls of the profile, first one first
 * @param which transfers have a rank
 * @return StepPlan::ranks
 */
std::vector<uint32_t> RankTransfers(const StepPlan& plan,
                                    const Profile& profile,
                                    const std::vector<OpIndex>& pulls,
                                    RankedTransfers which);

/**
 * @brief When each gradient is ready if the network takes no time.
 *
 * The fair-share engine runs one step of one worker: ops take the mean of their measured seconds,
 * transfers nothing. So queues on devices, and the parsing of pulls, count as they do in a run.
 * Source: c(i) of Zhang et al., "Prophet", ICPP 2021, which its authors profile in the job's first
 * steps.
 * @param plan of a whole step
 * @return StepPlan::generated: seconds from the start of the step, -1 for what is no push
 */
std::vector<double> PredictGradients(const StepPlan& plan);

} // namespace ns3::dml

#endif /* DML_ONE_WORKER_RUN_H */
