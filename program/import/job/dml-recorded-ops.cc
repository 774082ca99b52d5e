/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-ops.h"

#include "ns3/dml-op.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Messages of collectives in a run that become ops of their own: a few hundred bytes each.
constexpr uint64_t MOST_MOVES = 2000000;

/// What a row of a trace shows.
enum class LaneKind : uint8_t
{
    RESOURCE,   //!< a device, a channel with a server, a parser
    COLLECTIVE, //!< whole collectives
    PART,       //!< what collectives consist of
};

/// A row of a trace.
struct Lane
{
    LaneKind kind{LaneKind::RESOURCE}; //!< what it shows
    uint32_t wire{JobOp::NO_DEVICE};   //!< of a channel with a server: device of its wire
    std::optional<uint32_t> sender{};  //!< of messages of collectives: a worker
    double free{0};                    //!< of these: since when there has been none on its way
};

/// @return the worker whose messages a row shows; nothing: it is called something else
std::optional<uint32_t>
ReadSender(const std::string& title, uint32_t workers)
{
    constexpr std::string_view PEER = "peer worker ";
    if (title.rfind(PEER, 0) != 0)
    {
        return std::nullopt;
    }
    uint32_t sender = 0;
    const char* const end = title.data() + title.size();
    const auto [stop, error] = std::from_chars(title.data() + PEER.size(), end, sender);
    const bool known = error == std::errc() && (stop == end || *stop == ' ') && sender < workers;
    return known ? std::optional(sender) : std::nullopt;
}

/// @param[out] devices names of the rows, and of the wires that rows of one channel share
std::vector<Lane>
ListLanes(const RunTrace& run, std::vector<std::string>& devices)
{
    std::vector<Lane> lanes;
    for (const auto& lane : run.lanes)
    {
        const auto begins = [&lane](const char* word) { return lane.title.rfind(word, 0) == 0; };
        const LaneKind kind = begins("collectives")                     ? LaneKind::COLLECTIVE
                              : begins("peer ") || begins(REDUCER_LANE) ? LaneKind::PART
                                                                        : LaneKind::RESOURCE;
        lanes.push_back({kind, JobOp::NO_DEVICE, ReadSender(lane.title, run.workers)});
        devices.push_back((lane.endpoint.role == Role::WORKER ? "worker " : "PS ") +
                          std::to_string(lane.endpoint.index) + ", " + lane.title);
    }
    std::map<std::string, uint32_t> wires; // by name
    for (std::size_t i = 0; i < lanes.size(); ++i)
    {
        const std::string& title = run.lanes[i].title;
        if (title.rfind("downlink", 0) == 0 || title.rfind("uplink", 0) == 0)
        {
            const std::string name = devices[i].substr(0, devices[i].find(", ")) + ", " +
                                     GetDeviceRole(devices[i]) + WIRE_DEVICE;
            const auto [wire, added] = wires.emplace(name, devices.size());
            if (added)
            {
                devices.push_back(name);
            }
            lanes[i].wire = wire->second;
        }
    }
    return lanes;
}

/// Order in which the records of a step's op stand together, the parsing after the transfer.
auto
GetPlace(const TracedOp& op)
{
    return std::make_tuple(op.worker, op.step, op.op, op.parse);
}

/// Makes RecordedOps.
class OpLister
{
  public:
    OpLister(const TraceJob& job, const RunTrace& run, ReceiveStarts starts)
        : m_job(job),
          m_run(run),
          m_corrects(starts == ReceiveStarts::CORRECTED)
    {
    }

    RecordedOps List(CollectiveDetail detail, WaitDetail waits)
    {
        m_lanes = ListLanes(m_run, m_found.devices);
        m_found.nextDevice = m_found.devices.size();
        for (const auto& op : m_job.GetOps())
        {
            m_found.names.push_back(op.name);
        }
        m_found.names.emplace_back("step begins");
        m_found.names.emplace_back("step ends");
        ListSteps();
        SortRecords();
        for (auto& step : m_found.steps)
        {
            AddStep(step);
        }
        if (m_corrects)
        {
            SerialiseWays();
        }
        if (m_corrects && waits == WaitDetail::ALL)
        {
            AddHeldBack();
        }
        JoinUpdates();
        if (m_corrects && detail == CollectiveDetail::MOVES)
        {
            ListMoves();
        }
        AddEntries();
        AddMoves();
        AddResults();
        if (waits == WaitDetail::ALL)
        {
            AddTurns();
        }
        return std::move(m_found);
    }

