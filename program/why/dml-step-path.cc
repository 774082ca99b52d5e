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
    case JobOpKind::FORWARD:
    case JobOpKind::BACKWARD:
    case JobOpKind::COMPUTE:
        break;
    }
    return TimePart::COMPUTE;
}

/// Puts the segments of a step's path one behind the other.
class PathWriter
{
  public:
    explicit PathWriter(const RecordedStep& step)
        : m_path{step, {}},
          m_at(step.start)
    {
    }

    /// Go on to @p end, if that is later.
    void Add(PathSegment segment, double end)
    {
        segment.start = m_at;
        segment.end = std::min(end, m_path.step.end);
        if (segment.end > segment.start)
        {
            m_at = segment.end;
            m_path.segments.push_back(segment);
        }
    }

    /// Likewise, with what is between some stretches of time as TimePart::OTHERS.
    void AddOthers(const PathSegment& segment,
                   double end,
                   const std::vector<std::pair<double, double>>& running)
    {
        PathSegment idle = segment;
        idle.part = TimePart::OTHERS;
        auto stretch = std::upper_bound(running.begin(),
                                        running.end(),
                                        m_at,
                                        [](double time, const std::pair<double, double>& other) {
                                            return time < other.second;
                                        });
        for (; stretch != running.end() && stretch->first < end; ++stretch)
        {
            Add(idle, stretch->first);
            Add(segment, std::min(stretch->second, end));
        }
        Add(idle, end);
    }

    StepPath Take()
    {
        return std::move(m_path);
    }

  private:
    StepPath m_path; //!< so far
    double m_at;     //!< its end
};

} // namespace

std::string
ToString(TimePart part)
{
    switch (part)
    {
    case TimePart::COMPUTE:
        return "compute";
    case TimePart::PULL:
        return "pull";
    case TimePart::PUSH:
        return "push";
    case TimePart::COLLECTIVE:
        return "collective";
    case TimePart::PARSE:
        return "parse";
    case TimePart::UPDATE:
        return "update";
    case TimePart::OTHERS:
        return "other-worker";
    case TimePart::GAP:
        return "gap";
    }
    return "";
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
    const auto found = m_running.find({step.worker, step.step});
    const Stretches& running = found == m_running.end() ? NOTHING : found->second;
    const auto path = FindCriticalPath(m_job.execution, step.ends, step.start);
    PathWriter writer(step);
    for (std::size_t i = 0; i < path.size(); ++i)
    {
        const auto& ran = m_job.execution.ops[path[i].op];
        const JobOp& op = m_job.graph.ops[path[i].op];
        writer.Add({path[i].op, TimePart::GAP, path[i].link}, ran.start);
        PathSegment segment{path[i].op, GetPart(op.kind), path[i].link};
        if (i + 1 < path.size() && path[i + 1].link == CriticalLink::DEVICE)
        {
            segment.queuedFrom = m_job.execution.ops[path[i + 1].op].ready;
        }
        if (op.worker == step.worker || op.kind == JobOpKind::COLLECTIVE ||
            op.kind == JobOpKind::MOVE || op.kind == JobOpKind::UPDATE)
        {
            writer.Add(segment, ran.end);
        }
        else
        {
            writer.AddOthers(segment, ran.end, running);
        }
    }
    return writer.Take();
}

std::vector<RecordedStep>
ListSteadySteps(const RecordedJob& job)
{
    std::vector<RecordedStep> steps;
    for (const auto& step : job.steps)
    {
        if (step.step > 0)
        {
            steps.push_back(step);
        }
    }
    return steps.empty() ? job.steps : steps;
}

} // namespace ns3::dml
