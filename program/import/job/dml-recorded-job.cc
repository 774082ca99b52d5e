/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-job.h"

#include "ns3/dml-op.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Times of a trace are rounded to nanoseconds, and a start and a length are rounded each.
constexpr double TOLERANCE = 3e-9;

JobOpKind
GetKind(OpKind kind)
{
    switch (kind)
    {
    case OpKind::PULL:
        return JobOpKind::PULL;
    case OpKind::FORWARD:
        return JobOpKind::FORWARD;
    case OpKind::BACKWARD:
        return JobOpKind::BACKWARD;
    case OpKind::PUSH:
        return JobOpKind::PUSH;
    case OpKind::UPDATE:
        return JobOpKind::UPDATE;
    case OpKind::COMPUTE:
        break;
    }
    return JobOpKind::COMPUTE;
}

/// What a row of a trace shows.
enum class LaneKind : uint8_t
{
    RESOURCE,   //!< a device, a channel with a server, a parser
    COLLECTIVE, //!< whole collectives
    PART,       //!< what collectives consist of
};

LaneKind
GetLaneKind(const std::string& title)
{
    const auto begins = [&title](const char* word) { return title.rfind(word, 0) == 0; };
    return begins("collectives")                  ? LaneKind::COLLECTIVE
           : begins("peer ") || begins("reducer") ? LaneKind::PART
                                                  : LaneKind::RESOURCE;
}

/// Makes the graph.
class Builder
{
  public:
    Builder(const TraceJob& job, const RunTrace& run, ReceiveStarts starts)
        : m_job(job),
          m_run(run),
          m_corrects(starts == ReceiveStarts::CORRECTED)
    {
        for (const auto& lane : run.lanes)
        {
            m_lanes.push_back(GetLaneKind(lane.title));
            m_devices.push_back((lane.endpoint.role == Role::WORKER ? "worker " : "PS ") +
                                std::to_string(lane.endpoint.index) + ", " + lane.title);
        }
        AddWires();
        m_nextDevice = m_devices.size();
    }

    RecordedJob Build()
    {
        ListSteps();
        SortRecords();
        for (auto& step : m_steps)
        {
            AddStep(step);
        }
        if (m_corrects)
        {
            SerialiseWays();
        }
        JoinUpdates();
        AddCollectives();
        for (auto& step : m_steps)
        {
            AddEdges(step);
        }
        AddStepBounds();
        return Finish();
    }

  private:
    /// A step and its ops, by op of the job.
    struct Step
    {
        RecordedStep record;         //!< what is told of it
        std::vector<GlobalOp> first; //!< first op of each
        std::vector<GlobalOp> last; //!< last op of each; another worker's where that did it for all
        std::vector<GlobalOp> collectives; //!< of the step
    };

    using Records =
        std::pair<std::vector<TracedOp>::const_iterator, std::vector<TracedOp>::const_iterator>;

    /// What rows of the same channel have in common.
    void AddWires()
    {
        std::map<std::string, uint32_t> wires; // by name
        for (std::size_t lane = 0; lane < m_run.lanes.size(); ++lane)
        {
            const std::string name = m_devices[lane].substr(0, m_devices[lane].find(", ")) + ", " +
                                     GetDeviceRole(m_devices[lane]) + WIRE_DEVICE;
            const bool channel = m_run.lanes[lane].title.rfind("downlink", 0) == 0 ||
                                 m_run.lanes[lane].title.rfind("uplink", 0) == 0;
            const auto [wire, added] = wires.emplace(name, m_devices.size());
            if (added && channel)
            {
                m_devices.push_back(name);
            }
            m_wires.push_back(channel ? wire->second : JobOp::NO_DEVICE);
        }
    }

    void ListSteps()
    {
        for (const auto& step : m_run.steps)
        {
            if (step.worker < m_run.workers)
            {
                m_steps.push_back({{step.worker, step.step, step.start, step.end}, {}, {}, {}});
            }
        }
        std::sort(m_steps.begin(), m_steps.end(), [](const Step& a, const Step& b) {
            return std::make_pair(a.record.worker, a.record.step) <
                   std::make_pair(b.record.worker, b.record.step);
        });
        for (std::size_t i = 0; i < m_steps.size(); ++i)
        {
            m_places[{m_steps[i].record.worker, m_steps[i].record.step}] = i;
        }
    }

    Step* FindStep(uint32_t worker, uint32_t step)
    {
        const auto place = m_places.find({worker, step});
        return place == m_places.end() ? nullptr : &m_steps[place->second];
    }

    /// Order in which the records of a step's op stand together, the parsing after the transfer.
    static auto GetPlace(const TracedOp& op)
    {
        return std::make_tuple(op.worker, op.step, op.op, op.parse);
    }

