/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-what-if.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Most ops of which it is found out what shortening each of them alone would give.
constexpr std::size_t MOST_SINGLE_OPS = 30;

/// What gains less is left out.
constexpr double SMALLEST_GAIN = 1e-6;

/// Ops that could be made faster together, by what they are.
using OpSets = std::map<std::pair<WhatIf::Scope, std::string>, std::vector<GlobalOp>>;

/// Put ops together by what they do and where they run.
void
AddKinds(const JobGraph& graph, OpSets& sets)
{
    using Scope = WhatIf::Scope;
    for (GlobalOp op = 0; op < graph.ops.size(); ++op)
    {
        const JobOp& known = graph.ops[op];
        if (known.kind == JobOpKind::JOIN)
        {
            continue;
        }
        if (IsComputed(known.kind))
        {
            sets[{Scope::COMPUTE, "what workers compute"}].push_back(op);
            sets[{Scope::WORKER, "what worker " + std::to_string(known.worker) + " computes"}]
                .push_back(op);
        }
        else if (IsSent(known.kind))
        {
            sets[{Scope::NETWORK, "all that is sent"}].push_back(op);
        }
        else if (known.kind == JobOpKind::PARSE)
        {
            sets[{Scope::PARSE, "all parsing"}].push_back(op);
        }
        else
        {
            sets[{Scope::UPDATE, "all updates"}].push_back(op);
        }
        if ((known.kind == JobOpKind::PULL || known.kind == JobOpKind::PUSH) &&
            known.device != JobOp::NO_DEVICE)
        {
            sets[{Scope::DEVICE_ROLE, GetDeviceRole(graph.devices[known.device]) + ", all workers"}]
                .push_back(op);
        }
    }
}

/// Add each op that is long on critical paths.
void
AddSingleOps(const JobGraph& graph, const std::vector<StepPath>& paths, OpSets& sets)
{
    std::map<std::pair<JobOpKind, uint32_t>, double> seconds;
    for (const auto& path : paths)
    {
        for (const auto& segment : path.segments)
        {
            const JobOp& op = graph.ops[segment.op];
            if (segment.part != TimePart::GAP)
            {
                seconds[{op.kind, op.name}] += segment.end - segment.start;
            }
        }
    }
    std::map<std::pair<JobOpKind, uint32_t>, std::string> names;
    for (const auto& [time, op] : ListLargest(seconds, MOST_SINGLE_OPS))
    {
        names[op] = (op.first == JobOpKind::PARSE ? "parse " : "") + graph.names[op.second];
    }
    for (GlobalOp op = 0; op < graph.ops.size(); ++op)
    {
        const auto name = names.find({graph.ops[op].kind, graph.ops[op].name});
        if (name != names.end())
        {
            sets[{WhatIf::Scope::OP, name->second}].push_back(op);
        }
    }
}

/// @return whether no worker's computation matters twice as much as another's
bool
AreWorkersAlike(const std::vector<WhatIf>& sets)
{
    double least = 1;
    double most = 0;
    for (const auto& set : sets)
    {
        if (set.scope == WhatIf::Scope::WORKER)
        {
            least = std::min(least, set.gain);
            most = std::max(most, set.gain);
        }
    }
    return most <= 2 * least;
}

/// Steps of a worker that count.
struct StepSpan
{
    GlobalOp begins{0}; //!< join with which the first one begins
    GlobalOp ends{0};   //!< join with which the last one ends
    double steps{0};    //!< how many
};

} // namespace

std::vector<WhatIf>
FindWhatIfs(const RecordedJob& job, const std::vector<StepPath>& paths, double part)
{
    std::vector<double> seconds;
    for (const auto& op : job.execution.ops)
    {
        seconds.push_back(op.end - op.start);
    }
    std::map<uint32_t, StepSpan> spans; // by worker
    for (const auto& path : paths)
    {
        StepSpan& span = spans[path.step.worker];
        span.begins = span.steps == 0 ? path.step.begins : span.begins;
        span.ends = path.step.ends;
        ++span.steps;
    }
    // sum over workers of the mean time from end to end of their steps
    const auto measure = [&job, &spans](const std::vector<double>& times) {
        const auto ends = Reschedule(job.graph.graph, job.execution, times);
        double sum = 0;
        for (const auto& [worker, span] : spans)
        {
            sum += (ends[span.ends] - ends[span.begins]) / span.steps;
        }
        return sum;
    };
    const double now = measure(seconds);
    OpSets known;
    AddKinds(job.graph, known);
    AddSingleOps(job.graph, paths, known);
    std::vector<WhatIf> sets;
    for (auto& [key, ops] : known)
    {
        std::vector<double> shorter = seconds;
        for (const GlobalOp op : ops)
        {
            shorter[op] *= 1 - part;
        }
        const double gain = now > 0 ? 1 - measure(shorter) / now : 0;
        sets.push_back({key.first, key.second, std::move(ops), gain});
    }
    const bool alike = AreWorkersAlike(sets);
    sets.erase(std::remove_if(sets.begin(),
                              sets.end(),
                              [alike](const WhatIf& set) {
                                  return set.gain < SMALLEST_GAIN ||
                                         (alike && set.scope == WhatIf::Scope::WORKER);
                              }),
               sets.end());
    std::stable_sort(sets.begin(), sets.end(), [](const WhatIf& a, const WhatIf& b) {
        return a.gain > b.gain;
    });
    return sets;
}

} // namespace ns3::dml
