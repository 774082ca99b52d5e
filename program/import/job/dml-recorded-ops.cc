/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-ops.h"

#include "ns3/dml-op.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ns3::dml
{

namespace
{

/// Messages of collectives in a run that become ops of their own: a few hundred bytes each.
constexpr uint64_t MOST_MOVES = 2000000;

/// Order in which the records of a step's op stand together, the parsing after the transfer.
auto
GetPlace(const TracedOp& op)
{
    return std::make_tuple(op.worker, op.step, op.op, op.parse);
}

} // namespace

RecordedOps::RecordedOps(const TraceJob& job,
                         const RunTrace& run,
                         ReceiveStarts starts,
                         CollectiveDetail detail)
    : m_job(job),
      m_run(run),
      m_corrects(starts == ReceiveStarts::CORRECTED)
{
    AddDevices();
    AddWires();
    m_nextDevice = devices.size();
    ListSteps();
    SortRecords();
    for (auto& step : steps)
    {
        AddStep(step);
    }
    if (m_corrects)
    {
        SerialiseWays();
    }
    JoinUpdates();
    if (m_corrects && detail == CollectiveDetail::MOVES)
    {
        ListMoves();
    }
    AddCollectives();
}

OpIndex
RecordedOps::GetBeginName() const
{
    return m_job.GetOps().size();
}

std::vector<std::string>
RecordedOps::ListNames() const
{
    std::vector<std::string> names;
    for (const auto& op : m_job.GetOps())
    {
        names.push_back(op.name);
    }
    names.emplace_back("step begins");
    names.emplace_back("step ends");
    return names;
}

RecordedOps::LaneKind
RecordedOps::GetLaneKind(const std::string& title)
{
    const auto begins = [&title](const char* word) { return title.rfind(word, 0) == 0; };
    return begins("collectives")                  ? LaneKind::COLLECTIVE
           : begins("peer ") || begins("reducer") ? LaneKind::PART
                                                  : LaneKind::RESOURCE;
}

void
RecordedOps::AddDevices()
{
    for (const auto& lane : m_run.lanes)
    {
        m_lanes.push_back(GetLaneKind(lane.title));
        devices.push_back((lane.endpoint.role == Role::WORKER ? "worker " : "PS ") +
                          std::to_string(lane.endpoint.index) + ", " + lane.title);
    }
}

/// What rows of the same channel have in common.
void
RecordedOps::AddWires()
{
    std::map<std::string, uint32_t> wires; // by name
    for (std::size_t lane = 0; lane < m_run.lanes.size(); ++lane)
    {
        const std::string name = devices[lane].substr(0, devices[lane].find(", ")) + ", " +
                                 GetDeviceRole(devices[lane]) + WIRE_DEVICE;
        const bool channel = m_run.lanes[lane].title.rfind("downlink", 0) == 0 ||
                             m_run.lanes[lane].title.rfind("uplink", 0) == 0;
        const auto [wire, added] = wires.emplace(name, devices.size());
        if (added && channel)
        {
            devices.push_back(name);
        }
        m_wires.push_back(channel ? wire->second : JobOp::NO_DEVICE);
    }
}

void
RecordedOps::ListSteps()
{
    for (const auto& step : m_run.steps)
    {
        if (step.worker < m_run.workers)
        {
            steps.push_back({{step.worker, step.step, step.start, step.end}, {}, {}, {}});
        }
    }
    std::sort(steps.begin(), steps.end(), [](const PlacedStep& a, const PlacedStep& b) {
        return std::make_pair(a.record.worker, a.record.step) <
               std::make_pair(b.record.worker, b.record.step);
    });
    for (std::size_t i = 0; i < steps.size(); ++i)
    {
        m_places[{steps[i].record.worker, steps[i].record.step}] = i;
    }
}

PlacedStep*
RecordedOps::FindStep(uint32_t worker, uint32_t step)
{
    const auto place = m_places.find({worker, step});
    return place == m_places.end() ? nullptr : &steps[place->second];
}

void
RecordedOps::SortRecords()
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

std::pair<RecordedOps::RecordIterator, RecordedOps::RecordIterator>
RecordedOps::FindRecords(const RecordedStep& step, OpIndex op, bool parse) const
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

GlobalOp
RecordedOps::Add(const JobOp& op, const OpTimes& when, bool own)
{
    ops.push_back(op);
    times.push_back(when);
    graphDevices.push_back(own ? m_nextDevice++ : op.device);
    return ops.size() - 1;
}

GlobalOp
RecordedOps::AddRecord(const TracedOp& record, JobOpKind kind)
{
    return Add({kind, record.op, record.worker, record.step, record.bytes, record.lane},
               {record.start, record.end},
               false);
}

GlobalOp
RecordedOps::AddJoin(const RecordedStep& step, OpIndex name, double time)
{
    return Add({JobOpKind::JOIN, name, step.worker, step.step}, {time, time}, true);
}

/// Ops of which the trace has nothing are joins; so are pulls with collectives.
void
RecordedOps::AddStep(PlacedStep& step)
{
    const auto& known = m_job.GetOps();
    step.record.begins = AddJoin(step.record, GetBeginName(), step.record.start);
    step.record.ends = AddJoin(step.record, GetBeginName() + 1, step.record.end);
    step.first.assign(known.size(), NO_GLOBAL_OP);
    step.last.assign(known.size(), NO_GLOBAL_OP);
    for (OpIndex op = 0; op < known.size(); ++op)
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
        else if (IsTransfer(known[op].kind))
        {
            AddTransfer(step, op, begin, end);
        }
        else
        {
            step.first[op] = step.last[op] = AddRecord(*begin, GetJobOpKind(known[op].kind));
        }
    }
}