  private:
    using RecordIterator = std::vector<TracedOp>::const_iterator;

    /// What is known of a collective of a step.
    struct Collective
    {
        std::vector<TracedOp> records{};        //!< of the workers that take part
        double complete{0};                     //!< the last of these has entered it
        std::map<uint32_t, GlobalOp> entries{}; //!< by worker
        /// By worker: messages that it has received, in order.
        std::map<uint32_t, std::vector<GlobalOp>> received{};
        std::map<uint32_t, GlobalOp> sentBefore{}; //!< by lane: the last one
    };

    /// A worker's part of a collective.
    struct Begun
    {
        GlobalOp entry;  //!< the worker enters it
        GlobalOp result; //!< the worker has its result
    };

    void ListSteps()
    {
        auto& steps = m_found.steps;
        for (const auto& step : m_run.steps)
        {
            if (step.worker < m_run.workers)
            {
                steps.push_back({{step.worker, step.step, step.start, step.end}, {}, {}, {}});
            }
        }
        std::sort(steps.begin(), steps.end(), [](const PlacedStep& a, const PlacedStep& b) {
            return std::tie(a.record.worker, a.record.step) <
                   std::tie(b.record.worker, b.record.step);
        });
        for (std::size_t i = 0; i < steps.size(); ++i)
        {
            m_found.places[{steps[i].record.worker, steps[i].record.step}] = i;
        }
    }

    void SortRecords()
    {
        for (const auto& op : m_run.ops)
        {
            if (m_lanes[op.lane].kind != LaneKind::PART)
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
            m_arrivals[{arrival.worker, arrival.step, arrival.op}] = {arrival.ready, arrival.time};
        }
    }

    std::pair<RecordIterator, RecordIterator> FindRecords(const RecordedStep& step,
                                                          OpIndex op,
                                                          bool parse) const
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

    GlobalOp AddRecord(const TracedOp& record, JobOpKind kind)
    {
        return m_found.Add({kind, record.op, record.worker, record.step, record.bytes, record.lane},
                           {record.start, record.end},
                           false);
    }

    /// @param count collectives of the op in a step @throws InputError if they are those of a
    /// sharded job, whose plan is not that of the profile's graph
    static void RefuseGathers(const MeasuredOp& op, std::ptrdiff_t count)
    {
        if (op.kind == OpKind::PULL || count > 1)
        {
            throw InputError("found a run with job.protocol sharded, in which '" + op.name +
                             "' has " +
                             (op.kind == OpKind::PULL ? "all-gathers" : "two collectives") +
                             ": what waits for them is not in the job's graph; accepted: runs "
                             "with other protocols");
        }
    }

    /// Ops of which the trace has nothing are joins; so are pulls with collectives.
    void AddStep(PlacedStep& step)
    {
        const auto& known = m_job.GetOps();
        step.record.begins = m_found.AddJoin(step.record, m_job.GetOps().size(), step.record.start);
        step.record.ends = m_found.AddJoin(step.record, m_job.GetOps().size() + 1, step.record.end);
        step.first.assign(known.size(), NO_GLOBAL_OP);
        step.last.assign(known.size(), NO_GLOBAL_OP);
        for (OpIndex op = 0; op < known.size(); ++op)
        {
            const auto [begin, end] = FindRecords(step.record, op, false);
            if (begin == end)
            {
                continue;
            }
            if (m_lanes[begin->lane].kind == LaneKind::COLLECTIVE)
            {
                RefuseGathers(known[op], end - begin);
                m_collectives[{step.record.step, op}].records.push_back(*begin);
            }
            else if (IsTransfer(known[op].kind))
            {
                AddTransfer(step, op, begin, end);
            }
            else
            {
                step.first[op] = step.last[op] = AddRecord(*begin, GetJobOpKind(known[op].kind));
                if (known[op].kind == OpKind::UPDATE)
                {
                    m_updates[{step.record.step, op}] = step.last[op];
                }
            }
        }
    }

