/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-file.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace dml
{

namespace
{

/// Order in which a viewer shows the threads of a process.
enum Rank : uint32_t
{
    RANK_STEP,
    RANK_WAITING,
    RANK_DOWNLINK,
    RANK_PARSER,
    RANK_DEVICE,
    RANK_UPLINK,
    RANK_SERVER,
};

/// @param text any text; @return it as a JSON string, quotes included
std::string
Quote(const std::string& text)
{
    return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

/// @param seconds a time; @return the same in ns, rounded
int64_t
ToNanoseconds(double seconds)
{
    return std::llround(seconds * 1e9);
}

/// Append ns as microseconds with 3 decimals. @param out text; @param ns the time, >= 0
void
AppendMicroseconds(std::string& out, int64_t ns)
{
    AppendNumber(out, ns / 1000);
    const int64_t rest = ns % 1000;
    out += '.';
    out += static_cast<char>('0' + rest / 100);
    out += static_cast<char>('0' + rest / 10 % 10);
    out += static_cast<char>('0' + rest % 10);
}

} // namespace

TraceFile::TraceFile(const std::string& path, const Profile& profile, const Options& options)
    : m_file(path),
      m_options(options),
      m_nextPid(options.firstPid)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        m_ops.push_back(Quote(profile.graph.Get(op).name));
        m_parses.push_back(Quote("parse " + profile.graph.Get(op).name));
    }
    for (const auto& device : profile.devices)
    {
        m_devices.push_back(device.name);
    }
    if (!options.part)
    {
        m_file.GetBuffer() += "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
    }
}

TraceFile::~TraceFile()
{
    try
    {
        Close();
    }
    catch (const RunError&)
    {
        // Close() was not called, so the run has failed for another reason already.
    }
}

std::string&
TraceFile::NextEvent()
{
    // A part keeps the separator before its first event, for AppendPart().
    std::string& out = m_file.GetBuffer();
    out += m_empty && !m_options.part ? "\n" : ",\n";
    m_empty = false;
    return out;
}

void
TraceFile::BeginRun(const std::string& engine, uint32_t workers, uint32_t servers)
{
    m_lanes.clear();
    m_lastTid.clear();
    m_firstWorker = m_nextPid;
    m_firstServer = m_firstWorker + workers;
    m_nextPid = m_firstServer + servers;
    for (uint32_t pid = m_firstWorker; pid < m_nextPid; ++pid)
    {
        const bool worker = pid < m_firstServer;
        const std::string title =
            engine + (worker ? " worker " + std::to_string(pid - m_firstWorker)
                             : " PS " + std::to_string(pid - m_firstServer));
        WriteMetadata("process_name", pid, 0, "\"name\":" + Quote(title));
        WriteMetadata("process_sort_index", pid, 0, "\"sort_index\":" + std::to_string(pid));
    }
}

void
TraceFile::WriteMetadata(const char* what, uint32_t pid, uint32_t tid, const std::string& args)
{
    std::string& out = NextEvent();
    out += "{\"ph\":\"M\",\"name\":\"";
    out += what;
    out += "\",\"pid\":";
    AppendNumber(out, pid);
    out += ",\"tid\":";
    AppendNumber(out, tid);
    out += ",\"args\":{" + args + "}}";
    m_file.Commit();
}