void
RecordedOps::AddTransfer(PlacedStep& step, OpIndex op, RecordIterator begin, RecordIterator end)
{
    const JobOpKind kind = GetJobOpKind(m_job.GetOps()[op].kind);
    GlobalOp last = NO_GLOBAL_OP;
    const auto follow = [this, &last, &step, op](GlobalOp next) {
        if (last == NO_GLOBAL_OP)
        {
            step.first[op] = next;
        }
        else
        {
            dependencies.emplace_back(last, next);
        }
        last = next;
    };
    for (auto chunk = begin; chunk != end; ++chunk)
    {
        follow(AddRecord(*chunk, kind));
    }
    const double sent = times[last].end;
    const auto arrival = m_arrivals.find({step.record.worker, step.record.step, op});
    if (arrival != m_arrivals.end() && arrival->second > sent)
    {
        JobOp way = ops[last];
        way.bytes = 0;
        way.device = m_wires[way.device];
        // of a row that is called something else it is not known which channel it is
        const bool known = way.device != JobOp::NO_DEVICE;
        follow(Add(way, {sent, arrival->second}, !m_corrects || !known));
        if (known)
        {
            m_ways.push_back(last);
        }
    }
    const auto [parseBegin, parseEnd] = FindRecords(step.record, op, true);
    for (auto parse = parseBegin; parse != parseEnd; ++parse)
    {
        follow(AddRecord(*parse, JobOpKind::PARSE));
    }
    step.last[op] = last;
}

/// A channel brings one transfer after the other: what overlaps has waited for the one before.
void
RecordedOps::SerialiseWays()
{
    std::sort(m_ways.begin(), m_ways.end(), [this](GlobalOp a, GlobalOp b) {
        return std::make_pair(times[a].end, a) < std::make_pair(times[b].end, b);
    });
    std::map<uint32_t, double> arrived; // by wire: the last one
    for (const GlobalOp way : m_ways)
    {
        const auto [last, first] = arrived.emplace(ops[way].device, times[way].end);
        if (!first)
        {
            times[way].start = std::max(times[way].start, last->second);
            last->second = times[way].end;
        }
    }
}

