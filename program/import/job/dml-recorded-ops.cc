/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-recorded-ops.h"

#include "ns3/dml-op.h"

#include <algorithm>
#include <charconv>
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
        const LaneKind kind = begins("collectives")                  ? LaneKind::COLLECTIVE
                              : begins("peer ") || begins("reducer") ? LaneKind::PART
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

    RecordedOps List(CollectiveDetail detail)
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
        JoinUpdates();
        if (m_corrects && detail == CollectiveDetail::MOVES)
        {
            ListMoves();
        }
        AddCollectives();
        return std::move(m_found);
    }

  private:
    using RecordIterator = std::vector<TracedOp>::const_iterator;

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
            m_arrivals[{arrival.worker, arrival.step, arrival.op}] = arrival.time;
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
                m_collectives[{step.record.step, op}].push_back(*begin);
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
        if (arrival != m_arrivals.end() && arrival->second > sent)
        {
            JobOp way = m_found.ops[last];
            way.bytes = 0;
            way.device = m_lanes[way.device].wire;
            // of a row that is called something else it is not known which channel it is
            const bool known = way.device != JobOp::NO_DEVICE;
            follow(m_found.Add(way, {sent, arrival->second}, !m_corrects || !known));
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

    /// The messages of each collective, in the order in which they came.
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
            if (m_lanes[arrival.lane].sender)
            {
                m_moves[{arrival.step, arrival.op}].push_back(arrival);
                ++m_moved[{arrival.worker, arrival.step, arrival.op}].second;
            }
        }
        for (auto& [key, moves] : m_moves)
        {
            std::sort(moves.begin(),
                      moves.end(),
                      [](const TracedArrival& a, const TracedArrival& b) {
                          return std::tie(a.time, a.worker, a.lane) <
                                 std::tie(b.time, b.worker, b.lane);
                      });
        }
    }

    /// @param entered of a collective: its entries @return what each worker received, in order
    std::map<uint32_t, std::vector<GlobalOp>> AddMoves(uint32_t step,
                                                       OpIndex op,
                                                       const std::vector<GlobalOp>& entered)
    {
        std::map<uint32_t, GlobalOp> entries; // by worker
        for (const GlobalOp entry : entered)
        {
            entries[m_found.ops[entry].worker] = entry;
        }
        std::map<uint32_t, std::vector<GlobalOp>> received; // by worker, in order
        std::map<uint32_t, GlobalOp> sentBefore;            // by lane
        for (const auto& move : m_moves[{step, op}])
        {
            const uint32_t sender = *m_lanes[move.lane].sender;
            const auto& [bytes, count] = m_moved.at({move.worker, step, op});
            double& free = m_lanes[move.lane].free;
            const double start = std::min(move.time, std::max(move.ready, free));
            free = move.time;
            const GlobalOp sent =
                m_found.Add({JobOpKind::MOVE, op, move.worker, step, bytes / count, move.lane},
                            {start, move.time},
                            false);
            const auto [previous, isFirst] = sentBefore.emplace(move.lane, sent);
            if (!isFirst)
            {
                m_found.waits.emplace_back(previous->second, sent);
                previous->second = sent;
            }
            for (const uint32_t worker : {sender, move.worker})
            {
                if (entries.count(worker) > 0)
                {
                    m_found.waits.emplace_back(entries[worker], sent);
                }
                // the message that let its sender go on; or at once, as its receiver then asked for
                // it
                const auto& before = received[worker];
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
            received[move.worker].push_back(sent);
        }
        return received;
    }

    void AddCollectives()
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
                    run.start =
                        std::min(run.end, std::max(run.start, m_found.times[moves.back()].end));
                }
                const GlobalOp op = AddRecord(run, JobOpKind::COLLECTIVE);
                PlacedStep& step = *m_found.FindStep(run.worker, run.step);
                step.first[run.op] = entered[i];
                step.last[run.op] = op;
                step.collectives.push_back(op);
                if (!moves.empty())
                {
                    m_found.waits.emplace_back(moves.back(), op);
                }
                for (std::size_t other = 0; other < entered.size(); ++other)
                {
                    if (m_corrects || other == i)
                    {
                        m_found.waits.emplace_back(entered[other], op);
                    }
                }
            }
        }
    }

    const TraceJob& m_job;           //!< the job
    const RunTrace& m_run;           //!< of it
    bool m_corrects;                 //!< begins of what is received
    std::vector<Lane> m_lanes;       //!< by number
    std::vector<GlobalOp> m_ways;    //!< ops on wires
    std::vector<TracedOp> m_records; //!< by worker, step, op, parsing; then by time
    std::map<std::tuple<uint32_t, uint32_t, OpIndex>, double> m_arrivals; //!< by worker, step, op
    std::map<std::pair<uint32_t, OpIndex>, std::vector<TracedOp>> m_collectives; //!< by step and op
    std::map<std::pair<uint32_t, OpIndex>, std::vector<TracedArrival>> m_moves;  //!< likewise
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
                CollectiveDetail detail)
{
    return OpLister(job, run, starts).List(detail);
}

} // namespace ns3::dml
