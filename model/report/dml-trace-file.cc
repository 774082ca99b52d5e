/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-trace-file.h"

#include "dml-trace-schema.h"

#include "ns3/dml-error.h"
#include "ns3/dml-own-json.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3::dml
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
    RANK_COLLECTIVE,
    RANK_REDUCER,
    RANK_UPLINK,
    RANK_SERVER,
};

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

/// @return whether a switch that adds up is at a channel, of which only viewers are told: who reads
/// the file knows collectives as a whole
bool
HasAggregator(const TransferChannel& channel)
{
    return channel.from.role == Role::AGGREGATOR || channel.to.role == Role::AGGREGATOR;
}

/// @param forViewers whether it is for viewers only @return first arguments of an event
std::string
MakeArguments(uint32_t step, OpIndex op, bool forViewers)
{
    const std::string args = "\"step\":" + std::to_string(step);
    return forViewers ? args : args + ",\"op\":" + std::to_string(op);
}

} // namespace

TraceFile::TraceFile(const std::string& path, const Profile& profile, const Options& options)
    : m_file(path),
      m_options(options),
      m_nextPid(options.firstPid)
{
    for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
    {
        m_ops.push_back(QuoteJson(profile.graph.Get(op).name));
        m_parses.push_back(QuoteJson("parse " + profile.graph.Get(op).name));
    }
    for (const auto& device : profile.devices)
    {
        m_devices.push_back(device.name);
    }
    if (options.part)
    {
        return;
    }
    m_file.GetBuffer() +=
        "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"schema\":" + QuoteJson(TRACE_SCHEMA) +
        "},\"traceEvents\":[";
    for (const auto& event : DescribeJobInTrace(profile, options.firstPid))
    {
        NextEvent() += event;
        m_file.Commit();
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
TraceFile::BeginRun(const std::string& engine,
                    uint32_t workers,
                    uint32_t servers,
                    const std::vector<std::string>& aggregators)
{
    m_lanes.clear();
    m_lastTid.clear();
    m_firstWorker = m_nextPid;
    m_firstServer = m_firstWorker + workers;
    m_firstAggregator = m_firstServer + servers;
    m_aggregators = aggregators;
    m_nextPid = m_firstAggregator + aggregators.size();
    for (uint32_t pid = m_firstAggregator; pid < m_nextPid; ++pid)
    {
        const std::string& name = aggregators[pid - m_firstAggregator];
        WriteMetadata("process_name", pid, 0, "\"name\":" + QuoteJson(engine + " switch " + name));
        WriteMetadata("process_sort_index", pid, 0, "\"sort_index\":" + std::to_string(pid));
    }
    for (uint32_t pid = m_firstWorker; pid < m_firstAggregator; ++pid)
    {
        const bool worker = pid < m_firstServer;
        const std::string number = std::to_string(pid - (worker ? m_firstWorker : m_firstServer));
        WriteMetadata("process_name",
                      pid,
                      0,
                      "\"name\":" + QuoteJson(engine + (worker ? " worker " : " PS ") + number) +
                          ",\"run\":" + std::to_string(m_firstWorker) + ",\"engine\":" +
                          QuoteJson(engine) + (worker ? ",\"worker\":" : ",\"ps\":") + number +
                          (m_options.waits ? ",\"waits\":1" : ""));
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

TraceFile::Lane&
TraceFile::FindLane(const Row& row, int64_t startNs)
{
    const auto [pid, rank, index] = row.group;
    // Records come in order of their end, so an event that starts after the last one on a lane
    // overlaps none on it.
    auto& lanes = m_lanes[row.group];
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
        WriteMetadata("thread_name", pid, tid, "\"name\":" + QuoteJson(row.title + suffix));
        const uint64_t order = (rank * 1000ULL + index) * 100 + lane;
        WriteMetadata("thread_sort_index", pid, tid, "\"sort_index\":" + std::to_string(order));
    }
    return lanes[lane];
}

void
TraceFile::WriteEvent(const Row& row,
                      const std::string& name,
                      double start,
                      double end,
                      const std::string& args)
{
    const int64_t startNs = std::max<int64_t>(0, ToNanoseconds(start));
    const int64_t endNs = std::max(startNs, ToNanoseconds(end));
    Lane& lane = FindLane(row, startNs);
    lane.freeAt = endNs;

    std::string& out = NextEvent();
    out += "{\"ph\":\"X\",\"name\":" + name + ",\"pid\":";
    AppendNumber(out, std::get<0>(row.group));
    out += ",\"tid\":";
    AppendNumber(out, lane.tid);
    out += ",\"ts\":";
    AppendMicroseconds(out, startNs);
    out += ",\"dur\":";
    AppendMicroseconds(out, endNs - startNs);
    out += ",\"args\":{" + args;
    // Start and end are rounded, as events of a lane must not overlap.
    const int64_t length = ToNanoseconds(end - start);
    if (length != endNs - startNs && length >= 0)
    {
        out += ",\"ns\":";
        AppendNumber(out, length);
    }
    out += "}}";
    m_file.Commit();
}

void
TraceFile::WriteInstant(const Row& row,
                        char scope,
                        const std::string& name,
                        double time,
                        const std::string& args)
{
    const uint32_t tid = FindLane(row, std::numeric_limits<int64_t>::max()).tid;
    std::string& out = NextEvent();
    out += "{\"ph\":\"i\",\"s\":\"";
    out += scope;
    out += "\",\"name\":" + name + ",\"pid\":";
    AppendNumber(out, std::get<0>(row.group));
    out += ",\"tid\":";
    AppendNumber(out, tid);
    out += ",\"ts\":";
    AppendMicroseconds(out, std::max<int64_t>(0, ToNanoseconds(time)));
    out += ",\"args\":{" + args + "}}";
    m_file.Commit();
}

void
TraceFile::On(const StepRecord& record)
{
    if (record.step >= m_options.steps)
    {
        return;
    }
    const uint32_t pid = m_firstWorker + record.worker;
    const std::string step = std::to_string(record.step);
    WriteEvent({{pid, RANK_STEP, 0}, "steps"},
               "\"step " + step + "\"",
               record.start,
               record.end,
               "\"step\":" + step + ",\"sample\":" + std::to_string(record.sample));
    if (record.done != UNKNOWN_TIME && record.done < record.end)
    {
        WriteEvent({{pid, RANK_WAITING, 0}, "waiting"},
                   "\"waiting\"",
                   record.done,
                   record.end,
                   "\"step\":" + step);
    }
}

bool
TraceFile::LeavesOut(uint32_t step, ResourceLabel label) const
{
    const bool ofCollectives = label == ResourceLabel::PEER || label == ResourceLabel::REDUCER;
    return step >= m_options.steps || (ofCollectives && !m_options.messages);
}

TraceFile::Row
TraceFile::FindChannel(const TransferChannel& channel) const
{
    const Direction direction = GetDirection(channel);
    const uint32_t server = GetServer(channel);
    const auto& [from, to] = channel;
    if (HasAggregator(channel))
    {
        const bool up = to.role == Role::AGGREGATOR;
        const bool down = from.role == Role::AGGREGATOR;
        // aggregators come behind all workers
        return {{(up ? m_firstAggregator : m_firstWorker) + to.index,
                 RANK_UPLINK,
                 from.index + (down ? m_firstServer - m_firstWorker : 0)},
                down ? "peer switch " + m_aggregators.at(from.index)
                     : "peer worker " + std::to_string(from.index)};
    }
    return {{m_firstWorker + GetWorker(channel),
             direction == Direction::DOWNLINK ? RANK_DOWNLINK : RANK_UPLINK,
             server},
            ToString(direction) + (direction == Direction::PEER ? " worker " : " PS ") +
                std::to_string(server)};
}

TraceFile::Row
TraceFile::FindRow(const ChunkRecord& record) const
{
    const Resource& resource = record.resource;
    if (resource.kind == ResourceKind::CHANNEL)
    {
        return FindChannel(resource.GetChannel());
    }
    const bool parses = resource.kind == ResourceKind::PARSER;
    if (resource.at.role == Role::SERVER)
    {
        return {
            {m_firstServer + resource.at.index, parses ? RANK_PARSER : RANK_SERVER, record.worker},
            (parses ? "parser for worker " : "for worker ") + std::to_string(record.worker)};
    }
    const uint32_t worker = m_firstWorker + record.worker;
    switch (resource.kind)
    {
    case ResourceKind::PARSER:
        return {{worker, RANK_PARSER, 0}, "parser"};
    case ResourceKind::COLLECTIVE:
        return {{worker, RANK_COLLECTIVE, resource.index},
                resource.index == 0 ? "collectives" : "collectives between hosts"};
    case ResourceKind::REDUCER:
        return {{worker, RANK_REDUCER, 0}, "reducer"};
    default:
        break;
    }
    return {{worker, RANK_DEVICE, resource.index},
            resource.index < m_devices.size() ? m_devices[resource.index]
                                              : "device " + std::to_string(resource.index)};
}

void
TraceFile::On(const ChunkRecord& record)
{
    if (LeavesOut(record.step, GetLabel(record.resource)))
    {
        return;
    }
    const Row row = FindRow(record);
    const bool aggregated = record.resource.kind == ResourceKind::CHANNEL &&
                            HasAggregator(record.resource.GetChannel());
    std::string args = MakeArguments(record.step, record.op, aggregated);
    if (record.bytes > 0)
    {
        args += ",\"bytes\":" + std::to_string(record.bytes);
    }
    if (record.parse)
    {
        args += ",\"parse\":1";
    }
    if (std::get<0>(row.group) >= m_firstServer && !aggregated)
    {
        args += ",\"worker\":" + std::to_string(record.worker);
    }
    WriteEvent(row,
               record.parse ? m_parses.at(record.op) : m_ops.at(record.op),
               record.start,
               record.end,
               args);
}

void
TraceFile::On(const TransferRecord& record)
{
    if (LeavesOut(record.step, static_cast<ResourceLabel>(GetDirection(record.channel))))
    {
        return;
    }
    const Row row = FindChannel(record.channel);
    const bool aggregated = HasAggregator(record.channel);
    std::string args = MakeArguments(record.step, record.op, aggregated);
    if (!aggregated)
    {
        args += ",\"ps\":" + std::to_string(GetServer(record.channel));
    }
    if (record.ready != UNKNOWN_TIME)
    {
        args += ",\"ready\":";
        AppendMicroseconds(args, std::max<int64_t>(0, ToNanoseconds(record.ready)));
    }
    WriteInstant(row, 't', m_ops.at(record.op), record.lastByte, args);
}

void
TraceFile::On(const CrashRecord& record)
{
    if (record.step < m_options.steps)
    {
        WriteInstant({{m_firstWorker + record.worker, RANK_STEP, 0}, "steps"},
                     'p',
                     record.ended ? "\"ended\"" : "\"crash\"",
                     record.time,
                     "\"crash\":" + std::to_string(record.step));
    }
}

void
TraceFile::AppendPart(const std::string& path)
{
    m_file.AppendFile(path);
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

} // namespace ns3::dml
