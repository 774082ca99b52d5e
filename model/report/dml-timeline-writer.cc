/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-timeline-writer.h"

#include "dml-result-file.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-own-json.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Microseconds at the start of a run: 9 September 2001, 01:46:40 UTC, and easy to subtract.
constexpr int64_t EPOCH = 1000000000000000;

/// @param seconds from the start of the run; @return microseconds since the epoch
int64_t
ToMicroseconds(double seconds)
{
    return EPOCH + std::llround(std::max(0.0, seconds) * 1e6);
}

/// @return "/job:ps/replica:0/task:0/device:CPU:0"
std::string
GetServerDevice(uint32_t server)
{
    return "/job:ps/replica:0/task:" + std::to_string(server) + "/device:CPU:0";
}

/// @return as TensorFlow's worker_cache_logger.cc writes a size: "1024B", "4.3MB"
std::string
DescribeSize(uint64_t bytes)
{
    constexpr double MEBIBYTE = 1 << 20;
    if (bytes < 0.1 * MEBIBYTE)
    {
        return std::to_string(bytes) + "B";
    }
    std::string text;
    AppendFixed(text, bytes / MEBIBYTE, 1);
    return text + "MB";
}

/// Number of the process that has the ops of the @p device th device: after the allocators' one,
/// each device has one for ops and one for tensors.
uint32_t
GetComputePid(uint32_t device)
{
    return 1 + 2 * device;
}

/// Append a metadata event. @param out text; @param pid process; @param name its name
void
AppendProcess(std::string& out, uint32_t pid, const std::string& name)
{
    out += (pid > 0 ? ",\n" : "") +
           ("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" + std::to_string(pid)) +
           ",\"args\":{\"name\":" + QuoteJson(name) + "}}";
}

} // namespace

TimelineWriter::TimelineWriter(const std::string& prefix,
                               const Profile& profile,
                               uint32_t servers,
                               uint32_t steps)
    : m_prefix(prefix),
      m_profile(profile),
      m_graph(MakeTimelineGraph(profile)),
      m_servers(servers),
      m_steps(steps)
{
}

TimelineWriter::OpTimes*
TimelineWriter::Find(uint32_t worker, uint32_t step, OpIndex op)
{
    if (step >= m_steps)
    {
        return nullptr;
    }
    Step& times = m_open[{worker, step}];
    times.resize(m_profile.graph.GetSize());
    return &times[op];
}

void
TimelineWriter::On(const ChunkRecord& record)
{
    OpTimes* const times = Find(record.worker, record.step, record.op);
    if (!times)
    {
        return;
    }
    if (record.parse)
    {
        times->received = record.end;
        return;
    }
    times->start = times->start == UNKNOWN_TIME ? record.start : times->start;
    times->end = record.end;
    if (record.resource.kind == ResourceKind::DEVICE && record.resource.at.role == Role::SERVER)
    {
        times->server = record.resource.at.index;
    }
}

void
TimelineWriter::On(const TransferRecord& record)
{
    if (OpTimes* const times = Find(GetWorker(record.channel), record.step, record.op))
    {
        times->ready = record.ready;
        times->received = record.lastByte;
        times->server = GetServer(record.channel);
    }
}

void
TimelineWriter::On(const CrashRecord& record)
{
    m_open.erase(m_open.lower_bound({record.worker, 0}),
                 m_open.lower_bound({record.worker + 1, 0}));
}

std::string
TimelineWriter::GetWorkerDevice(uint32_t worker, uint32_t device) const
{
    return "/job:worker/replica:0/task:" + std::to_string(worker) +
           "/device:" + m_graph.devices[device];
}

uint32_t
TimelineWriter::GetServerPid(uint32_t server) const
{
    return GetComputePid(m_graph.devices.size() + server);
}

TimelineWriter::Event
TimelineWriter::MakeNode(uint32_t pid, const TimelineNode& node, double start, double end) const
{
    std::string args = "\"name\":" + QuoteJson(node.name) + ",\"op\":" + QuoteJson(node.type);
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
    {
        args += ",\"input" + std::to_string(i) + "\":" + QuoteJson(node.inputs[i]);
    }
    return {pid, ToMicroseconds(start), ToMicroseconds(end), node.type, args};
}

TimelineWriter::Event
TimelineWriter::MakeReceive(uint32_t worker, OpIndex op, const OpTimes& times) const
{
    const bool pull = m_profile.graph.Get(op).kind == OpKind::PULL;
    const std::string at = GetWorkerDevice(worker, m_graph.places[op]);
    const std::string server = GetServerDevice(times.server);
    const std::string& tensor = m_graph.nodes[op].name;
    const uint64_t bytes = m_profile.tensors[m_profile.graph.Get(op).tensor].bytes;
    const std::string label = "[" + DescribeSize(bytes) + "] edge_" +
                              std::to_string(m_graph.edges[op]) + "_" + tensor + " from " +
                              (pull ? server : at) + " to " + (pull ? at : server);
    const double start = times.ready != UNKNOWN_TIME   ? times.ready
                         : times.start != UNKNOWN_TIME ? times.start
                                                       : times.received;
    return {pull ? GetComputePid(m_graph.places[op]) : GetServerPid(times.server),
            ToMicroseconds(start),
            ToMicroseconds(times.received),
            "RecvTensor",
            "\"name\":\"RecvTensor\",\"op\":\"RecvTensor\",\"tensor\":" + QuoteJson(tensor) +
                ",\"bytes\":" + std::to_string(bytes) + ",\"label\":" + QuoteJson(label)};
}