/// An update that one worker did for all waits for the gradients of all.
void
RecordedOps::JoinUpdates()
{
    std::map<std::pair<uint32_t, OpIndex>, GlobalOp> done;
    for (const auto& step : steps)
    {
        for (OpIndex op = 0; op < step.last.size(); ++op)
        {
            if (m_job.GetOps()[op].kind == OpKind::UPDATE && step.last[op] != NO_GLOBAL_OP)
            {
                done[{step.record.step, op}] = step.last[op];
            }
        }
    }
    for (auto& step : steps)
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

/// The messages of each collective, in the order in which they came.
void
RecordedOps::ListMoves()
{
    constexpr const char* PEER = "peer worker ";
    for (uint32_t lane = 0; lane < m_run.lanes.size(); ++lane)
    {
        // of a row that is called something else it is not known who sends
        const std::string& title = m_run.lanes[lane].title;
        const std::string number = title.substr(std::min(title.size(), std::strlen(PEER)));
        uint32_t sender = 0;
        const char* const end = number.data() + number.size();
        const auto [stop, error] = std::from_chars(number.data(), end, sender);
        if (title.rfind(PEER, 0) == 0 && error == std::errc() && (stop == end || *stop == ' ') &&
            sender < m_run.workers)
        {
            m_senders[lane] = sender;
        }
    }
    for (const auto& op : m_run.ops)
    {
        if (m_senders.count(op.lane) > 0)
        {
            m_moved[{op.worker, op.step, op.op}].first += op.bytes;
        }
    }
    leftOut = std::count_if(m_run.arrivals.begin(), m_run.arrivals.end(), [this](const auto& one) {
        return m_senders.count(one.lane) > 0;
    });
    if (leftOut > MOST_MOVES)
    {
        return;
    }
    leftOut = 0;
    for (const auto& arrival : m_run.arrivals)
    {
        if (m_senders.count(arrival.lane) > 0)
        {
            m_moves[{arrival.step, arrival.op}].push_back(arrival);
            ++m_moved[{arrival.worker, arrival.step, arrival.op}].second;
        }
    }
    for (auto& [key, moves] : m_moves)
    {
        std::sort(moves.begin(), moves.end(), [](const TracedArrival& a, const TracedArrival& b) {
            return std::tie(a.time, a.worker, a.lane) < std::tie(b.time, b.worker, b.lane);
        });
    }
}

/// @param entered of a collective: its entries @return what each worker received, in order
std::map<uint32_t, std::vector<GlobalOp>>
RecordedOps::AddMoves(uint32_t step, OpIndex op, const std::vector<GlobalOp>& entered)
{
    std::map<uint32_t, GlobalOp> entries; // by worker
    for (const GlobalOp entry : entered)
    {
        entries[ops[entry].worker] = entry;
    }
    std::map<uint32_t, std::vector<GlobalOp>> received; // by worker, in order
    std::map<uint32_t, GlobalOp> sentBefore;            // by lane
    for (const auto& move : m_moves[{step, op}])
    {
        const uint32_t sender = m_senders.at(move.lane);
        const auto& [bytes, count] = m_moved.at({move.worker, step, op});
        double& free = m_channelFree[move.lane];
        const double start = std::min(move.time, std::max(move.ready, free));
        free = move.time;
        const GlobalOp sent =
            Add({JobOpKind::MOVE, op, move.worker, step, bytes / count, move.lane},
                {start, move.time},
                false);
        const auto [previous, isFirst] = sentBefore.emplace(move.lane, sent);
        if (!isFirst)
        {
            waits.emplace_back(previous->second, sent);
            previous->second = sent;
        }
        for (const uint32_t worker : {sender, move.worker})
        {
            if (entries.count(worker) > 0)
            {
                waits.emplace_back(entries[worker], sent);
            }
            // the message that let its sender go on; or at once, as its receiver then asked for it
            const auto& before = received[worker];
            const auto cause = std::find_if(before.rbegin(), before.rend(), [&](GlobalOp other) {
                return times[other].end <= move.ready + TRACE_ROUNDING;
            });
            if (cause != before.rend() &&
                (worker == sender || times[*cause].end >= move.ready - TRACE_ROUNDING))
            {
                waits.emplace_back(*cause, sent);
            }
        }
        received[move.worker].push_back(sent);
    }
    return received;
}

void
RecordedOps::AddCollectives()
{
    for (const auto& [key, records] : m_collectives)
    {
        double complete = records.front().start;
        std::vector<GlobalOp> entered;
        for (const auto& record : records)
        {
            complete = std::max(complete, record.start);
            TracedOp entry = record;
            entry.end = entry.start;
            entry.bytes = 0;
            entered.push_back(AddRecord(entry, JobOpKind::JOIN));
        }
        auto received = AddMoves(key.first, key.second, entered);
        for (std::size_t i = 0; i < records.size(); ++i)
        {
            TracedOp run = records[i];
            run.start = m_corrects ? std::min(complete, run.end) : run.start;
            const auto& moves = received[run.worker];
            if (!moves.empty())
            {
                run.start = std::min(run.end, std::max(run.start, times[moves.back()].end));
            }
            const GlobalOp op = AddRecord(run, JobOpKind::COLLECTIVE);
            PlacedStep& step = *FindStep(run.worker, run.step);
            step.first[run.op] = entered[i];
            step.last[run.op] = op;
            step.collectives.push_back(op);
            if (!moves.empty())
            {
                waits.emplace_back(moves.back(), op);
            }
            for (std::size_t other = 0; other < entered.size(); ++other)
            {
                if (m_corrects || other == i)
                {
                    waits.emplace_back(entered[other], op);
                }
            }
        }
    }
}

} // namespace ns3::dml