    void SortRecords()
    {
        for (const auto& op : m_run.ops)
        {
            if (m_lanes[op.lane] != LaneKind::PART)
            {
                m_records.push_back(op);
            }
        }
        std::sort(m_records.begin(), m_records.end(), [](const TracedOp& a, const TracedOp& b) {
            return std::make_tuple(GetPlace(a), a.start, a.end) <
                   std::make_tuple(GetPlace(b), b.start, b.end);
        });
        for (const auto& arrival : m_run.arrivals)
        {
            m_arrivals[{arrival.worker, arrival.step, arrival.op}] = arrival.time;
        }
    }

    Records FindRecords(const RecordedStep& step, OpIndex op, bool parse) const
    {
        TracedOp key;
        key.worker = step.worker;
        key.step = step.step;
        key.op = op;
        key.parse = parse;
        return std::equal_range(
            m_records.begin(),
            m_records.end(),
            key,
            [](const TracedOp& a, const TracedOp& b) { return GetPlace(a) < GetPlace(b); });
    }

    GlobalOp Add(const JobOp& op, const OpTimes& times, bool own)
    {
        m_ops.push_back(op);
        m_times.push_back(times);
        m_floating.push_back(false);
        m_graphDevices.push_back(own ? m_nextDevice++ : op.device);
        return m_ops.size() - 1;
    }

    GlobalOp AddRecord(const TracedOp& record, JobOpKind kind)
    {
        return Add({kind, record.op, record.worker, record.step, record.bytes, record.lane},
                   {record.start, record.end},
                   false);
    }

    GlobalOp AddJoin(const RecordedStep& step, OpIndex name, double time)
    {
        return Add({JobOpKind::JOIN, name, step.worker, step.step}, {time, time}, true);
    }

