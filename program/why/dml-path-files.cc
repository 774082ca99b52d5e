/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-why-report.h"

#include "ns3/dml-csv-name.h"
#include "ns3/dml-own-json.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <map>
#include <numeric>

namespace ns3::dml
{

namespace
{

/// What a reader of a trace takes in at most.
constexpr uint64_t MOST_TRACE_BYTES = 4000000000;

std::string
ToString(CriticalLink link)
{
    return link == CriticalLink::DEVICE       ? "device"
           : link == CriticalLink::DEPENDENCY ? "dependency"
                                              : "nothing";
}

/// @return name of the device of an op, or empty
std::string
GetDevice(const JobGraph& graph, const JobOp& op)
{
    return op.device == JobOp::NO_DEVICE ? "" : graph.devices[op.device];
}

/// Adds events to a trace.
class PathTraceWriter
{
  public:
    PathTraceWriter(ResultFile& file, uint32_t firstPid)
        : m_file(file),
          m_pid(firstPid)
    {
    }

    void Add(const WhyAnalysis& run)
    {
        const RecordedJob& job = *run.job;
        Write("M",
              "process_name",
              0,
              "",
              QuoteName("critical paths, " + job.engine + ", " + Plural(job.workers, "worker")));
        Write("M", "process_sort_index", 0, "", "\"sort_index\":" + std::to_string(m_pid));
        for (uint32_t worker = 0; worker < job.workers; ++worker)
        {
            Write("M",
                  "thread_name",
                  worker + 1,
                  "",
                  QuoteName("worker " + std::to_string(worker)));
        }
        for (const auto& path : run.paths)
        {
            AddPath(run, path);
        }
        ++m_pid;
    }

  private:
    static std::string QuoteName(const std::string& name)
    {
        return "\"name\":" + QuoteJson(name);
    }

    static std::string Microseconds(double seconds)
    {
        return fmt::format("{:.3f}", 1e6 * seconds);
    }

    void Write(const char* phase,
               const std::string& name,
               uint32_t tid,
               const std::string& rest,
               const std::string& args)
    {
        m_file.GetBuffer() +=
            std::string(",\n{\"ph\":\"") + phase + "\",\"name\":" + QuoteJson(name) +
            ",\"pid\":" + std::to_string(m_pid) + ",\"tid\":" + std::to_string(tid) + rest +
            ",\"args\":{" + args + "}}";
        m_file.Commit();
    }

    void AddPath(const WhyAnalysis& run, const StepPath& path)
    {
        const RecordedJob& job = *run.job;
        const PathSegment* before = nullptr;
        for (const auto& segment : path.segments)
        {
            const JobOp& op = job.graph.ops[segment.op];
            const std::string& name = job.graph.names[op.name];
            Write("X",
                  segment.part == TimePart::GAP ? "gap before " + name : name,
                  path.step.worker + 1,
                  ",\"ts\":" + Microseconds(segment.start) +
                      ",\"dur\":" + Microseconds(segment.end - segment.start),
                  "\"part\":" + QuoteJson(ns3::dml::ToString(segment.part)) + ",\"of worker\":" +
                      std::to_string(op.worker) + ",\"of step\":" + std::to_string(op.step) +
                      ",\"device\":" + QuoteJson(GetDevice(job.graph, op)) +
                      ",\"by\":" + QuoteJson(ToString(segment.link)));
            // what is on the wire has no slice: the arrow comes from where it left; and the slice
            // of a message of a collective ends before it is there
            const bool hasSlice = op.device < run.trace->lanes.size() && op.kind != JobOpKind::MOVE;
            if (segment.part != TimePart::GAP && hasSlice)
            {
                if (before)
                {
                    AddArrow(run, *before, segment);
                }
                before = &segment;
            }
        }
    }

