/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-run-trace.h"

#include "dml-worker-trace.h"

#include "ns3/dml-error.h"
#include "ns3/dml-json-record-reader.h"
#include "ns3/dml-trace-input.h"

#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr int64_t MOST_ID = std::numeric_limits<uint32_t>::max();

double
GetSeconds(const JsonRecord& record, const char* key)
{
    return static_cast<double>(GetTraceTime(record, key)) * 1e-9;
}

uint32_t
GetNumber(const JsonRecord& record, const char* key)
{
    return record.GetInteger(key, 0, MOST_ID);
}

/// Reads one file.
class RunTraceReader
{
  public:
    RunTraces Read(const std::string& file)
    {
        TraceInput input(file);
        const JsonRecordReader reader({"traceEvents"}, JsonRecordReader::Truncation::ACCEPT);
        m_traces.truncated = !reader.Read(input, [this](const JsonRecord& record) {
            if (record.GetList() == "traceEvents")
            {
                ReadEvent(record);
            }
            return true;
        });
        m_traces.job.Finish(file);
        if (m_traces.runs.empty())
        {
            throw InputError(file + ": has no run; accepted is a trace of at least one worker");
        }
        return std::move(m_traces);
    }

  private:
    /// A worker or a server.
    struct Process
    {
        std::size_t run{0}; //!< place in RunTraces::runs
        Endpoint endpoint;  //!< which
    };

    void ReadEvent(const JsonRecord& record)
    {
        const auto phase = record.GetText("ph");
        if (phase == "M")
        {
            ReadMetadata(record);
            return;
        }
        const bool op = record.Has("args.op");
        const bool crash = record.Has("args.crash");
        if ((phase != "X" && phase != "i") || !(op || crash || record.Has("args.sample")))
        {
            return; // it is for viewers
        }
        const auto process = m_processes.find(GetNumber(record, "pid"));
        if (process == m_processes.end())
        {
            record.Fail("pid", "accepted is a process with a name (process_name)");
        }
        RunTrace& run = m_traces.runs[process->second.run];
        if (crash)
        {
            return; // a step that it ended has no record
        }
        if (!op)
        {
            const double start = GetSeconds(record, "ts");
            run.steps.push_back({process->second.endpoint.index,
                                 GetNumber(record, "args.step"),
                                 start,
                                 start + GetSeconds(record, "dur")});
        }
        else
        {
            ReadOp(record, process->second.endpoint, phase == "i", run);
        }
    }

    void ReadMetadata(const JsonRecord& record)
    {
        if (m_traces.job.Read(record))
        {
            return;
        }
        const auto name = record.GetText("name");
        if (name == "process_name" && record.Has("args.run")) // others are for viewers
        {
            ReadProcess(record);
        }
        else if (name == "thread_name")
        {
            const auto process = m_processes.find(GetNumber(record, "pid"));
            if (process == m_processes.end())
            {
                return; // likewise
            }
            auto& lanes = m_traces.runs[process->second.run].lanes;
            const uint32_t tid = GetNumber(record, "tid");
            m_lanes[{process->first, tid}] = lanes.size();
            lanes.push_back(
                {process->second.endpoint, record.GetString("args.name"), process->first, tid});
        }
    }

    void ReadProcess(const JsonRecord& record)
    {
        const bool worker = record.Has("args.worker");
        const auto number = GetNumber(record, "args.run");
        const auto [run, added] = m_runs.emplace(number, m_traces.runs.size());
        if (added)
        {
            m_traces.runs.emplace_back();
            m_traces.runs.back().engine = record.GetString("args.engine");
            m_traces.runs.back().waits = record.Has("args.waits");
        }
        const Process process{run->second,
                              {worker ? Role::WORKER : Role::SERVER,
                               GetNumber(record, worker ? "args.worker" : "args.ps")}};
        if (!m_processes.emplace(GetNumber(record, "pid"), process).second)
        {
            record.Fail("pid", "accepted is a number that no other process has");
        }
        RunTrace& trace = m_traces.runs[process.run];
        uint32_t& count = worker ? trace.workers : trace.servers;
        if (process.endpoint.index != count++)
        {
            record.Fail(worker ? "args.worker" : "args.ps",
                        "accepted are numbers from 0, one after the other");
        }
    }

    void ReadOp(const JsonRecord& record, const Endpoint& endpoint, bool arrives, RunTrace& run)
    {
        const auto& ops = m_traces.job.GetOps();
        const OpIndex op = record.GetInteger("args.op", 0, static_cast<int64_t>(ops.size()) - 1);
        const uint32_t step = GetNumber(record, "args.step");
        const uint32_t worker =
            endpoint.role == Role::WORKER ? endpoint.index : GetNumber(record, "args.worker");
        if (worker >= run.workers)
        {
            record.Fail("args.worker",
                        "accepted is a worker of the run, below " + std::to_string(run.workers));
        }
        const auto lane = m_lanes.find({GetNumber(record, "pid"), GetNumber(record, "tid")});
        if (lane == m_lanes.end())
        {
            record.Fail("tid", "accepted is a thread with a name (thread_name)");
        }
        const double start = GetSeconds(record, "ts");
        if (arrives)
        {
            const double ready =
                record.Has("args.ready") ? GetSeconds(record, "args.ready") : start;
            run.arrivals.push_back({worker, step, op, lane->second, start, ready});
            return;
        }
        const auto bytes =
            record.Has("args.bytes") ? record.GetInteger("args.bytes", 0, int64_t{1} << 60) : 0;
        run.ops.push_back({worker,
                           step,
                           op,
                           record.Has("args.parse"),
                           lane->second,
                           static_cast<uint64_t>(bytes),
                           start,
                           start + GetSeconds(record, "dur")});
    }

    RunTraces m_traces;                                        //!< under construction
    std::map<uint32_t, std::size_t> m_runs;                    //!< by number in the file
    std::map<uint32_t, Process> m_processes;                   //!< by process number
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> m_lanes; //!< by process and thread
};

} // namespace

RunTraces
ReadRunTraces(const std::string& file)
{
    return RunTraceReader().Read(file);
}

} // namespace ns3::dml