    void AddTransfer(PlacedStep& step, OpIndex op, RecordIterator begin, RecordIterator end)
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
                m_found.dependencies.emplace_back(last, next);
            }
            last = next;
        };
        for (auto chunk = begin; chunk != end; ++chunk)
        {
            follow(AddRecord(*chunk, kind));
        }
        const double sent = m_found.times[last].end;
        const auto arrival = m_arrivals.find({step.record.worker, step.record.step, op});
        if (arrival != m_arrivals.end())
        {
            m_firstChunks[step.first[op]] = arrival->second.first;
        }
        if (arrival != m_arrivals.end() && arrival->second.second > sent)
        {
            JobOp way = m_found.ops[last];
            way.bytes = 0;
            way.device = m_lanes[way.device].wire;
            // of a row that is called something else it is not known which channel it is
            const bool known = way.device != JobOp::NO_DEVICE;
            follow(m_found.Add(way, {sent, arrival->second.second}, !m_corrects || !known));
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
    void SerialiseWays()
    {
        std::sort(m_ways.begin(), m_ways.end(), [this](GlobalOp a, GlobalOp b) {
            return std::make_pair(m_found.times[a].end, a) <
                   std::make_pair(m_found.times[b].end, b);
        });
        std::map<uint32_t, double> arrived; // by wire: the last one
        for (const GlobalOp way : m_ways)
        {
            const auto [last, first] =
                arrived.emplace(m_found.ops[way].device, m_found.times[way].end);
            if (!first)
            {
                m_found.times[way].start = std::max(m_found.times[way].start, last->second);
                last->second = m_found.times[way].end;
            }
        }
    }

    /// What could be sent, with nothing before it on its connection, but was only sent after
    /// another transfer of the channel had come, waited for that one, as with policies that wait
    /// for acknowledgements.
    void AddHeldBack()
    {
        std::map<uint32_t, std::vector<GlobalOp>> arrived; // by wire, in order
        for (const GlobalOp way : m_ways)
        {
            arrived[m_found.ops[way].device].push_back(way);
        }
        std::map<uint32_t, double> free; // by row: since when nothing has been handed over
        for (const GlobalOp chunk : ListChunks())
        {
            const JobOp& op = m_found.ops[chunk];
            const OpTimes& times = m_found.times[chunk];
            double& before = free.emplace(op.device, 0).first->second;
            const auto& ways = arrived[m_lanes[op.device].wire];
            const auto after = std::upper_bound(
                ways.begin(),
                ways.end(),
                times.start + TRACE_ROUNDING,
                [this](double time, GlobalOp way) { return time < m_found.times[way].end; });
            const auto ready = m_firstChunks.find(chunk);
            if (after != ways.begin() && ready != m_firstChunks.end() &&
                m_found.times[*std::prev(after)].end > std::max(ready->second, before) &&
                !IsOfOneTransfer(m_found.ops[*std::prev(after)], op))
            {
                m_found.waits.emplace_back(*std::prev(after), chunk);
            }
            before = std::max(before, times.end);
        }
    }

    /// @return what channels with servers were handed, by time
    std::vector<GlobalOp> ListChunks() const
    {
        std::vector<GlobalOp> chunks;
        for (GlobalOp op = 0; op < m_found.ops.size(); ++op)
        {
            const JobOp& known = m_found.ops[op];
            if ((known.kind == JobOpKind::PULL || known.kind == JobOpKind::PUSH) &&
                known.device < m_lanes.size())
            {
                chunks.push_back(op);
            }
        }
        std::stable_sort(chunks.begin(), chunks.end(), [this](GlobalOp a, GlobalOp b) {
            return m_found.times[a].start < m_found.times[b].start;
        });
        return chunks;
    }

    static bool IsOfOneTransfer(const JobOp& a, const JobOp& b)
    {
        return a.name == b.name && a.worker == b.worker && a.step == b.step;
    }

    /// An update that one worker did for all waits for the gradients of all.
    void JoinUpdates()
    {
        for (auto& step : m_found.steps)
        {
            for (OpIndex op = 0; op < step.last.size(); ++op)
            {
                const auto found = m_updates.find({step.record.step, op});
                if (step.last[op] == NO_GLOBAL_OP && found != m_updates.end())
                {
                    step.first[op] = step.last[op] = found->second;
                }
            }
        }
    }

    /// The messages of all collectives, in the order in which they came.
    void ListMoves()
    {
        for (const auto& op : m_run.ops)
        {
            if (m_lanes[op.lane].sender)
            {
                m_moved[{op.worker, op.step, op.op}].first += op.bytes;
            }
        }
        m_found.leftOut =
            std::count_if(m_run.arrivals.begin(), m_run.arrivals.end(), [this](const auto& one) {
                return m_lanes[one.lane].sender;
            });
        if (m_found.leftOut > MOST_MOVES)
        {
            return;
        }
        m_found.leftOut = 0;
        for (const auto& arrival : m_run.arrivals)
        {
            if (m_lanes[arrival.lane].sender && m_collectives.count({arrival.step, arrival.op}) > 0)
            {
                m_moves.push_back(arrival);
                ++m_moved[{arrival.worker, arrival.step, arrival.op}].second;
            }
        }
        // of those that came at one instant, a trace has the one first that came first
        std::stable_sort(
            m_moves.begin(),
            m_moves.end(),
            [](const TracedArrival& a, const TracedArrival& b) { return a.time < b.time; });
    }

    /// A join where each worker enters each collective.
    void AddEntries()
    {
        for (auto& [key, collective] : m_collectives)
        {
            for (const auto& record : collective.records)
            {
                collective.complete = std::max(collective.complete, record.start);
                TracedOp entry = record;
                entry.end = entry.start;
                entry.bytes = 0;
                collective.entries[record.worker] = AddRecord(entry, JobOpKind::JOIN);
            }
        }
    }

    /// A channel brings one message after the other, of whichever collective it is: so they are
    /// added in the order in which they came.
    void AddMoves()
    {
        for (const auto& move : m_moves)
        {
            Collective& collective = m_collectives.at({move.step, move.op});
            const uint32_t sender = *m_lanes[move.lane].sender;
            const auto& [bytes, count] = m_moved.at({move.worker, move.step, move.op});
            double& free = m_lanes[move.lane].free;
            const double start = std::min(move.time, std::max(move.ready, free));
            free = move.time;
            const GlobalOp sent = m_found.Add(
                {JobOpKind::MOVE, move.op, move.worker, move.step, bytes / count, move.lane},
                {start, move.time},
                false);
            const auto [previous, isFirst] = collective.sentBefore.emplace(move.lane, sent);
            if (!isFirst)
            {
                m_found.waits.emplace_back(previous->second, sent);
                previous->second = sent;
            }
            for (const uint32_t worker : {sender, move.worker})
            {
                const auto entry = collective.entries.find(worker);
                if (entry != collective.entries.end())
                {
                    m_found.waits.emplace_back(entry->second, sent);
                }
                // the message that let its sender go on; or at once, as its receiver then asked for
                // it
                const auto& before = collective.received[worker];
                const auto cause =
                    std::find_if(before.rbegin(), before.rend(), [&](GlobalOp other) {
                        return m_found.times[other].end <= move.ready + TRACE_ROUNDING;
                    });
                if (cause != before.rend() &&
                    (worker == sender || m_found.times[*cause].end >= move.ready - TRACE_ROUNDING))
                {
                    m_found.waits.emplace_back(*cause, sent);
                }
            }
            collective.received[move.worker].push_back(sent);
        }
    }

    /// What is left of each collective when a worker has received the last message of it.
    void AddResults()
    {
        for (auto& [key, collective] : m_collectives)
        {
            for (const auto& record : collective.records)
            {
                TracedOp run = record;
                run.start = m_corrects ? std::min(collective.complete, run.end) : run.start;
                const auto& moves = collective.received[run.worker];
                if (!moves.empty())
                {
                    run.start =
                        std::min(run.end, std::max(run.start, m_found.times[moves.back()].end));
                }
                const GlobalOp entry = collective.entries[run.worker];
                const GlobalOp op = AddRecord(run, JobOpKind::COLLECTIVE);
                PlacedStep& step = *m_found.FindStep(run.worker, run.step);
                step.first[run.op] = entry;
                step.last[run.op] = op;
                step.collectives.push_back(op);
                m_begun[{run.worker, run.step, run.op}] = {entry, op};
                if (!moves.empty())
                {
                    m_found.waits.emplace_back(moves.back(), op);
                }
                for (const auto& [worker, other] : collective.entries)
                {
                    if (m_corrects || worker == run.worker)
                    {
                        m_found.waits.emplace_back(other, op);
                    }
                }
            }
        }
    }

    /// Workers start collectives in one order, and have no more under way than a run shows at a
    /// time: one that is the first too many waits until as many as are needed have ended.
    void AddTurns()
    {
        std::map<uint32_t, std::vector<Begun>> all; // by worker
        for (const auto& record : m_run.ops)        // in the order in which they ended
        {
            const auto begun = m_begun.find({record.worker, record.step, record.op});
            if (m_lanes[record.lane].kind == LaneKind::COLLECTIVE && begun != m_begun.end())
            {
                all[record.worker].push_back(begun->second);
            }
        }
        for (auto& [worker, begun] : all)
        {
            std::stable_sort(begun.begin(), begun.end(), [this](const Begun& a, const Begun& b) {
                return m_found.times[a.entry].start < m_found.times[b.entry].start;
            });
            const std::size_t most = CountOpen(begun);
            std::vector<GlobalOp> ended; // results of those that began before, by time
            for (std::size_t i = 0; i < begun.size(); ++i)
            {
                if (i > 0)
                {
                    m_found.waits.emplace_back(begun[i - 1].entry, begun[i].entry);
                }
                if (i >= most)
                {
                    m_found.turns.emplace_back(ended[i - most], begun[i].entry);
                }
                ended.insert(FindEnded(ended, m_found.times[begun[i].result].end), begun[i].result);
            }
        }
    }

    /// @param ended results of collectives, by time @param time s @return the first one that came
    /// later
    std::vector<GlobalOp>::const_iterator FindEnded(const std::vector<GlobalOp>& ended,
                                                    double time) const
    {
        return std::upper_bound(
            ended.begin(),
            ended.end(),
            time,
            [this](double now, GlobalOp result) { return now < m_found.times[result].end; });
    }

    /// @param begun collectives of a worker @return how many were under way at most
    std::size_t CountOpen(const std::vector<Begun>& begun) const
    {
        std::size_t most = 1;
        std::vector<GlobalOp> ended;
        for (const auto& one : begun)
        {
            const double start = m_found.times[one.entry].start;
            const auto open = ended.cend() - FindEnded(ended, start + TRACE_ROUNDING);
            most = std::max<std::size_t>(most, 1 + open);
            ended.insert(FindEnded(ended, m_found.times[one.result].end), one.result);
        }
        return most;
    }

    const TraceJob& m_job;           //!< the job
    const RunTrace& m_run;           //!< of it
    bool m_corrects;                 //!< begins of what is received
    std::vector<Lane> m_lanes;       //!< by number
    std::vector<GlobalOp> m_ways;    //!< ops on wires
    std::vector<TracedOp> m_records; //!< by worker, step, op, parsing; then by time
    /// By worker, step and op: when a transfer could be sent, and when it was there.
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, std::pair<double, double>> m_arrivals;
    std::map<GlobalOp, double> m_firstChunks; //!< of transfers: when they could be sent
    std::map<std::pair<uint32_t, OpIndex>, Collective> m_collectives; //!< by step and op
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, Begun> m_begun; //!< by worker, step, op
    std::vector<TracedArrival> m_moves; //!< messages of collectives, as they came
    /// Bytes and number of the messages of a collective, by receiver, step and op.
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, std::pair<uint64_t, uint32_t>> m_moved;
    std::map<std::pair<uint32_t, OpIndex>, GlobalOp> m_updates; //!< last one by step and op
    RecordedOps m_found;                                        //!< under construction
};

} // namespace

RecordedOps
ListRecordedOps(const TraceJob& job,
                const RunTrace& run,
                ReceiveStarts starts,
                CollectiveDetail detail,
                WaitDetail waits)
{
    return OpLister(job, run, starts).List(detail, waits);
}

} // namespace ns3::dml
