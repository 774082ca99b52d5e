/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_OPS_H
#define DML_RECORDED_OPS_H

#include "dml-recorded-job.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Times of a trace are rounded to nanoseconds, and a start and a length are rounded each.
constexpr double TRACE_ROUNDING = 3e-9;

/// How the names of rows of a trace begin that show what a worker adds up.
constexpr const char* REDUCER_LANE = "reducer";

/// A step and its ops, by op of the job.
struct PlacedStep
{
    RecordedStep record;           //!< what is told of it
    std::vector<GlobalOp> first{}; //!< first op of each
    std::vector<GlobalOp> last{};  //!< last one of each; another worker's where that did it for all
    std::vector<GlobalOp> collectives{}; //!< of the step
};

/**
 * @brief The ops of a recorded run with their times, and what of each is where: all of a
 * RecordedJob but the dependencies between ops of the job.
 */
struct RecordedOps
{
    std::vector<PlacedStep> steps; //!< by worker and number
    /// Of ops, by JobOp::name: those of the job, then of the joins with which steps begin and end.
    std::vector<std::string> names;
    std::vector<JobOp> ops;                 //!< by op of the graph
    std::vector<OpTimes> times;             //!< likewise
    std::vector<uint32_t> graphDevices;     //!< likewise
    std::vector<std::string> devices;       //!< names
    GlobalGraph::Dependencies dependencies; //!< chunks of transfers, one after the other
    /// Collectives and their messages, each after what it waited for, as far as times allow.
    GlobalGraph::Dependencies waits;
    /// Collectives of a worker that had to end before it could enter another one: (before, after).
    GlobalGraph::Dependencies turns;
    uint64_t leftOut{0}; //!< messages of collectives, if there are too many
    std::map<std::pair<uint32_t, uint32_t>, std::size_t> places; //!< of steps, by worker, number
    uint32_t nextDevice{0}; //!< of ops that have one of their own

    /// @param worker index @param step number @return the step, or null
    PlacedStep* FindStep(uint32_t worker, uint32_t step)
    {
        const auto place = places.find({worker, step});
        return place == places.end() ? nullptr : &steps[place->second];
    }

    /// @param op to be added @param when it ran @param own whether it has a device of its own
    /// @return its number
    GlobalOp Add(const JobOp& op, const OpTimes& when, bool own)
    {
        ops.push_back(op);
        times.push_back(when);
        graphDevices.push_back(own ? nextDevice++ : op.device);
        return ops.size() - 1;
    }

    /// Add a join. @param step it is of @param name in names @param time when @return its number
    GlobalOp AddJoin(const RecordedStep& step, OpIndex name, double time)
    {
        return Add({JobOpKind::JOIN, name, step.worker, step.step}, {time, time}, true);
    }
};

/// @param job that ran @param run of it @param starts of what is received @param detail of
/// collectives @param waits of ops @return its ops
RecordedOps ListRecordedOps(const TraceJob& job,
                            const RunTrace& run,
                            ReceiveStarts starts,
                            CollectiveDetail detail,
                            WaitDetail waits);

} // namespace ns3::dml

#endif /* DML_RECORDED_OPS_H */
