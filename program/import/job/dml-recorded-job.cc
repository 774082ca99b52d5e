/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-job.h"

#include "dml-recorded-ops.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Makes the graph of the ops of a run: what each of them waited for.
class Builder
{
  public:
    Builder(const TraceJob& job,
            const RunTrace& run,
            ReceiveStarts starts,
            CollectiveDetail detail,
            WaitDetail waits)
        : m_job(job),
          m_run(run),
          m_ops(ListRecordedOps(job, run, starts, detail, waits)),
          m_waits(waits),
          m_floating(m_ops.ops.size(), false)
    {
    }

    RecordedJob Build()
    {
        for (const auto& [before, after] : m_ops.waits)
        {
            AddEdge(before, after);
        }
        for (const auto& [before, after] : m_ops.turns)
        {
            AddEdge(before, after);
        }
        for (auto& step : m_ops.steps)
        {
            AddEdges(step);
        }
        AddStepBounds();
        if (m_waits == WaitDetail::ALL)
        {
            AddStepEnds();
            AddServerTurns();
        }
        return Finish();
    }

  private:
    /// Let @p after wait for @p before, unless their times say that it did not.
    /// @return whether it does
    bool AddEdge(GlobalOp before, GlobalOp after)
    {
        if (!m_floating[before] && !m_floating[after] &&
            m_ops.times[before].end > m_ops.times[after].start + TRACE_ROUNDING)
        {
            if (m_contradicted++ == 0)
            {
                const JobOp& late = m_ops.ops[after];
                m_example = "op '" + m_ops.names[m_ops.ops[before].name] + "' ends after op '" +
                            m_ops.names[late.name] + "' has begun, in step " +
                            std::to_string(late.step) + " of worker " + std::to_string(late.worker);
            }
            return false;
        }
        m_ops.dependencies.emplace_back(before, after);
        return true;
    }

