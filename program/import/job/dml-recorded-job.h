/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_JOB_H
#define DML_RECORDED_JOB_H

#include "ns3/dml-execution.h"
#include "ns3/dml-job-graph.h"
#include "ns3/dml-job-step.h"
#include "ns3/dml-run-trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A step of a worker in a recorded run.
struct RecordedStep
{
    uint32_t worker{0}; //!< whose
    uint32_t step{0};   //!< number
    double start{0};    //!< s
    double end{0};      //!< s
    GlobalOp begins{0}; //!< join with which it begins
    GlobalOp ends{0};   //!< join with which it ends
};

/// A worker adds up what it has received of a collective.
struct RecordedReduction
{
    uint32_t worker{0}; //!< whose
    uint32_t step{0};   //!< number of its step
    double start{0};    //!< s
    double end{0};      //!< s
};

/**
 * @ingroup dml-import
 * @brief The global data-flow graph of all steps of a recorded run, and when everything ran.
 *
 * Each chunk of a transfer is an op of its channel, and its way to the receiver after the last one
 * left is one of the channel's wire, which brings one transfer after the other: what seems to take
 * long while others arrive has waited for them. A collective is a join where a worker enters it,
 * and an op from there until the worker has its result that begins when the last worker has entered
 * it (in traces the early ones seem to take long): what dPRO does to RECVs that wait for their
 * SENDs (Hu et al., MLSys 2022, section 4.2). Where the trace has its messages, each is an op of
 * the channel between two workers that waits for both to have entered it, and for what its sender
 * had to receive before; the collective then takes what is left when the last one has come. Steps
 * begin and end with joins; what made a worker wait between two steps is the step of another one
 * that ended last before it went on.
 */
struct RecordedJob
{
    std::string engine;              //!< engine that ran it
    uint32_t workers{0};             //!< number of workers
    uint32_t servers{0};             //!< number of parameter servers
    JobGraph graph;                  //!< of all steps
    ExecutionGraph execution;        //!< when its ops ran
    std::vector<RecordedStep> steps; //!< by worker, then by number
    /// Dependencies of the job that the times contradict, and which are left out, such as a
    /// gradient that came too late for its update.
    uint32_t contradicted{0};
    std::string example; //!< one of these, "op 'a' ends after op 'b' begins, step 3 of worker 0"
    std::vector<RecordedReduction> reductions; //!< which are no ops, by their ends
    uint64_t movesLeftOut{0}; //!< messages of collectives that are too many to be ops
};

/// Whether receiving begins when its sender began.
enum class ReceiveStarts : uint8_t
{
    CORRECTED, //!< it does: see RecordedJob
    RECORDED,  //!< it begins when the receiver says so, waiting for others included
};

/// What is known of a collective.
enum class CollectiveDetail : uint8_t
{
    MOVES, //!< also what its workers sent each other, where the trace has that
    WHOLE, //!< when each worker entered it, and had its result
};

/// For what ops wait in the graph.
enum class WaitDetail : uint8_t
{
    ALL,  //!< for all that is known
    DATA, //!< not for what only a rule or a shared resource makes them wait for: collectives before
          //!< a collective, slices before a slice, another worker's step, a server's processors
};

/**
 * @brief Make the graph of a recorded run.
 * @param job that ran
 * @param run of it
 * @param starts of transfers and collectives; moves are known only if they are corrected
 * @param detail of collectives
 * @param waits of ops
 * @return its graph; without steps if no step ended
 */
RecordedJob MakeRecordedJob(const TraceJob& job,
                            const RunTrace& run,
                            ReceiveStarts starts = ReceiveStarts::CORRECTED,
                            CollectiveDetail detail = CollectiveDetail::MOVES,
                            WaitDetail waits = WaitDetail::ALL);

/**
 * @brief What a replay of a job's steps gives, as if it had been recorded.
 * @param job one step
 * @param steps how many
 * @return the run
 * @throws InputError as ReplaySteps(), or if a worker has no ops
 */
RecordedJob MakeReplayedJob(const JobStep& job, uint32_t steps);

/**
 * @brief One step of a recorded job, with mean times over all steps of its workers but the first.
 *
 * A dependency is kept if it was there in at least half of the steps.
 *
 * @param recorded the job; at least two steps of each worker
 * @param job that ran
 * @return its mean step
 * @throws InputError if a worker has fewer than three steps
 */
JobStep MakeMeanStep(const RecordedJob& recorded, const TraceJob& job);

} // namespace ns3::dml

#endif /* DML_RECORDED_JOB_H */