void
TimelineWriter::AddPull(uint32_t worker,
                        OpIndex op,
                        const OpTimes& times,
                        std::vector<Event>& events) const
{
    if (times.received == UNKNOWN_TIME)
    {
        return;
    }
    const Event receive = MakeReceive(worker, op, times);
    for (const TimelineNode* node :
         {&m_graph.variables[m_profile.graph.Get(op).tensor], &m_graph.nodes[op]})
    {
        events.push_back(MakeNode(GetServerPid(times.server), *node, 0, 0));
        events.back().start = events.back().end = receive.start;
    }
    events.push_back(receive);
}

void
TimelineWriter::AddPush(uint32_t worker,
                        OpIndex op,
                        const Step& step,
                        std::vector<Event>& events) const
{
    const OpTimes& times = step[op];
    double made = UNKNOWN_TIME;
    for (const OpIndex dep : m_profile.graph.GetDependencies(op))
    {
        made = std::max({made, step[dep].end, step[dep].received});
    }
    made = made == UNKNOWN_TIME ? std::max(times.ready, times.start) : made;
    if (made == UNKNOWN_TIME)
    {
        return;
    }
    events.push_back(MakeNode(GetComputePid(m_graph.places[op]), m_graph.nodes[op], made, made));
    if (times.received != UNKNOWN_TIME)
    {
        events.push_back(MakeReceive(worker, op, times));
    }
}

std::vector<TimelineWriter::Event>
TimelineWriter::MakeEvents(uint32_t worker, const Step& step) const
{
    std::vector<Event> events;
    for (OpIndex op = 0; op < step.size(); ++op)
    {
        const OpTimes& times = step[op];
        const OpKind kind = m_profile.graph.Get(op).kind;
        if (kind == OpKind::PULL)
        {
            AddPull(worker, op, times, events);
        }
        else if (kind == OpKind::PUSH)
        {
            AddPush(worker, op, step, events);
        }
        else if (times.end != UNKNOWN_TIME)
        {
            const uint32_t pid = kind == OpKind::UPDATE ? GetServerPid(times.server)
                                                        : GetComputePid(m_graph.places[op]);
            events.push_back(MakeNode(pid, m_graph.nodes[op], times.start, times.end));
        }
    }
    std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return std::tie(a.pid, a.start) < std::tie(b.pid, b.start);
    });
    return events;
}

void
TimelineWriter::On(const StepRecord& record)
{
    const auto step = m_open.find({record.worker, record.step});
    if (step == m_open.end())
    {
        return;
    }
    ResultFile file(m_prefix + "-worker" + std::to_string(record.worker) + "-step" +
                    std::to_string(record.step) + SUFFIX);
    std::string& out = file.GetBuffer();
    out += "{\"traceEvents\":[\n";
    AppendProcess(out, 0, "Allocators");
    const uint32_t devices = m_graph.devices.size();
    for (uint32_t device = 0; device < devices + m_servers; ++device)
    {
        const std::string name = device < devices ? GetWorkerDevice(record.worker, device)
                                                  : GetServerDevice(device - devices);
        AppendProcess(out, GetComputePid(device), name + " Compute");
        AppendProcess(out, GetComputePid(device) + 1, name + " Tensors");
    }
    // As TensorFlow does, an op gets the first lane of its device on which nothing runs any more.
    std::map<uint32_t, std::vector<int64_t>> lanes;
    for (const Event& event : MakeEvents(record.worker, step->second))
    {
        auto& ends = lanes[event.pid];
        const auto lane =
            std::find_if(ends.begin(), ends.end(), [&](int64_t end) { return end < event.start; });
        const std::size_t number = lane - ends.begin();
        ends.resize(std::max(ends.size(), number + 1));
        ends[number] = event.end;
        out += ",\n{\"ph\":\"X\",\"cat\":\"Op\",\"name\":" + QuoteJson(event.type) + ",\"pid\":";
        AppendNumber(out, event.pid);
        out += ",\"tid\":";
        AppendNumber(out, number);
        out += ",\"ts\":";
        AppendNumber(out, event.start);
        out += ",\"dur\":";
        AppendNumber(out, event.end - event.start);
        out += ",\"args\":{" + event.args + "}}";
    }
    out += "\n]}\n";
    m_open.erase(step);
    file.Close();
}

} // namespace ns3::dml
