/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-job.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Ops between which a worker's step lies: what begins first, and what ends last.
struct StepBounds
{
    double start{std::numeric_limits<double>::infinity()}; //!< of the first op
    double end{-std::numeric_limits<double>::infinity()};  //!< of the last op
    GlobalOp first{NO_GLOBAL_OP};                          //!< which
    GlobalOp last{NO_GLOBAL_OP};                           //!< which
};

} // namespace

RecordedJob
MakeReplayedJob(const JobStep& job, uint32_t steps)
{
    auto [graph, seconds] = UnrollSteps(job, steps);
    ExecutionGraph execution = Replay(graph, seconds);
    std::vector<JobOp> ops;
    std::vector<StepBounds> bounds(job.workers * steps);
    const uint32_t size = job.ops.size();
    for (GlobalOp op = 0; op < size * steps; ++op)
    {
        ops.push_back(job.ops[op % size].op);
        ops.back().step = op / size;
        StepBounds& bound = bounds[ops.back().worker * steps + ops.back().step];
        const auto& ran = execution.ops[op];
        if (ran.start < bound.start)
        {
            bound.start = ran.start;
            bound.first = op;
        }
        if (ran.end >= bound.end)
        {
            bound.end = ran.end;
            bound.last = op;
        }
    }
    // latencies come behind all those, in the same order
    for (GlobalOp op = 0; op < size * steps; ++op)
    {
        if (job.ops[op % size].latency > 0)
        {
            JobOp latency = ops[op];
            latency.kind = JobOpKind::JOIN;
            latency.device = JobOp::NO_DEVICE;
            latency.bytes = 0;
            ops.push_back(latency);
        }
    }
    std::vector<RecordedStep> recorded;
    for (uint32_t worker = 0; worker < job.workers; ++worker)
    {
        for (uint32_t step = 0; step < steps; ++step)
        {
            const StepBounds& bound = bounds[worker * steps + step];
            if (bound.first == NO_GLOBAL_OP)
            {
                throw InputError("worker " + std::to_string(worker) + " has no ops");
            }
            recorded.push_back({worker, step, bound.start, bound.end, bound.first, bound.last});
        }
    }
    return {"replay",
            job.workers,
            job.servers,
            {job.names, job.devices, std::move(ops), std::move(graph)},
            std::move(execution),
            std::move(recorded),
            0,
            ""};
}

} // namespace ns3::dml
