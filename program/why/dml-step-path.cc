/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-path.h"

#include <algorithm>
#include <tuple>

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

/// @param stretches of time, in any order @return them in order, none touching the next
StepPathFinder::Stretches
Merge(StepPathFinder::Stretches stretches)
{
    StepPathFinder::Stretches merged;
    std::sort(stretches.begin(), stretches.end());
    for (const auto& [start, end] : stretches)
    {
        if (merged.empty() || start > merged.back().second)
        {
            merged.emplace_back(start, end);
        }
        merged.back().second = std::max(merged.back().second, end);
    }
    return merged;
}

/// @return whether it is where a worker enters a collective
bool
IsEntry(const JobOp& op)
{
    return op.kind == JobOpKind::JOIN && op.device != JobOp::NO_DEVICE;
}

/// @return whether a channel with a server brings it
bool
IsOnChannel(const JobOp& op)
{
    return (op.kind == JobOpKind::PULL || op.kind == JobOpKind::PUSH) &&
           op.device != JobOp::NO_DEVICE;
}

/// Let a path go on to @p end: in some stretches of time by @p inside, between them by @p between,
/// which are told until when.
template <typename Inside, typename Between>
void
AppendDivided(const StepPath& path,
              double end,
              const StepPathFinder::Stretches& stretches,
              const Inside& inside,
              const Between& between)
{
    const double from = path.segments.empty() ? path.step.start : path.segments.back().end;
    auto stretch = std::upper_bound(
        stretches.begin(),
        stretches.end(),
        from,
        [](double time, const std::pair<double, double>& other) { return time < other.second; });
    for (; stretch != stretches.end() && stretch->first < end; ++stretch)
    {
        between(stretch->first);
        inside(std::min(stretch->second, end));
    }
    between(end);
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
    FindReductions();
    FindTransfers();
    std::map<std::pair<uint32_t, uint32_t>, Stretches> all;
    for (const GlobalOp op : job.execution.order)
    {
        const JobOp& known = job.graph.ops[op];
        const auto& ran = job.execution.ops[op];
        if (known.kind != JobOpKind::JOIN && ran.end > ran.start)
        {
            all[{known.worker, known.step}].emplace_back(ran.start, ran.end);
        }
    }
    for (const auto& reduction : job.reductions)
    {
        all[{reduction.worker, reduction.step}].emplace_back(reduction.start, reduction.end);
    }
    for (auto& [step, stretches] : all)
    {
        m_running[step] = Merge(std::move(stretches));
    }
}

void
StepPathFinder::FindTransfers()
{
    std::map<std::string, uint32_t> channels; // by name, without the number of the connection
    for (const auto& device : m_job.graph.devices)
    {
        const std::string name = device.substr(0, device.find(", ")) + ", " + GetDeviceRole(device);
        m_channels.push_back(channels.emplace(name, channels.size()).first->second);
    }
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::pair<double, double>> transfers;
    std::map<uint32_t, Stretches> all; // by channel
    for (const GlobalOp op : m_job.execution.order)
    {
        const JobOp& known = m_job.graph.ops[op];
        const auto& ran = m_job.execution.ops[op];
        if (!IsOnChannel(known))
        {
            continue;
        }
        auto& [start, end] = transfers
                                 .emplace(std::tuple(known.worker, known.step, known.name),
                                          std::pair(ran.start, ran.end))
                                 .first->second;
        end = std::max(end, ran.end);
        all[m_channels[known.device]].emplace_back(start, end);
    }
    for (auto& [channel, stretches] : all)
    {
        m_sending[channel] = Merge(std::move(stretches));
    }
}

const StepPathFinder::Stretches&
StepPathFinder::FindWhatHolds(const JobOp& op, uint32_t worker) const
{
    static const Stretches NOTHING;
    if (IsOnChannel(op))
    {
        return m_sending.at(m_channels[op.device]);
    }
    const auto collectives = m_reducing.find(worker);
    return collectives == m_reducing.end() ? NOTHING : collectives->second;
}

void
StepPathFinder::FindReductions()
{
    std::map<std::pair<uint32_t, uint32_t>, double> complete; // by step and name: last entry
    std::map<uint32_t, Stretches> all;                        // by worker
    for (const GlobalOp op : m_job.execution.order)
    {
        const JobOp& known = m_job.graph.ops[op];
        const auto& ran = m_job.execution.ops[op];
        if (IsEntry(known))
        {
            double& last =
                complete.emplace(std::pair(known.step, known.name), ran.start).first->second;
            last = std::max(last, ran.start);
        }
        else if (known.kind == JobOpKind::COLLECTIVE)
        {
            const auto last = complete.find({known.step, known.name}); // all entries come before
            if (last != complete.end() && last->second < ran.end)
            {
                all[known.worker].emplace_back(last->second, ran.end);
            }
        }
    }
    for (auto& [worker, stretches] : all)
    {
        m_reducing[worker] = Merge(std::move(stretches));
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
    const auto append = [&](PathSegment segment, TimePart part, double end) {
        segment.part = part;
        Append(found, segment, end);
    };
    const auto appendOp = [&](const PathSegment& segment, TimePart part, double end) {
        const JobOp& op = m_job.graph.ops[segment.op];
        if (op.worker == step.worker || part == TimePart::COLLECTIVE || part == TimePart::UPDATE)
        {
            append(segment, part, end);
            return;
        }
        AppendDivided(
            found,
            end,
            running,
            [&](double until) { append(segment, part, until); },
            [&](double until) { append(segment, TimePart::OTHERS, until); });
    };
    for (std::size_t i = 0; i < path.size(); ++i)
    {
        const auto& ran = m_job.execution.ops[path[i].op];
        const JobOp& op = m_job.graph.ops[path[i].op];
        PathSegment segment{path[i].op, TimePart::GAP, path[i].link};
        const TimePart held = IsOnChannel(op) ? GetPart(op.kind) : TimePart::COLLECTIVE;
        AppendDivided(
            found,
            ran.start,
            FindWhatHolds(op, step.worker),
            [&](double until) { appendOp(segment, held, until); },
            [&](double until) { append(segment, TimePart::GAP, until); });
        if (i + 1 < path.size() && path[i + 1].link == CriticalLink::DEVICE)
        {
            segment.queuedFrom = m_job.execution.ops[path[i + 1].op].ready;
        }
        appendOp(segment, GetPart(op.kind), ran.end);
        if (op.kind == JobOpKind::COLLECTIVE)
        {
            QueueBehind(found, segment);
        }
    }
    return found;
}

void
StepPathFinder::QueueBehind(StepPath& path, const PathSegment& result) const
{
    const JobOp& known = m_job.graph.ops[result.op];
    for (auto segment = path.segments.rbegin(); segment != path.segments.rend(); ++segment)
    {
        const JobOp& op = m_job.graph.ops[segment->op];
        if (op.name != known.name || op.step != known.step)
        {
            return;
        }
        segment->queuedFrom = result.queuedFrom;
    }
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
