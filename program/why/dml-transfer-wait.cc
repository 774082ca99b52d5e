/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-transfer-wait.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

namespace ns3::dml
{

namespace
{

/// @return by device: what all share that go the same way to or from the same server
std::vector<std::string>
ListRoles(const RecordedJob& job)
{
    std::vector<std::string> roles;
    for (const auto& device : job.graph.devices)
    {
        roles.push_back(GetDeviceRole(device));
    }
    return roles;
}

/// How many ops are under way, over time.
class LoadCurve
{
  public:
    void Add(double start, double end)
    {
        m_changes.emplace_back(start, 1);
        m_changes.emplace_back(end, -1);
    }

    /// No more Add() after this.
    void Finish()
    {
        std::sort(m_changes.begin(), m_changes.end());
        double load = 0;
        double integral = 0;
        double at = m_changes.empty() ? 0 : m_changes.front().first;
        for (const auto& [time, change] : m_changes)
        {
            integral += load * (time - at);
            at = time;
            load += change;
            m_points.push_back({time, integral, load});
        }
    }

    /// @return integral of the number over time
    double Integrate(double start, double end) const
    {
        return Integrate(end) - Integrate(start);
    }

  private:
    /// From a time on.
    struct Point
    {
        double time;     //!< s
        double integral; //!< until then
        double load;     //!< number from then on
    };

    double Integrate(double time) const
    {
        const auto after =
            std::upper_bound(m_points.begin(),
                             m_points.end(),
                             time,
                             [](double t, const Point& point) { return t < point.time; });
        if (after == m_points.begin())
        {
            return 0;
        }
        const Point& point = *std::prev(after);
        return point.integral + point.load * (time - point.time);
    }

    std::vector<std::pair<double, int>> m_changes; //!< starts and ends
    std::vector<Point> m_points;                   //!< in order of time
};

/// A transfer in one step: what is handed over, and its way.
struct Passage
{
    double ready{std::numeric_limits<double>::infinity()}; //!< it could be sent
    double handedOver{0};                                  //!< end of the last chunk
    double end{0};                                         //!< it is there
    double sending{0};                                     //!< duration of its chunks
    uint32_t channel{JobOp::NO_DEVICE};                    //!< device of its chunks
};

/// @return seconds that an op and a stretch of time share
double
GetOverlap(const ReplayedOp& ran, double start, double end)
{
    return std::max(0.0, std::min(ran.end, end) - std::max(ran.start, start));
}

/// @return kind of the transfer that an op belongs to
JobOpKind
GetTransferKind(const JobOp& op)
{
    return op.kind == JobOpKind::MOVE ? JobOpKind::COLLECTIVE : op.kind;
}

/// @return the passages of a transfer by worker and step, but those of the first step
std::map<std::pair<uint32_t, uint32_t>, Passage>
FindPassages(const RecordedJob& job, const TransferKey& key)
{
    std::map<std::pair<uint32_t, uint32_t>, Passage> passages;
    for (const GlobalOp op : job.execution.order)
    {
        const JobOp& known = job.graph.ops[op];
        if (GetTransferKind(known) != key.second || known.step == 0 ||
            job.graph.names[known.name] != key.first)
        {
            continue;
        }
        Passage& passage = passages[{known.worker, known.step}];
        const auto& ran = job.execution.ops[op];
        passage.ready =
            std::min(passage.ready, ran.released == NO_GLOBAL_OP ? ran.start : ran.ready);
        passage.end = std::max(passage.end, ran.end);
        if (known.device != JobOp::NO_DEVICE && !IsWire(job.graph.devices[known.device]))
        {
            passage.handedOver = std::max(passage.handedOver, ran.end);
            passage.sending += ran.end - ran.start;
            passage.channel = known.device;
        }
    }
    return passages;
}

} // namespace

std::map<TransferKey, TransferWait>
MeasureTransfers(const RecordedJob& job)
{
    const auto roles = ListRoles(job);
    std::map<std::string, LoadCurve> curves;

    // a transfer's chunks and its way are several ops: from the first one's cause to the last one's
    // end
    struct Span
    {
        double start;
        double end;
        std::string role;
    };

    std::map<std::tuple<uint32_t, uint32_t, JobOpKind, uint32_t>, Span> spans;
    for (GlobalOp op = 0; op < job.graph.ops.size(); ++op)
    {
        const JobOp& known = job.graph.ops[op];
        if (!IsSent(known.kind) || known.step == 0)
        {
            continue;
        }
        const auto& ran = job.execution.ops[op];
        const double ready = ran.released == NO_GLOBAL_OP ? ran.start : ran.ready;
        const auto [span, added] = spans.emplace(
            std::make_tuple(known.worker, known.step, GetTransferKind(known), known.name),
            Span{ready, ran.end, known.device == JobOp::NO_DEVICE ? "" : roles[known.device]});
        span->second.start = std::min(span->second.start, ready);
        span->second.end = std::max(span->second.end, ran.end);
        curves[span->second.role].Add(ran.start, ran.end);
    }
    for (auto& [role, curve] : curves)
    {
        curve.Finish();
    }
    std::map<TransferKey, TransferWait> transfers;
    for (const auto& [key, span] : spans)
    {
        const auto& [worker, step, kind, name] = key;
        TransferWait& times = transfers[{job.graph.names[name], kind}];
        times.seconds += span.end - span.start;
        times.others += curves.at(span.role).Integrate(span.start, span.end);
        ++times.count;
    }
    return transfers;
}

TransferState
MeasureState(const RecordedJob& job, const TransferKey& key)
{
    TransferState state;
    const auto roles = ListRoles(job);
    const auto passages = FindPassages(job, key);
    std::map<std::pair<std::string, bool>, double> ahead; // by name and whether it is its worker's
    double seconds = 0;
    for (const auto& [step, passage] : passages)
    {
        if (passage.channel == JobOp::NO_DEVICE)
        {
            continue;
        }
        const std::string& role = roles[passage.channel];
        const double handedOver = std::max(passage.ready, passage.handedOver);
        double queued = 0;
        for (const GlobalOp op : job.execution.order)
        {
            const JobOp& known = job.graph.ops[op];
            const auto& ran = job.execution.ops[op];
            if (ran.start >= passage.end)
            {
                break;
            }
            if (!IsSent(known.kind) || ran.end <= passage.ready ||
                known.device == JobOp::NO_DEVICE || roles[known.device] != role)
            {
                continue;
            }
            const std::string& name = job.graph.names[known.name];
            if (name == key.first)
            {
                continue;
            }
            // what it queues behind, and then what is ahead of it on the link
            const bool same = known.device == passage.channel;
            const double before = same ? GetOverlap(ran, passage.ready, handedOver) : 0;
            queued += before;
            if (ran.end <= passage.end)
            {
                ahead[{name, known.worker == step.first}] +=
                    same ? before : GetOverlap(ran, handedOver, passage.end);
            }
        }
        const double waited = handedOver - passage.ready - passage.sending;
        queued = std::min(queued, std::max(0.0, waited));
        state.queued += queued / passages.size();
        state.sending += passage.sending / passages.size();
        state.held += std::max(0.0, waited - queued) / passages.size();
        state.onItsWay += (passage.end - handedOver) / passages.size();
        seconds += passage.end - passage.ready;
    }
    double most = 0;
    for (const auto& [which, overlap] : ahead)
    {
        if (overlap > most)
        {
            most = overlap;
            std::tie(state.ahead, state.aheadIsOwn) = which;
            state.aheadCount = overlap / seconds;
        }
    }
    return state;
}

} // namespace ns3::dml
