/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-worker-trace.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Longest time, ns: two of them can be added.
constexpr int64_t MAX_NS = 4000000000000000000;

constexpr int64_t MAX_NUMBER = std::numeric_limits<uint32_t>::max();

/// A worker or a server in a trace.
struct Process
{
    std::string name;   //!< "packet worker 0"
    int64_t run{0};     //!< number of its run
    bool worker{false}; //!< or a server
    uint32_t index{0};  //!< number of the worker or server
};

/// Add what an event says of an op to what is known of it.
void
AddTraceEvent(const JsonRecord& record, bool transfer, TraceOp& op)
{
    const int64_t start = GetTraceTime(record, "ts");
    if (record.GetText("ph") == "i")
    {
        op.lastByte = start;
        op.server = record.GetInteger("args.ps", 0, NO_INDEX);
        op.ready = record.Has("args.ready") ? GetTraceTime(record, "args.ready") : TraceOp::UNKNOWN;
        return;
    }
    const int64_t length = GetTraceTime(record, "dur");
    if (record.Has("args.parse"))
    {
        op.parsed = start + length;
        return;
    }
    // The chunks of a transfer are joined; an op has one event.
    const bool first = op.start == TraceOp::UNKNOWN || !transfer;
    op.start = first ? start : std::min(op.start, start);
    op.end = first ? start + length : std::max(op.end, start + length);
    op.length = record.Has("args.ns") ? record.GetInteger("args.ns", 0, MAX_NS) : length;
}

/// Reads one file.
class WorkerTraceReader
{
  public:
    /// @param asked the worker
    explicit WorkerTraceReader(const std::string& asked)
        : m_asked(asked)
    {
    }

    WorkerTrace Read(const std::string& file)
    {
        TraceInput input(file);
        m_file = file;
        const JsonRecordReader reader({"traceEvents"}, JsonRecordReader::Truncation::ACCEPT);
        m_trace.truncated = !reader.Read(input, [this](const JsonRecord& record) {
            if (record.GetList() == "traceEvents")
            {
                ReadEvent(record);
            }
            return true;
        });
        m_trace.bytes = input.GetOffset();
        m_trace.job.Finish(file);
        if (!m_worker)
        {
            throw InputError(file + ": has no worker '" + m_asked +
                             "'; accepted: " + DescribeWorkers());
        }
        m_trace.incomplete = m_open.size();
        for (const auto& [pid, process] : m_processes)
        {
            m_trace.workers += process.worker && process.run == m_worker->run ? 1 : 0;
        }
        AddJointUpdates();
        return std::move(m_trace);
    }

  private:
    void ReadEvent(const JsonRecord& record)
    {
        const auto phase = record.GetText("ph");
        if (phase == "M")
        {
            if (!m_trace.job.Read(record) && record.GetText("name") == "process_name" &&
                record.Has("args.run")) // others are for viewers
            {
                ReadProcess(record);
            }
            return;
        }
        const bool op = record.Has("args.op");
        const bool crash = record.Has("args.crash");
        if ((phase != "X" && phase != "i") || !(op || crash || record.Has("args.sample")))
        {
            return; // it is for viewers
        }
        const auto process = m_processes.find(record.GetInteger("pid", 0, MAX_NUMBER));
        if (process == m_processes.end())
        {
            record.Fail("pid", "accepted is a process with a name (process_name)");
        }
        if (!m_worker || process->second.run != m_worker->run)
        {
            return;
        }
        if (op)
        {
            ReadOp(record, process->second);
        }
        else if (process->second.worker && process->second.index == m_worker->index)
        {
            crash ? m_open.clear() : EndStep(record);
        }
    }

    void ReadProcess(const JsonRecord& record)
    {
        Process process;
        process.name = record.GetString("args.name");
        process.run = record.GetInteger("args.run", 0, MAX_NUMBER);
        process.worker = record.Has("args.worker");
        process.index =
            record.GetInteger(process.worker ? "args.worker" : "args.ps", 0, MAX_NUMBER);
        const int64_t pid = record.GetInteger("pid", 0, MAX_NUMBER);
        if (!m_processes.emplace(pid, process).second)
        {
            record.Fail("pid", "accepted is a number that no other process has");
        }
        const bool first = m_processes.begin()->second.run == process.run;
        if (!m_worker && process.worker &&
            (process.name == m_asked || (first && std::to_string(process.index) == m_asked)))
        {
            m_worker = process;
        }
    }

    void ReadOp(const JsonRecord& record, const Process& process)
    {
        const auto& ops = m_trace.job.GetOps();
        const OpIndex op = record.GetInteger("args.op", 0, static_cast<int64_t>(ops.size()) - 1);
        const uint32_t step = record.GetInteger("args.step", 0, MAX_NUMBER);
        const uint32_t worker =
            process.worker ? process.index : record.GetInteger("args.worker", 0, MAX_NUMBER);
        const bool transfer = IsTransfer(ops[op].kind);
        if (worker == m_worker->index)
        {
            AddTraceEvent(record, transfer, m_open[step][op]);
        }
        else if (ops[op].kind == OpKind::UPDATE)
        {
            AddTraceEvent(record, transfer, m_others[{step, op}]);
        }
    }

    void EndStep(const JsonRecord& record)
    {
        TraceStep step;
        step.file = m_file;
        step.worker = m_worker->name;
        step.step = record.GetInteger("args.step", 0, MAX_NUMBER);
        step.sample = record.GetInteger("args.sample", 0, MAX_NUMBER);
        step.start = GetTraceTime(record, "ts");
        step.end = step.start + GetTraceTime(record, "dur");
        step.ops = std::move(m_open[step.step]);
        m_open.erase(step.step);
        m_trace.steps.push_back(std::move(step));
    }

    /// Where workers are synchronised, one of them runs an update for all.
    void AddJointUpdates()
    {
        for (auto& step : m_trace.steps)
        {
            for (OpIndex op = 0; op < m_trace.job.GetOps().size(); ++op)
            {
                const auto other = m_others.find({step.step, op});
                if (other != m_others.end() && step.ops.emplace(op, other->second).second)
                {
                    ++m_trace.joint;
                }
            }
        }
    }

    std::string DescribeWorkers() const
    {
        std::string names;
        for (const auto& [pid, process] : m_processes)
        {
            names += process.worker ? (names.empty() ? "" : ", ") + process.name : "";
        }
        return names.empty() ? "a file that has one" : names;
    }

    std::string m_asked;                    //!< worker
    std::string m_file;                     //!< path
    WorkerTrace m_trace;                    //!< under construction
    std::map<int64_t, Process> m_processes; //!< by process number
    std::optional<Process> m_worker;        //!< the worker that was asked for, once found
    std::map<uint32_t, std::map<OpIndex, TraceOp>> m_open;    //!< by step: what it has so far
    std::map<std::pair<uint32_t, OpIndex>, TraceOp> m_others; //!< updates of other workers, by step
};

} // namespace

int64_t
GetTraceTime(const JsonRecord& record, const char* key)
{
    const int64_t ns = record.GetNanoseconds(key);
    if (ns < 0 || ns > MAX_NS)
    {
        record.Fail(key, "accepted is a time from 0 to 4e15 us");
    }
    return ns;
}

WorkerTrace
ReadWorkerTrace(const std::string& file, const std::string& worker)
{
    return WorkerTraceReader(worker).Read(file);
}

} // namespace ns3::dml
