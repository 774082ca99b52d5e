/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-step.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Bytes and seconds below which a link does not tell its bandwidth.
constexpr double LEAST_BYTES = 65536;
constexpr double LEAST_SECONDS = 1e-12;

/// What a link carried.
struct LinkUse
{
    double bytes{0};   //!< of tensors
    double seconds{0}; //!< in which it carried something
    double until{0};   //!< end of these so far
};

/// Ends of what is measured in one step of a worker.
struct StepEnds
{
    double begin{std::numeric_limits<double>::infinity()}; //!< its first op began
    double end{0};                                         //!< its last op ended
    double forward{-1};                                    //!< its last forward op ended; -1: none
    double backward{-1};                                   //!< its last backward op ended; -1: none
};

} // namespace

std::vector<std::vector<GlobalOp>>
ListByWaiter(const GlobalGraph::Dependencies& dependencies, std::size_t ops)
{
    std::vector<std::vector<GlobalOp>> lists(ops);
    for (const auto& [before, after] : dependencies)
    {
        lists[after].push_back(before);
    }
    return lists;
}

TimedGraph
UnrollSteps(const JobStep& job, uint32_t steps)
{
    const uint32_t size = job.ops.size();
    std::vector<uint32_t> devices;
    std::vector<double> seconds;
    uint32_t ownDevice = job.devices.size();
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (const auto& op : job.ops)
        {
            devices.push_back(op.op.device == JobOp::NO_DEVICE ? ownDevice++ : op.op.device);
            seconds.push_back(op.seconds);
        }
    }
    // what is waited for before an op: the op itself, or its latency
    std::vector<GlobalOp> entries(devices.size());
    GlobalGraph::Dependencies dependencies;
    for (GlobalOp op = 0; op < entries.size(); ++op)
    {
        entries[op] = op;
        const double latency = job.ops[op % size].latency;
        if (latency > 0)
        {
            entries[op] = devices.size();
            dependencies.emplace_back(entries[op], op);
            devices.push_back(ownDevice++);
            seconds.push_back(latency);
        }
    }
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (const auto& [before, after] : job.inStep)
        {
            dependencies.emplace_back(step * size + before, entries[step * size + after]);
        }
        for (const auto& [before, after] : job.toNext)
        {
            if (step + 1 < steps)
            {
                dependencies.emplace_back(step * size + before, entries[(step + 1) * size + after]);
            }
        }
    }
    return {{std::move(devices), std::move(dependencies)}, std::move(seconds)};
}

std::vector<WorkerTimes>
ReplaySteps(const JobStep& job, uint32_t steps, ReplayOrder order)
{
    const TimedGraph unrolled = UnrollSteps(job, steps);
    const ExecutionGraph execution = Replay(unrolled.graph, unrolled.seconds, order);
    std::vector<std::vector<StepEnds>> ends(job.workers, std::vector<StepEnds>(steps));
    for (uint32_t step = 0; step < steps; ++step)
    {
        for (uint32_t i = 0; i < job.ops.size(); ++i)
        {
            const JobOp& op = job.ops[i].op;
            const auto& ran = execution.ops[step * job.ops.size() + i];
            StepEnds& worker = ends[op.worker][step];
            worker.begin = std::min(worker.begin, ran.start);
            worker.end = std::max(worker.end, ran.end);
            if (op.kind == JobOpKind::FORWARD)
            {
                worker.forward = std::max(worker.forward, ran.end);
            }
            if (op.kind == JobOpKind::BACKWARD)
            {
                worker.backward = std::max(worker.backward, ran.end);
            }
        }
    }
    std::vector<WorkerTimes> times(job.workers);
    for (uint32_t worker = 0; worker < job.workers; ++worker)
    {
        const auto& own = ends[worker];
        times[worker].step = (own.back().end - own.front().end) / (steps - 1);
        for (uint32_t step = 1; step < steps; ++step)
        {
            const StepEnds& one = own[step];
            times[worker].forward += std::max(0.0, one.forward - one.begin) / (steps - 1);
            times[worker].backward +=
                one.forward < 0 ? 0 : std::max(0.0, one.backward - one.forward) / (steps - 1);
        }
    }
    return times;
}

double
EstimateBandwidth(const JobStep& job)
{
    constexpr uint32_t STEPS = 2; // of which the second one has full queues
    const TimedGraph unrolled = UnrollSteps(job, STEPS);
    const ExecutionGraph execution = Replay(unrolled.graph, unrolled.seconds);
    const bool moves = std::any_of(job.ops.begin(), job.ops.end(), [](const MeanOp& op) {
        return op.op.kind == JobOpKind::MOVE;
    });
    std::map<std::string, LinkUse> links;
    for (const GlobalOp op : execution.order)
    {
        const std::size_t place = op % job.ops.size();
        if (op / job.ops.size() != STEPS - 1 || !IsSent(job.ops[place].op.kind) ||
            job.ops[place].op.device == JobOp::NO_DEVICE)
        {
            continue;
        }
        const JobOp& own = job.ops[place].op;
        const std::string& device = job.devices[own.device];
        const bool collective = own.kind == JobOpKind::COLLECTIVE;
        if (collective && moves)
        {
            continue; // it only ends what its moves have carried
        }
        LinkUse& link = links[collective ? device : GetDeviceRole(device)];
        const auto& ran = execution.ops[op];
        link.bytes += own.bytes * (collective ? 2.0 * (job.workers - 1) / job.workers : 1.0);
        link.seconds += std::max(0.0, ran.end - std::max(link.until, ran.start));
        link.until = std::max(link.until, ran.end);
    }
    double most = 0;
    for (const auto& [name, link] : links)
    {
        if (link.bytes >= LEAST_BYTES && link.seconds > LEAST_SECONDS)
        {
            most = std::max(most, link.bytes / link.seconds);
        }
    }
    if (most == 0)
    {
        throw InputError("the job has no link that carries 64 KiB and would tell the bandwidth; "
                         "accepted: --rate");
    }
    return most;
}

JobStep
MakeDaydreamStep(JobStep job, double bytesPerSecond)
{
    for (auto& op : job.ops)
    {
        op.latency = 0;
        const double transfer = static_cast<double>(op.op.bytes) / bytesPerSecond;
        switch (op.op.kind)
        {
        case JobOpKind::PULL:
        case JobOpKind::PUSH:
            op.seconds = transfer; // of what is on the wire, nothing, as it has no bytes
            break;
        case JobOpKind::COLLECTIVE:
            op.seconds = 2 * transfer * (job.workers - 1) / job.workers;
            break;
        case JobOpKind::PARSE:
        case JobOpKind::MOVE: // the collective takes what they take together
            op.seconds = 0;
            break;
        default:
            break;
        }
    }
    return job;
}

} // namespace ns3::dml
