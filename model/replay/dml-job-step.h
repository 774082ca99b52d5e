/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_STEP_H
#define DML_JOB_STEP_H

#include "dml-graph-replay.h"
#include "dml-job-graph.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// How long the steps of a worker take, seconds.
struct WorkerTimes
{
    double step{0};     //!< from the end of a step to the end of the next one
    double forward{0};  //!< from the beginning of a step to the end of its last forward op
    double backward{0}; //!< from there to the end of its last backward op
};

/// An op of a JobStep. One that has no device is a join.
struct MeanOp
{
    JobOp op;          //!< which
    double seconds{0}; //!< how long its device takes for it
    /// How much later than all that it waits for it begins, if its device is free: what the graph
    /// does not know.
    double latency{0};
};

/**
 * @ingroup dml-replay
 * @brief The global data-flow graph of one step of all workers, with mean times of several measured
 * ones. What replays it says how fast the job runs, step after step.
 */
struct JobStep
{
    std::string model;                                       //!< name of the neural network
    uint32_t batch{1};                                       //!< samples per step of a worker
    std::vector<std::pair<std::string, std::string>> source; //!< where it is from
    uint32_t workers{0};                                     //!< number of workers
    uint32_t servers{0};                                     //!< number of parameter servers
    uint32_t steps{0};                 //!< of each worker, of which times are means
    std::vector<std::string> names;    //!< of ops
    std::vector<std::string> devices;  //!< names, as "worker 0, downlink PS 0"
    std::vector<MeanOp> ops;           //!< by number; their step is 0
    GlobalGraph::Dependencies inStep;  //!< op, and one that waits for it in the same step
    GlobalGraph::Dependencies toNext;  //!< op, and one that waits for it in the next step
    std::vector<WorkerTimes> measured; //!< by worker
    /// What was assumed of the records, in sentences: clocks. Not kept in files.
    std::vector<std::string> rules;
    std::vector<std::string> unmatched; //!< what was found and is not in the graph, in sentences
};

/// @param dependencies of a step @param ops of it, their number
/// @return by op: those that it waits for, in the order of the dependencies
std::vector<std::vector<GlobalOp>> ListByWaiter(const GlobalGraph::Dependencies& dependencies,
                                                std::size_t ops);

/**
 * @brief Several steps, one after the other, as a graph to be replayed. Op i of step s is op
 * s * job.ops.size() + i of the graph; latencies are ops behind all those.
 * @param job one step
 * @param steps how many
 * @return the graph
 * @throws InputError if ops of a step wait for each other in a circle
 */
TimedGraph UnrollSteps(const JobStep& job, uint32_t steps);

/// Steps of which a replay says how long one takes, the first one included, which does not count.
constexpr uint32_t REPLAYED_STEPS = 20;

/**
 * @brief Replay steps and measure them, but the first one, which begins with empty queues.
 * @param job one step
 * @param steps how many, at least 2
 * @param order of ops on a device
 * @return by worker: its times
 * @throws InputError as UnrollSteps()
 */
std::vector<WorkerTimes> ReplaySteps(const JobStep& job, uint32_t steps, ReplayOrder order);

/**
 * @brief What the links of a job can carry at least: what the transfers to or from one server have
 * carried together, or the collectives of a worker, while one of them was under way in a replay.
 * @param job one step
 * @return bytes per second of the fastest link that carries at least 64 KiB in a step
 * @throws InputError if there is none, or as UnrollSteps()
 */
double EstimateBandwidth(const JobStep& job);

/**
 * @brief The baseline that Hu et al. (MLSys 2022, section 7.2) compare with, after Daydream (Zhu et
 * al., USENIX ATC 2020): each transfer takes its size over the bandwidth, a collective of W workers
 * 2 (W - 1) / W of that; nothing else delays it, and parsing takes no time.
 * @param job one step
 * @param bytesPerSecond bandwidth of links, above 0
 * @return the job with such times
 */
JobStep MakeDaydreamStep(JobStep job, double bytesPerSecond);

} // namespace ns3::dml

#endif /* DML_JOB_STEP_H */
