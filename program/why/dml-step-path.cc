/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-path.h"

#include <algorithm>

namespace ns3::dml
{

namespace
{

/// @return what the time of an op is to the worker whose op it is
TimePart
GetPart(JobOpKind kind)
{
    switch (kind)
    {
    case JobOpKind::JOIN:
        return TimePart::GAP;
    case JobOpKind::PULL:
        return TimePart::PULL;
    case JobOpKind::PUSH:
        return TimePart::PUSH;
    case JobOpKind::COLLECTIVE:
    case JobOpKind::MOVE:
        return TimePart::COLLECTIVE;
    case JobOpKind::PARSE:
        return TimePart::PARSE;
    case JobOpKind::UPDATE:
        return TimePart::UPDATE;
    default:
        return TimePart::COMPUTE;
    }
}

/// Let a path go on to @p end, if that is later.
void
Append(StepPath& path, PathSegment segment, double end)
{
    segment.start = path.segments.empty() ? path.step.start : path.segments.back().end;
    segment.end = std::min(end, path.step.end);
    if (segment.end > segment.start)
    {
        path.segments.push_back(segment);
    }
}

/// Likewise, with what is between some stretches of time as TimePart::OTHERS.
void
AppendOthers(StepPath& path,
             const PathSegment& segment,
             double end,
             const std::vector<std::pair<double, double>>& running)
{
    PathSegment idle = segment;
    idle.part = TimePart::OTHERS;
    const double from = path.segments.empty() ? path.step.start : path.segments.back().end;
    auto stretch = std::upper_bound(
        running.begin(),
        running.end(),
        from,
        [](double time, const std::pair<double, double>& other) { return time < other.second; });
    for (; stretch != running.end() && stretch->first < end; ++stretch)
    {
        Append(path, idle, stretch->first);
        Append(path, segment, std::min(stretch->second, end));
    }
    Append(path, idle, end);
}

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
            // A latency is not the op that comes after it.
            if (segment.part != TimePart::GAP && op.kind != JobOpKind::JOIN)
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

std::string
ToString(TimePart part)
{
    constexpr std::array<const char*, TIME_PARTS>
        NAMES{"compute", "pull", "push", "collective", "parse", "update", "other-worker", "gap"};
    return NAMES[static_cast<std::size_t>(part)];
}

std::array<double, TIME_PARTS>
StepPath::GetParts() const
{
    std::array<double, TIME_PARTS> parts{};
    for (const auto& segment : segments)
    {
        parts[static_cast<std::size_t>(segment.part)] += segment.end - segment.start;
    }
    return parts;
}

double
StepPath::GetQueued() const
{
    double seconds = 0;
    for (const auto& segment : segments)
    {
        seconds += segment.GetQueued();
    }
    return seconds;
}

StepPathFinder::StepPathFinder(const RecordedJob& job)
    : m_job(job)
{
    for (const GlobalOp op : job.execution.order) // by their starts
    {
        const JobOp& known = job.graph.ops[op];
        const auto& ran = job.execution.ops[op];
        if (known.kind == JobOpKind::JOIN || ran.end <= ran.start)
        {
            continue;
        }
        auto& running = m_running[{known.worker, known.step}];
        if (running.empty() || ran.start > running.back().second)
        {
            running.emplace_back(ran.start, ran.end);
        }
        running.back().second = std::max(running.back().second, ran.end);
    }
}

StepPath
StepPathFinder::Find(const RecordedStep& step) const
{
    static const Stretches NOTHING;
    const auto own = m_running.find({step.worker, step.step});
    const Stretches& running = own == m_running.end() ? NOTHING : own->second;
    const auto path = FindCriticalPath(m_job.execution, step.ends, step.start);
    StepPath found{step, {}};
    for (std::size_t i = 0; i < path.size(); ++i)
    {
        const auto& ran = m_job.execution.ops[path[i].op];
        const JobOp& op = m_job.graph.ops[path[i].op];
        Append(found, {path[i].op, TimePart::GAP, path[i].link}, ran.start);
        PathSegment segment{path[i].op, GetPart(op.kind), path[i].link};
        if (i + 1 < path.size() && path[i + 1].link == CriticalLink::DEVICE)
        {
            segment.queuedFrom = m_job.execution.ops[path[i + 1].op].ready;
        }
        if (op.worker == step.worker || op.kind == JobOpKind::COLLECTIVE ||
            op.kind == JobOpKind::MOVE || op.kind == JobOpKind::UPDATE)
        {
            Append(found, segment, ran.end);
        }
        else
        {
            AppendOthers(found, segment, ran.end, running);
        }
    }
    return found;
}

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