    /// From the slice of one op to that of another.
    void AddArrow(const WhyAnalysis& run, const PathSegment& from, const PathSegment& to)
    {
        const auto& ops = run.job->graph.ops;
        const uint32_t source = ops[from.op].device;
        const uint32_t target = ops[to.op].device;
        if (from.op == to.op)
        {
            return;
        }
        const auto& times = run.job->execution.ops;
        const std::string id = std::to_string(++m_arrows);
        const auto write = [&](const char* phase, uint32_t device, double time, const char* more) {
            const TracedLane& lane = run.trace->lanes[device];
            m_file.GetBuffer() +=
                std::string(",\n{\"ph\":\"") + phase +
                "\",\"cat\":\"critical path\",\"name\":\"critical path\",\"id\":" + id +
                ",\"pid\":" + std::to_string(lane.pid) + ",\"tid\":" + std::to_string(lane.tid) +
                ",\"ts\":" + Microseconds(time) + more + "}";
            m_file.Commit();
        };
        // inside the slices: a viewer binds an arrow to what runs at that time
        write("s", source, (times[from.op].start + times[from.op].end) / 2, "");
        write("f", target, (times[to.op].start + times[to.op].end) / 2, ",\"bp\":\"e\"");
    }

    ResultFile& m_file;   //!< trace
    uint32_t m_pid;       //!< next process
    uint64_t m_arrows{0}; //!< so far
};

/// @param run paths of one engine; @param used gets the parts that take time
/// @return of each worker: its number, and the mean time of each part of its paths
PlotBlock
AddUpPaths(const WhyAnalysis& run, std::vector<bool>& used)
{
    std::map<uint32_t, std::pair<std::array<double, TIME_PARTS>, uint32_t>> sums;
    for (const auto& path : run.paths)
    {
        auto& [parts, steps] = sums[path.step.worker];
        ++steps;
        const auto seconds = path.GetParts();
        for (std::size_t part = 0; part < TIME_PARTS; ++part)
        {
            parts[part] += seconds[part];
            used[part] = used[part] || seconds[part] > 0;
        }
    }
    PlotBlock block{run.job->engine + ": worker, then mean seconds of compute, pull, "
                                      "push, collective, move, parse, update, other-worker, "
                                      "gap",
                    {}};
    for (const auto& [worker, sum] : sums)
    {
        std::vector<double> row{static_cast<double>(worker)};
        for (const double seconds : sum.first)
        {
            row.push_back(seconds / sum.second);
        }
        block.rows.push_back(row);
    }
    return block;
}

void
AddPathRows(ResultFile& file, const std::vector<WhyAnalysis>& runs)
{
    file.GetBuffer() +=
        "workers,engine,worker,step,start,end,part,kind,op,op_worker,op_step,device,"
        "link,queued\n";
    file.Commit();
    for (const auto& run : runs)
    {
        const RecordedJob& job = *run.job;
        for (const auto& stepPath : run.paths)
        {
            for (const auto& segment : stepPath.segments)
            {
                const JobOp& op = job.graph.ops[segment.op];
                std::string& out = file.GetBuffer();
                out += std::to_string(job.workers) + "," + job.engine + "," +
                       std::to_string(stepPath.step.worker) + "," +
                       std::to_string(stepPath.step.step) + ",";
                AppendFixed(out, segment.start, 9);
                out += ",";
                AppendFixed(out, segment.end, 9);
                out += "," + ns3::dml::ToString(segment.part) + "," + ToString(op.kind) + "," +
                       WriteCsvName(job.graph.names[op.name]) + "," + std::to_string(op.worker) +
                       "," + std::to_string(op.step) + "," +
                       WriteCsvName(GetDevice(job.graph, op)) + "," + ToString(segment.link) + ",";
                AppendFixed(out, segment.GetQueued(), 9);
                out += "\n";
                file.Commit();
            }
        }
    }
}

} // namespace

void
WritePathCsv(const std::string& path, const std::vector<WhyAnalysis>& runs)
{
    ResultFile::Replace(path, [&](ResultFile& file) { AddPathRows(file, runs); });
}

void
WritePathTrace(const std::string& path,
               const std::string& trace,
               const std::vector<WhyAnalysis>& runs)
{
    uint32_t pid = 0;
    for (const auto& run : runs)
    {
        for (const auto& lane : run.trace->lanes)
        {
            pid = std::max(pid, lane.pid);
        }
    }
    TraceInput input(trace);
    std::string text = input.ReadText(MOST_TRACE_BYTES);
    const std::size_t end = text.rfind("\n]}");
    // of a trace that was interrupted, whole lines
    text.resize(end != std::string::npos ? end : text.find_last_of("}") + 1);
    ResultFile::Replace(path, [&](ResultFile& file) {
        file.GetBuffer() += text;
        file.Commit();
        // far behind those of all runs, explained or not
        PathTraceWriter writer(file, pid + 1000000);
        for (const auto& run : runs)
        {
            writer.Add(run);
        }
        file.GetBuffer() += "\n]}\n";
        file.Commit();
    });
}

PlotScript
PlotPaths(const std::string& title, const std::vector<WhyAnalysis>& runs)
{
    const std::array<const char*, TIME_PARTS> colors{plotcolor::BLUE,
                                                     plotcolor::SKY,
                                                     plotcolor::GREEN,
                                                     plotcolor::PURPLE,
                                                     plotcolor::YELLOW,
                                                     plotcolor::VERMILION,
                                                     plotcolor::ORANGE,
                                                     plotcolor::GREY};
    PlotScript plot{"critical-path"};
    std::vector<bool> used(TIME_PARTS, false);
    double longest = 0;
    for (const auto& run : runs)
    {
        plot.blocks.push_back(AddUpPaths(run, used));
        for (const auto& row : plot.blocks.back().rows)
        {
            longest = std::max(longest, std::accumulate(row.begin() + 1, row.end(), 0.0));
        }
    }
    PlotPanels panels(plot, {36, 46, 140}, runs.size(), 240);
    plot.commands = "set multiplot title " + PlotTitle(title, plot.width) +
                    "\nset xrange [-0.6:" + PlotNumber(runs.front().job->workers - 0.4) +
                    "]\nset yrange [0:" + PlotNumber(longest > 0 ? 1.1 * longest : 1) +
                    "]\nset tics nomirror out front\nset border 3\nset boxwidth 0.8\n"
                    "set grid ytics lc rgb '#DDDDDD' lw 1\nset ylabel 'Mean step (s)'\n"
                    "set lmargin 12\nset rmargin 4\nset format x ''\nset xtics " +
                    std::string(runs.front().job->workers <= 40 ? "0,1" : "autofreq") +
                    "\nunset key\n";
    for (std::size_t i = 0; i < runs.size(); ++i)
    {
        plot.commands += panels.Place(runs[i].job->engine, "-0.4");
        if (panels.IsLast())
        {
            plot.commands +=
                "set format x '%g'\nset xlabel 'Worker'\nset key at screen 0.54, screen " +
                PlotNumber(56.0 / plot.height) +
                " center top maxrows 2 Left reverse samplen 2 width 2 font ',14'\n";
        }
        // the bar of a part reaches from the axis to its top, and those of the parts below hide it
        std::string bars;
        for (std::size_t part = TIME_PARTS; part-- > 0;)
        {
            if (used[part])
            {
                AddPlotLine(bars,
                            fmt::format("$data{} using 1:(sum [c=2:{}] column(c)) with boxes "
                                        "fs solid border lc rgb 'white' fc rgb '{}' title '{}'",
                                        i,
                                        part + 2,
                                        colors[part],
                                        ns3::dml::ToString(static_cast<TimePart>(part))));
            }
        }
        plot.commands += bars + "\n";
    }
    plot.commands += "unset multiplot\n";
    return plot;
}

} // namespace ns3::dml