    /// Ops of which the trace has nothing are joins; so are pulls with collectives.
    void AddStep(Step& step)
    {
        const auto& ops = m_job.GetOps();
        step.record.begins = AddJoin(step.record, BEGINS(), step.record.start);
        step.record.ends = AddJoin(step.record, ENDS(), step.record.end);
        step.first.assign(ops.size(), NO_GLOBAL_OP);
        step.last.assign(ops.size(), NO_GLOBAL_OP);
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            const auto [begin, end] = FindRecords(step.record, op, false);
            if (begin == end)
            {
                continue;
            }
            if (m_lanes[begin->lane] == LaneKind::COLLECTIVE)
            {
                m_collectives[{step.record.step, op}].push_back(*begin);
            }
            else if (IsTransfer(ops[op].kind))
            {
                AddTransfer(step, op, begin, end);
            }
            else
            {
                step.first[op] = step.last[op] = AddRecord(*begin, GetKind(ops[op].kind));
            }
        }
    }

    void AddTransfer(Step& step,
                     OpIndex op,
                     std::vector<TracedOp>::const_iterator begin,
                     std::vector<TracedOp>::const_iterator end)
    {
        const JobOpKind kind = GetKind(m_job.GetOps()[op].kind);
        GlobalOp last = NO_GLOBAL_OP;
        const auto follow = [this, &last, &step, op](GlobalOp next) {
            if (last == NO_GLOBAL_OP)
            {
                step.first[op] = next;
            }
            else
            {
                m_dependencies.emplace_back(last, next);
            }
            last = next;
        };
        for (auto chunk = begin; chunk != end; ++chunk)
        {
            follow(AddRecord(*chunk, kind));
        }
        const double sent = m_times[last].end;
        const auto arrival = m_arrivals.find({step.record.worker, step.record.step, op});
        if (arrival != m_arrivals.end() && arrival->second > sent)
        {
            JobOp way = m_ops[last];
            way.bytes = 0;
            way.device = m_wires[way.device];
            follow(Add(way, {sent, arrival->second}, !m_corrects));
            m_ways.push_back(last);
        }
        const auto [parseBegin, parseEnd] = FindRecords(step.record, op, true);
        for (auto parse = parseBegin; parse != parseEnd; ++parse)
        {
            follow(AddRecord(*parse, JobOpKind::PARSE));
        }
        step.last[op] = last;
    }

    /// A channel brings one transfer after the other: what overlaps has waited for the one before.
    void SerialiseWays()
    {
        std::sort(m_ways.begin(), m_ways.end(), [this](GlobalOp a, GlobalOp b) {
            return std::make_pair(m_times[a].end, a) < std::make_pair(m_times[b].end, b);
        });
        std::map<uint32_t, double> arrived; // by wire: the last one
        for (const GlobalOp way : m_ways)
        {
            const auto [last, first] = arrived.emplace(m_ops[way].device, m_times[way].end);
            if (!first)
            {
                m_times[way].start = std::max(m_times[way].start, last->second);
                last->second = m_times[way].end;
            }
        }
    }

    /// An update that one worker did for all waits for the gradients of all.
    void JoinUpdates()
    {
        std::map<std::pair<uint32_t, OpIndex>, GlobalOp> done;
        for (const auto& step : m_steps)
        {
            for (OpIndex op = 0; op < step.last.size(); ++op)
            {
                if (m_job.GetOps()[op].kind == OpKind::UPDATE && step.last[op] != NO_GLOBAL_OP)
                {
                    done[{step.record.step, op}] = step.last[op];
                }
            }
        }
        for (auto& step : m_steps)
        {
            for (OpIndex op = 0; op < step.last.size(); ++op)
            {
                const auto found = done.find({step.record.step, op});
                if (step.last[op] == NO_GLOBAL_OP && found != done.end())
                {
                    step.first[op] = step.last[op] = found->second;
                }
            }
        }
    }

    void AddCollectives()
    {
        for (const auto& [key, records] : m_collectives)
        {
            double complete = records.front().start;
            std::vector<GlobalOp> entries;
            for (const auto& record : records)
            {
                complete = std::max(complete, record.start);
                TracedOp entry = record;
                entry.end = entry.start;
                entry.bytes = 0;
                entries.push_back(AddRecord(entry, JobOpKind::JOIN));
            }
            for (std::size_t i = 0; i < records.size(); ++i)
            {
                TracedOp run = records[i];
                run.start = m_corrects ? std::min(complete, run.end) : run.start;
                const GlobalOp op = AddRecord(run, JobOpKind::COLLECTIVE);
                Step& step = *FindStep(run.worker, run.step);
                step.first[run.op] = entries[i];
                step.last[run.op] = op;
                step.collectives.push_back(op);
                for (std::size_t other = 0; other < entries.size(); ++other)
                {
                    if (m_corrects || other == i)
                    {
                        AddEdge(entries[other], op);
                    }
                }
            }
        }
    }

    /// Let @p after wait for @p before, unless their times say that it did not.
    void AddEdge(GlobalOp before, GlobalOp after)
    {
        if (!m_floating[before] && !m_floating[after] &&
            m_times[before].end > m_times[after].start + TOLERANCE)
        {
            if (m_contradicted++ == 0)
            {
                m_example = "op '" + GetName(before) + "' ends after op '" + GetName(after) +
                            "' has begun, in step " + std::to_string(m_ops[after].step) +
                            " of worker " + std::to_string(m_ops[after].worker);
            }
            return;
        }
        m_dependencies.emplace_back(before, after);
    }

    /// Ops without records join what they wait for. A gradient without a record was reduced in the
    /// last buffer that was there when its update began.
    void AddMissing(Step& step)
    {
        const auto& ops = m_job.GetOps();
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            if (step.first[op] != NO_GLOBAL_OP)
            {
                continue;
            }
            const GlobalOp join = AddJoin(step.record, op, step.record.start);
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
                    used = std::min(used, m_times[step.first[after]].start);
                }
            }
            GlobalOp latest = NO_GLOBAL_OP;
            for (const GlobalOp collective : step.collectives)
            {
                const double end = m_times[collective].end;
                if (end <= used + TOLERANCE &&
                    (latest == NO_GLOBAL_OP || end > m_times[latest].end))
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

    void AddEdges(Step& step)
    {
        AddMissing(step);
        const auto& ops = m_job.GetOps();
        std::vector<bool> waits(ops.size(), false);
        for (OpIndex op = 0; op < ops.size(); ++op)
        {
            const auto& dependents = m_job.GetDependents(op);
            for (const OpIndex after : dependents)
            {
                waits[after] = true;
                AddEdge(step.last[op], step.first[after]);
            }
            if (dependents.empty())
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
    void AddBarrier(const Step& step)
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
            return m_times[collective].end <= m_times[update].start + TOLERANCE;
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
            [this](GlobalOp a, GlobalOp b) { return m_times[a].end < m_times[b].end; });
        for (const GlobalOp update : updates)
        {
            AddEdge(last, update);
        }
    }

    /// A parameter is there once it has been updated in the step before.
    void AddUpdatesBefore(const Step& step)
    {
        const Step* const before =
            step.record.step > 0 ? FindStep(step.record.worker, step.record.step - 1) : nullptr;
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
            if (update != updates.end() &&
                (m_floating[step.first[op]] ||
                 m_times[update->second].end <= m_times[step.first[op]].start + TOLERANCE))
            {
                m_dependencies.emplace_back(update->second, step.first[op]);
            }
        }
    }

    /// What a step waited for before it began.
    void AddStepBounds()
    {
        std::vector<const Step*> byEnd;
        for (const auto& step : m_steps)
        {
            byEnd.push_back(&step);
        }
        std::sort(byEnd.begin(), byEnd.end(), [](const Step* a, const Step* b) {
            return a->record.end < b->record.end;
        });
        for (const auto& step : m_steps)
        {
            const RecordedStep& record = step.record;
            const Step* const before =
                record.step > 0 ? FindStep(record.worker, record.step - 1) : nullptr;
            if (!before)
            {
                continue;
            }
            const GlobalOp cause = before->record.end <= record.start + TOLERANCE
                                       ? before->record.ends
                                       : FindLastComputed(*before, record.start);
            if (cause != NO_GLOBAL_OP)
            {
                m_dependencies.emplace_back(cause, record.begins);
            }
            const double free = cause == NO_GLOBAL_OP ? record.start : m_times[cause].end;
            if (record.start <= free + TOLERANCE)
            {
                continue;
            }
            auto other = std::upper_bound(
                byEnd.begin(),
                byEnd.end(),
                record.start + TOLERANCE,
                [](double time, const Step* ended) { return time < ended->record.end; });
            while (other != byEnd.begin() && (*std::prev(other))->record.worker == record.worker)
            {
                --other;
            }
            if (other != byEnd.begin() && (*std::prev(other))->record.end > free)
            {
                m_dependencies.emplace_back((*std::prev(other))->record.ends, record.begins);
            }
        }
    }

    /// @return the op of @p step that a device of the worker ended last by @p time
    GlobalOp FindLastComputed(const Step& step, double time) const
    {
        GlobalOp latest = NO_GLOBAL_OP;
        for (const GlobalOp op : step.last)
        {
            if (op != NO_GLOBAL_OP && IsComputed(m_ops[op].kind) &&
                m_times[op].end <= time + TOLERANCE &&
                (latest == NO_GLOBAL_OP || m_times[op].end > m_times[latest].end))
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
                    OpTimes& times = m_times[dependent];
                    times.start = times.end = std::max(times.end, m_times[op].end);
                }
                if (--waits[dependent] == 0)
                {
                    ready.push_back(dependent);
                }
            }
        }
    }

    RecordedJob Finish()
    {
        std::vector<std::string> names;
        for (const auto& op : m_job.GetOps())
        {
            names.push_back(op.name);
        }
        names.emplace_back("step begins");
        names.emplace_back("step ends");
        GlobalGraph graph(std::move(m_graphDevices), std::move(m_dependencies));
        SettleFloating(graph);
        ExecutionGraph execution = MakeExecution(graph, m_times);
        std::vector<RecordedStep> steps;
        for (const auto& step : m_steps)
        {
            steps.push_back(step.record);
        }
        return {m_run.engine,
                m_run.workers,
                m_run.servers,
                {std::move(names), std::move(m_devices), std::move(m_ops), std::move(graph)},
                std::move(execution),
                std::move(steps),
                m_contradicted,
                m_example};
    }

    OpIndex BEGINS() const
    {
        return m_job.GetOps().size();
    }

    OpIndex ENDS() const
    {
        return m_job.GetOps().size() + 1;
    }

    std::string GetName(GlobalOp op) const
    {
        const auto& ops = m_job.GetOps();
        const uint32_t name = m_ops[op].name;
        return name < ops.size() ? ops[name].name : name == BEGINS() ? "step begins" : "step ends";
    }

    const TraceJob& m_job;              //!< that ran
    const RunTrace& m_run;              //!< of it
    bool m_corrects;                    //!< begins of what is received
    std::vector<LaneKind> m_lanes;      //!< by lane
    std::vector<std::string> m_devices; //!< names, by lane, then wires
    std::vector<uint32_t> m_wires;      //!< by lane: the device
    std::vector<GlobalOp> m_ways;       //!< ops on wires
    std::vector<TracedOp> m_records;    //!< by GetPlace(), then by time
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, double> m_arrivals; //!< by worker, step, op
    std::map<std::pair<uint32_t, OpIndex>, std::vector<TracedOp>> m_collectives; //!< by step and op
    std::vector<Step> m_steps; //!< by worker and number
    std::map<std::pair<uint32_t, uint32_t>, std::size_t>
        m_places;                             //!< of steps, by worker and number
    std::vector<JobOp> m_ops;                 //!< by op of the graph
    std::vector<OpTimes> m_times;             //!< likewise
    std::vector<bool> m_floating;             //!< likewise: takes place when it can
    std::vector<uint32_t> m_graphDevices;     //!< likewise
    GlobalGraph::Dependencies m_dependencies; //!< so far
    uint32_t m_nextDevice{0};                 //!< of ops that have one of their own
    uint32_t m_contradicted{0};               //!< dependencies left out
    std::string m_example;                    //!< the first one
};

} // namespace

RecordedJob
MakeRecordedJob(const TraceJob& job, const RunTrace& run, ReceiveStarts starts)
{
    return Builder(job, run, starts).Build();
}

} // namespace dml
} // namespace ns3
