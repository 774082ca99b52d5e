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

} // namespace ns3::dml