    /// Ops without records join what they wait for. A gradient without a record was reduced in the
    /// last buffer that was there when its update began.
    void AddMissing(PlacedStep& step)
    {
        const auto& ops = m_job.GetOps();
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            if (step.first[op] != NO_GLOBAL_OP)
            {
                continue;
            }
            const GlobalOp join = m_ops.AddJoin(step.record, op, step.record.start);
            m_floating.resize(join + 1, false);
            m_floating[join] = true;
            step.first[op] = step.last[op] = join;
            if (ops[op].kind != OpKind::PUSH || step.collectives.empty())
            {
                continue;
            }
            double used = step.record.end;
            for (const OpIndex after : m_job.GetDependents(op))
            {
                if (step.first[after] != NO_GLOBAL_OP && !m_floating[step.first[after]])
                {
                    used = std::min(used, m_ops.times[step.first[after]].start);
                }
            }
            GlobalOp latest = NO_GLOBAL_OP;
            for (const GlobalOp collective : step.collectives)
            {
                const double end = m_ops.times[collective].end;
                if (end <= used + TRACE_ROUNDING &&
                    (latest == NO_GLOBAL_OP || end > m_ops.times[latest].end))
                {
                    latest = collective;
                }
            }
            if (latest != NO_GLOBAL_OP)
            {
                step.last[op] = latest;
            }
        }
    }

    void AddEdges(PlacedStep& step)
    {
        AddMissing(step);
        const auto& ops = m_job.GetOps();
        std::vector<bool> waits(ops.size(), false);
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            bool needed = false;
            for (const OpIndex after : m_job.GetDependents(op))
            {
                waits[after] = true;
                needed = AddEdge(step.last[op], step.first[after]) || needed;
            }
            if (!needed) // a gradient that came too late for its update belongs to the step still
            {
                AddEdge(step.last[op], step.record.ends);
            }
        }
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            if (!waits[op])
            {
                AddEdge(step.record.begins, step.first[op]);
            }
        }
        AddBarrier(step);
        AddUpdatesBefore(step);
    }

    /// Where all updates of a step began after its last collective, they waited for it.
    void AddBarrier(const PlacedStep& step)
    {
        std::vector<GlobalOp> updates;
        for (OpIndex op = 0; op < step.first.size(); ++op)
        {
            if (m_job.GetOps()[op].kind == OpKind::UPDATE && !m_floating[step.first[op]])
            {
                updates.push_back(step.first[op]);
            }
        }
        const auto isBefore = [this](GlobalOp collective, GlobalOp update) {
            return m_ops.times[collective].end <= m_ops.times[update].start + TRACE_ROUNDING;
        };
        const bool barrier =
            std::all_of(step.collectives.begin(), step.collectives.end(), [&](GlobalOp collective) {
                return std::all_of(updates.begin(), updates.end(), [&](GlobalOp update) {
                    return isBefore(collective, update);
                });
            });
        if (!barrier || updates.empty() || step.collectives.empty())
        {
            return;
        }
        const GlobalOp last = *std::max_element(
            step.collectives.begin(),
            step.collectives.end(),
            [this](GlobalOp a, GlobalOp b) { return m_ops.times[a].end < m_ops.times[b].end; });
        for (const GlobalOp update : updates)
        {
            AddEdge(last, update);
        }
    }

    /// A parameter is there once it has been updated in the step before.
    void AddUpdatesBefore(const PlacedStep& step)
    {
        const PlacedStep* const before =
            step.record.step > 0 ? m_ops.FindStep(step.record.worker, step.record.step - 1)
                                 : nullptr;
        if (!before)
        {
            return;
        }
        const auto& ops = m_job.GetOps();
        std::map<std::string, GlobalOp> updates;
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            if (ops[op].kind == OpKind::UPDATE && before->last[op] != NO_GLOBAL_OP)
            {
                updates[ops[op].tensor] = before->last[op];
            }
        }
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            const auto update =
                ops[op].kind == OpKind::PULL ? updates.find(ops[op].tensor) : updates.end();
            // without waiting for it, a worker may go on with a parameter that is older
            if (update != updates.end() && (m_floating[step.first[op]] ||
                                            m_ops.times[update->second].end <=
                                                m_ops.times[step.first[op]].start + TRACE_ROUNDING))
            {
                m_ops.dependencies.emplace_back(update->second, step.first[op]);
            }
        }
    }

    /// What a step waited for before it began.
    void AddStepBounds()
    {
        std::vector<const PlacedStep*> byEnd;
        for (const auto& step : m_ops.steps)
        {
            byEnd.push_back(&step);
        }
        std::sort(byEnd.begin(), byEnd.end(), [](const PlacedStep* a, const PlacedStep* b) {
            return a->record.end < b->record.end;
        });
        for (const auto& step : m_ops.steps)
        {
            const RecordedStep& record = step.record;
            const PlacedStep* const before =
                record.step > 0 ? m_ops.FindStep(record.worker, record.step - 1) : nullptr;
            if (!before)
            {
                continue;
            }
            const GlobalOp cause = before->record.end <= record.start + TRACE_ROUNDING
                                       ? before->record.ends
                                       : FindLastComputed(*before, record.start);
            if (cause != NO_GLOBAL_OP)
            {
                m_ops.dependencies.emplace_back(cause, record.begins);
            }
            const double free = cause == NO_GLOBAL_OP ? record.start : m_ops.times[cause].end;
            if (record.start <= free + TRACE_ROUNDING)
            {
                continue;
            }
            auto other = std::upper_bound(
                byEnd.begin(),
                byEnd.end(),
                record.start + TRACE_ROUNDING,
                [](double time, const PlacedStep* ended) { return time < ended->record.end; });
            while (other != byEnd.begin() && (*std::prev(other))->record.worker == record.worker)
            {
                --other;
            }
            if (other != byEnd.begin() && (*std::prev(other))->record.end > free)
            {
                m_ops.dependencies.emplace_back((*std::prev(other))->record.ends, record.begins);
            }
        }
    }

    /// A step that had nothing of its own left to wait for ended with the step of another worker:
    /// with the last one of these that was done by then.
    void AddStepEnds()
    {
        if (!m_run.waits)
        {
            return;
        }
        std::vector<GlobalOp> last; // what ended last, by place of the step
        for (const auto& step : m_ops.steps)
        {
            last.push_back(FindLastEnded(step));
        }
        std::vector<std::size_t> done; // places of steps, by that time
        for (std::size_t i = 0; i < last.size(); ++i)
        {
            if (last[i] != NO_GLOBAL_OP)
            {
                done.push_back(i);
            }
        }
        const auto end = [&](std::size_t place) { return m_ops.times[last[place]].end; };
        std::sort(done.begin(), done.end(), [&](std::size_t a, std::size_t b) {
            return std::make_pair(end(a), a) < std::make_pair(end(b), b);
        });
        for (const std::size_t place : done)
        {
            const RecordedStep& step = m_ops.steps[place].record;
            auto other =
                std::upper_bound(done.begin(),
                                 done.end(),
                                 step.end + TRACE_ROUNDING,
                                 [&](double time, std::size_t ended) { return time < end(ended); });
            while (other != done.begin() &&
                   m_ops.steps[*std::prev(other)].record.worker == step.worker)
            {
                --other;
            }
            if (other != done.begin() && end(*std::prev(other)) > end(place) + TRACE_ROUNDING)
            {
                AddEdge(last[*std::prev(other)], step.ends);
            }
        }
    }

    /// What a server began at the instant when it had done something else waited for that, where
    /// its workers share its processors.
    void AddServerTurns()
    {
        constexpr double SHORTEST = 2 * TRACE_ROUNDING;      // which cannot wait for each other
        std::map<std::string, std::vector<GlobalOp>> served; // by server, in order of ends
        const auto findServer = [this](GlobalOp op) {
            const uint32_t device = m_ops.ops[op].device;
            const std::string& name = device == JobOp::NO_DEVICE ? "" : m_ops.devices[device];
            return name.rfind("PS ", 0) == 0 ? name.substr(0, name.find(',')) : "";
        };
        for (GlobalOp op = 0; op < m_ops.ops.size(); ++op)
        {
            const std::string server = findServer(op);
            if (!server.empty() && m_ops.times[op].end > m_ops.times[op].start + SHORTEST)
            {
                served[server].push_back(op);
            }
        }
        std::vector<double> ready(m_ops.ops.size(), 0);
        for (const auto& [before, after] : m_ops.dependencies)
        {
            ready[after] = std::max(ready[after], m_ops.times[before].end);
        }
        for (auto& [server, ops] : served)
        {
            std::stable_sort(ops.begin(), ops.end(), [this](GlobalOp a, GlobalOp b) {
                return m_ops.times[a].end < m_ops.times[b].end;
            });
        }
        for (GlobalOp op = 0; op < m_ops.ops.size(); ++op)
        {
            const double start = m_ops.times[op].start;
            const auto ops =
                start > ready[op] + TRACE_ROUNDING ? served.find(findServer(op)) : served.end();
            if (ops == served.end())
            {
                continue;
            }
            const auto after = std::upper_bound(
                ops->second.begin(),
                ops->second.end(),
                start + TRACE_ROUNDING,
                [this](double time, GlobalOp other) { return time < m_ops.times[other].end; });
            if (after != ops->second.begin() && *std::prev(after) != op &&
                m_ops.times[*std::prev(after)].end >= start - TRACE_ROUNDING)
            {
                AddEdge(*std::prev(after), op);
            }
        }
    }

    /// @return the op of a step that ended last, but not after it
    GlobalOp FindLastEnded(const PlacedStep& step) const
    {
        GlobalOp latest = NO_GLOBAL_OP;
        for (const GlobalOp op : step.last)
        {
            if (op != NO_GLOBAL_OP && !m_floating[op] &&
                m_ops.times[op].end <= step.record.end + TRACE_ROUNDING &&
                (latest == NO_GLOBAL_OP || m_ops.times[op].end > m_ops.times[latest].end))
            {
                latest = op;
            }
        }
        return latest;
    }

    /// @return the op of @p step that a device of the worker ended last by @p time
    GlobalOp FindLastComputed(const PlacedStep& step, double time) const
    {
        GlobalOp latest = NO_GLOBAL_OP;
        for (const GlobalOp op : step.last)
        {
            if (op != NO_GLOBAL_OP && IsComputed(m_ops.ops[op].kind) &&
                m_ops.times[op].end <= time + TRACE_ROUNDING &&
                (latest == NO_GLOBAL_OP || m_ops.times[op].end > m_ops.times[latest].end))
            {
                latest = op;
            }
        }
        return latest;
    }

    /// What floats takes place as soon as it can.
    void SettleFloating(const GlobalGraph& graph)
    {
        std::vector<uint32_t> waits = graph.GetWaits();
        std::vector<GlobalOp> ready;
        for (GlobalOp op = 0; op < graph.GetSize(); ++op)
        {
            if (waits[op] == 0)
            {
                ready.push_back(op);
            }
        }
        while (!ready.empty())
        {
            const GlobalOp op = ready.back();
            ready.pop_back();
            for (const GlobalOp dependent : graph.GetDependents(op))
            {
                if (m_floating[dependent])
                {
                    OpTimes& times = m_ops.times[dependent];
                    times.start = times.end = std::max(times.end, m_ops.times[op].end);
                }
                if (--waits[dependent] == 0)
                {
                    ready.push_back(dependent);
                }
            }
        }
    }

    /// A collective that waits for another one to end is ready before, as an op in the queue of a
    /// device is.
    void TellTurns(const GlobalGraph& graph, ExecutionGraph& execution) const
    {
        std::map<GlobalOp, GlobalOp> turns; // by the one that waits
        for (const auto& [before, after] : m_ops.turns)
        {
            turns[after] = before;
            execution.ops[after].previous = before;
            execution.ops[after].released = NO_GLOBAL_OP;
            execution.ops[after].ready = 0;
        }
        for (GlobalOp op = 0; op < graph.GetSize() && !turns.empty(); ++op)
        {
            for (const GlobalOp dependent : graph.GetDependents(op))
            {
                const auto turn = turns.find(dependent);
                auto& waiting = execution.ops[dependent];
                if (turn != turns.end() && turn->second != op &&
                    (waiting.released == NO_GLOBAL_OP || execution.ops[op].end > waiting.ready))
                {
                    waiting.ready = execution.ops[op].end;
                    waiting.released = op;
                }
            }
        }
    }

    std::vector<RecordedReduction> ListReductions() const
    {
        std::vector<RecordedReduction> reductions;
        for (const auto& op : m_run.ops)
        {
            if (m_run.lanes[op.lane].title.rfind(REDUCER_LANE, 0) == 0)
            {
                reductions.push_back({op.worker, op.step, op.start, op.end});
            }
        }
        return reductions;
    }

    RecordedJob Finish()
    {
        GlobalGraph graph(std::move(m_ops.graphDevices), std::move(m_ops.dependencies));
        SettleFloating(graph);
        ExecutionGraph execution = MakeExecution(graph, m_ops.times);
        TellTurns(graph, execution);
        std::vector<RecordedStep> steps;
        for (const auto& step : m_ops.steps)
        {
            steps.push_back(step.record);
        }
        return {m_run.engine,
                m_run.workers,
                m_run.servers,
                {std::move(m_ops.names),
                 std::move(m_ops.devices),
                 std::move(m_ops.ops),
                 std::move(graph)},
                std::move(execution),
                std::move(steps),
                m_contradicted,
                m_example,
                ListReductions(),
                m_ops.leftOut};
    }

    const TraceJob& m_job;        //!< the job
    const RunTrace& m_run;        //!< of it
    RecordedOps m_ops;            //!< of it
    WaitDetail m_waits;           //!< of ops
    std::vector<bool> m_floating; //!< by op: it takes place when it can
    uint32_t m_contradicted{0};   //!< dependencies left out
    std::string m_example;        //!< the first one
};

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
MakeRecordedJob(const TraceJob& job,
                const RunTrace& run,
                ReceiveStarts starts,
                CollectiveDetail detail,
                WaitDetail waits)
{
    return Builder(job, run, starts, detail, waits).Build();
}

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
            "",
            {},
            0};
}

} // namespace ns3::dml
