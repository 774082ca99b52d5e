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

/// Puts ops together.
class SetMaker
{
  public:
    SetMaker(const RecordedJob& job, const std::vector<StepPath>& paths)
        : m_job(job)
    {
        for (GlobalOp op = 0; op < job.graph.ops.size(); ++op)
        {
            if (job.graph.ops[op].kind != JobOpKind::JOIN)
            {
                AddOp(op);
            }
        }
        AddSingleOps(paths);
    }

    std::vector<WhatIf> Take()
    {
        std::vector<WhatIf> sets;
        for (auto& [key, set] : m_sets)
        {
            sets.push_back(std::move(set));
        }
        return sets;
    }

  private:
    void AddOp(GlobalOp op)
    {
        using Scope = WhatIf::Scope;
        const JobOp& known = m_job.graph.ops[op];
        if (IsComputed(known.kind))
        {
            Add(Scope::COMPUTE, "what workers compute", op);
            Add(Scope::WORKER, "what worker " + std::to_string(known.worker) + " computes", op);
        }
        else if (IsSent(known.kind))
        {
            Add(Scope::NETWORK, "all that is sent", op);
        }
        else if (known.kind == JobOpKind::PARSE)
        {
            Add(Scope::PARSE, "all parsing", op);
        }
        else
        {
            Add(Scope::UPDATE, "all updates", op);
        }
        if ((known.kind == JobOpKind::PULL || known.kind == JobOpKind::PUSH) &&
            known.device != JobOp::NO_DEVICE)
        {
            Add(Scope::DEVICE_ROLE,
                GetDeviceRole(m_job.graph.devices[known.device]) + ", all workers",
                op);
        }
    }

    /// Ops that are long on critical paths.
    void AddSingleOps(const std::vector<StepPath>& paths)
    {
        std::map<std::pair<JobOpKind, uint32_t>, double> seconds;
        for (const auto& path : paths)
        {
            for (const auto& segment : path.segments)
            {
                const JobOp& op = m_job.graph.ops[segment.op];
                if (segment.part != TimePart::GAP)
                {
                    seconds[{op.kind, op.name}] += segment.end - segment.start;
                }
            }
        }
        std::map<std::pair<JobOpKind, uint32_t>, std::string> names;
        for (const auto& [time, op] : ListLargest(seconds, MOST_SINGLE_OPS))
        {
            const std::string& name = m_job.graph.names[op.second];
            names[op] = (op.first == JobOpKind::PARSE ? "parse " : "") + name;
        }
        for (GlobalOp op = 0; op < m_job.graph.ops.size(); ++op)
        {
            const JobOp& known = m_job.graph.ops[op];
            const auto name = names.find({known.kind, known.name});
            if (name != names.end())
            {
                Add(WhatIf::Scope::OP, name->second, op);
            }
        }
    }

    void Add(WhatIf::Scope scope, const std::string& name, GlobalOp op)
    {
        WhatIf& set = m_sets[{scope, name}];
        set.scope = scope;
        set.name = name;
        set.ops.push_back(op);
    }

    const RecordedJob& m_job;                                       //!< the job
    std::map<std::pair<WhatIf::Scope, std::string>, WhatIf> m_sets; //!< by scope and name
};

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

/// Sum over workers of the mean time from end to end of their steps.
class StepMeter
{
  public:
    StepMeter(const std::vector<StepPath>& paths)
    {
        for (const auto& path : paths)
        {
            const auto [span, added] = m_spans.try_emplace(path.step.worker);
            if (added)
            {
                span->second.first = path.step;
            }
            span->second.last = path.step;
            ++span->second.steps;
        }
    }

    double GetSeconds(const std::vector<double>& ends) const
    {
        double seconds = 0;
        for (const auto& [worker, span] : m_spans)
        {
            seconds += (ends[span.last.ends] - ends[span.first.begins]) / span.steps;
        }
        return seconds;
    }

  private:
    /// Steps of a worker.
    struct Span
    {
        RecordedStep first; //!< the first one that counts
        RecordedStep last;  //!< the last one
        double steps{0};    //!< how many
    };

    std::map<uint32_t, Span> m_spans; //!< by worker
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
    const StepMeter meter(paths);
    const auto measure = [&job, &meter](const std::vector<double>& times) {
        return meter.GetSeconds(Reschedule(job.graph.graph, job.execution, times));
    };
    const double now = measure(seconds);
    auto sets = SetMaker(job, paths).Take();
    for (auto& set : sets)
    {
        std::vector<double> shorter = seconds;
        for (const GlobalOp op : set.ops)
        {
            shorter[op] *= 1 - part;
        }
        set.gain = now > 0 ? 1 - measure(shorter) / now : 0;
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