void
TraceFile::WriteEvent(const Group& group,
                      const std::string& title,
                      const std::string& name,
                      double start,
                      double end,
                      const std::string& args)
{
    const int64_t startNs = std::max<int64_t>(0, ToNanoseconds(start));
    const int64_t endNs = std::max(startNs, ToNanoseconds(end));
    const auto [pid, rank, index] = group;
    // Records come in order of their end, so an event that starts after the last one on a lane
    // overlaps none on it.
    auto& lanes = m_lanes[group];
    size_t lane = 0;
    while (lane < lanes.size() && lanes[lane].freeAt > startNs)
    {
        ++lane;
    }
    if (lane == lanes.size())
    {
        const uint32_t tid = ++m_lastTid[pid];
        lanes.push_back({tid, 0});
        const std::string suffix = lane > 0 ? " #" + std::to_string(lane + 1) : "";
        WriteMetadata("thread_name", pid, tid, "\"name\":" + Quote(title + suffix));
        const uint64_t order = (rank * 1000ULL + index) * 100 + lane;
        WriteMetadata("thread_sort_index", pid, tid, "\"sort_index\":" + std::to_string(order));
    }
    lanes[lane].freeAt = endNs;

    std::string& out = NextEvent();
    out += "{\"ph\":\"X\",\"name\":" + name + ",\"pid\":";
    AppendNumber(out, pid);
    out += ",\"tid\":";
    AppendNumber(out, lanes[lane].tid);
    out += ",\"ts\":";
    AppendMicroseconds(out, startNs);
    out += ",\"dur\":";
    AppendMicroseconds(out, endNs - startNs);
    out += ",\"args\":{" + args + "}}";
    m_file.Commit();
}

void
TraceFile::StepEnded(const StepRecord& record)
{
    if (record.step >= m_options.steps)
    {
        return;
    }
    WriteEvent({m_firstWorker + record.worker, RANK_STEP, 0},
               "steps",
               "\"step " + std::to_string(record.step) + "\"",
               record.start,
               record.end,
               "\"sample\":" + std::to_string(record.sample));
    if (record.done != UNKNOWN_TIME && record.done < record.end)
    {
        WriteEvent({m_firstWorker + record.worker, RANK_WAITING, 0},
                   "waiting",
                   "\"waiting\"",
                   record.done,
                   record.end,
                   "\"step\":" + std::to_string(record.step));
    }
}

void
TraceFile::ChunkEnded(const ChunkRecord& record)
{
    if (record.step >= m_options.steps)
    {
        return;
    }
    uint32_t pid = m_firstWorker + record.worker;
    uint32_t rank = RANK_DEVICE;
    uint32_t index = record.index;
    std::string title;
    switch (record.resource)
    {
    case ResourceKind::DOWNLINK:
        rank = RANK_DOWNLINK;
        title = "downlink PS " + std::to_string(record.index);
        break;
    case ResourceKind::UPLINK:
        rank = RANK_UPLINK;
        title = "uplink PS " + std::to_string(record.index);
        break;
    case ResourceKind::DEVICE:
        title = record.index < m_devices.size() ? m_devices[record.index]
                                                : "device " + std::to_string(record.index);
        break;
    case ResourceKind::SERVER:
        pid = m_firstServer + record.index;
        rank = RANK_SERVER;
        index = record.worker;
        title = "for worker " + std::to_string(record.worker);
        break;
    case ResourceKind::PARSER:
        rank = RANK_PARSER;
        title = "parser";
        if (record.index > 0)
        {
            pid = m_firstServer + record.index - 1;
            index = record.worker;
            title = "parser for worker " + std::to_string(record.worker);
        }
        break;
    }
    std::string args = "\"step\":" + std::to_string(record.step);
    if (record.bytes > 0)
    {
        args += ",\"bytes\":" + std::to_string(record.bytes);
    }
    WriteEvent({pid, rank, index},
               title,
               record.parse ? m_parses.at(record.op) : m_ops.at(record.op),
               record.start,
               record.end,
               args);
}

void
TraceFile::AppendPart(const std::string& path)
{
    if (m_empty)
    {
        // The part starts with a separator: give it something to separate.
        WriteMetadata("process_labels", 0, 0, "\"labels\":\"\"");
    }
    m_file.AppendFile(path);
}

void
TraceFile::Flush()
{
    m_file.Flush();
}

void
TraceFile::Close()
{
    if (m_open && !m_options.part)
    {
        m_file.GetBuffer() += "\n]}\n";
    }
    m_open = false;
    m_file.Close();
}

} // namespace dml
} // namespace ns3
