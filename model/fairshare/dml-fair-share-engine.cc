/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-engine.h"

#include "dml-transfer-ends.h"
#include "dml-worker-windows.h"

#include "ns3/assert.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-repeatable-error.h"
#include "ns3/dml-transfer-joiner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// From here on the origin of times follows the clock.
constexpr auto FAR_INSTANT = static_cast<int64_t>(512 * INSTANTS_PER_SECOND);
/// How far rounding may put an end into the past: a nanosecond.
[[maybe_unused]] constexpr auto MOST_ROUNDING = static_cast<int64_t>(1e-9 * INSTANTS_PER_SECOND);
/// Seconds up to which a double tells instants apart.
constexpr double LAST_EXACT_SECONDS = 131072;

} // namespace

FairShareEngine::FairShareEngine(TrainingRun run, FairShareNetwork network, RunObserver* observer)
    : FairShareEngine(std::vector<TrainingRun>{std::move(run)}, std::move(network), observer)
{
}

FairShareEngine::FairShareEngine(std::vector<TrainingRun> jobs,
                                 FairShareNetwork network,
                                 RunObserver* observer)
    : m_network(std::move(network)),
      m_observer(observer),
      m_changesLeft(m_network.changes.size())
{
    PrepareFairShareNetwork(m_network);
    m_sharing = MakeBandwidthSharing(m_network, observer);
    MakeJobs(std::move(jobs), observer);
    MakeFlows();
    for (auto& job : m_jobs)
    {
        MakeDevices(job);
        MakeNegotiation(job);
    }
    for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
    {
        MakeExecutor(worker, 0);
    }
    for (auto& job : m_jobs)
    {
        MakeAggregators(job);
    }
    for (const auto& flow : m_network.background)
    {
        m_background.push_back({OnOffTimes(flow)});
    }
}

FairShareEngine::~FairShareEngine() = default;

bool
FairShareEngine::FollowClock(int64_t next)
{
    const double seconds = std::floor(static_cast<double>(next) / INSTANTS_PER_SECOND);
    if (m_origin + seconds >= LAST_INSTANT_SECONDS)
    {
        const TrainingRun& run = m_jobs.front().run;
        throw RepeatableError("the run has come to " + std::to_string(m_stepsDone) + " of " +
                              Plural(uint64_t{run.steps} * run.workers, "step") +
                              " after 10^8 simulated seconds, where a run ends");
    }
    if (m_order < m_moveAfter)
    {
        return false;
    }
    m_sharing->MoveOrigin(seconds);
    m_events.ChangeTimes([this, seconds](auto& event) {
        const bool coarse = m_origin + event.time > LAST_EXACT_SECONDS;
        event.time -= seconds;
        if (coarse && IsGiven(event.payload))
        {
            event.time = std::nearbyint(event.time * 1e9) / 1e9;
        }
    });
    m_origin += seconds;
    const auto instants = static_cast<int64_t>(seconds * INSTANTS_PER_SECOND);
    m_originInstant += instants;
    m_instant -= instants;
    m_now -= seconds;
    m_moveAfter = m_order + m_events.GetSize() + m_flows.size();
    return true;
}

void
FairShareEngine::Run(const std::function<void(double)>& progress)
{
    const TrainingRun& run = m_jobs.front().run;
    const uint64_t steps = static_cast<uint64_t>(run.steps) * run.workers;
    const uint64_t reportEvery = std::max<uint64_t>(1, steps / 100);
    uint64_t reportAt = reportEvery;
    ScheduleStarts();
    while (m_finished < run.workers && !m_stopped)
    {
        if (m_liveEvents + m_liveFlows == 0)
        {
            ThrowStalled();
        }
        const FlowEnd& end = m_sharing->GetNextEnd(GetHorizon());
        const bool flowFirst =
            m_events.IsEmpty() || end.instant < m_events.GetFirst().instant ||
            (end.instant == m_events.GetFirst().instant && end.order < m_events.GetFirst().order);
        if (flowFirst && end.time == std::numeric_limits<double>::infinity())
        {
            ThrowStalled();
        }
        const int64_t next = flowFirst ? end.instant : m_events.GetFirst().instant;
        if (next >= FAR_INSTANT && FollowClock(next))
        {
            continue;
        }
        NS_ASSERT_MSG(next >= m_instant - MOST_ROUNDING, "time went back");
        m_instant = next;
        flowFirst ? HandleFlowEnd(FlowEnd(end)) : HandleEvent(); // which changes what is the next
        if (progress && m_stepsDone >= reportAt)
        {
            progress(static_cast<double>(m_stepsDone) / steps);
            reportAt += reportEvery;
        }
    }
    m_sharing->Flush(m_now);
}

bool
FairShareEngine::IsGiven(const Pending& pending)
{
    switch (pending.kind)
    {
    case Pending::Kind::START:
    case Pending::Kind::CRASH:
    case Pending::Kind::REJOIN:
    case Pending::Kind::RESTORE:
    case Pending::Kind::CAPACITY:
        return true;
    default:
        return false;
    }
}

bool
FairShareEngine::IsOfFirstJob(const Pending& pending) const
{
    switch (pending.kind)
    {
    case Pending::Kind::BACKGROUND:
    case Pending::Kind::CAPACITY:
        return false;
    case Pending::Kind::START:
    case Pending::Kind::LATE:
    case Pending::Kind::CRASH:
    case Pending::Kind::REJOIN:
    case Pending::Kind::JOIN:
        return pending.op < m_jobs.front().run.workers;
    case Pending::Kind::RESTORE:
    case Pending::Kind::LAUNCH:
        return true;
    default:
        return m_runners[pending.owner].job == &m_jobs.front();
    }
}

void
FairShareEngine::Schedule(double time,
                          Pending::Kind kind,
                          uint32_t owner,
                          uint32_t op,
                          double start,
                          uint64_t rank)
{
    Pending pending{kind, false, owner, op, start};
    pending.live = IsOfFirstJob(pending);
    m_liveEvents += pending.live ? 1 : 0;
    m_events.Push(time, rank + m_order++, pending);
}

void
FairShareEngine::HandleEvent()
{
    const auto [time, pending] = m_events.Pop();
    m_now = std::max(m_now, time);
    m_liveEvents -= pending.live ? 1 : 0;
    const uint32_t op = pending.op;
    switch (pending.kind)
    {
    case Pending::Kind::TASK:
        ++m_chunks;
        NoteServed(pending.owner, op);
        m_runners[pending.owner].executor->TaskEnded({pending.owner, op}, pending.start);
        break;
    case Pending::Kind::NO_TIME:
        if (!m_runners[pending.owner].executor->IsAbandoned())
        {
            EndTurn(op);
        }
        break;
    case Pending::Kind::REQUESTED:
        if (!m_runners[pending.owner].executor->IsAbandoned())
        {
            HandleRequests(op);
        }
        break;
    case Pending::Kind::MOVE_WANTED:
        m_runners[pending.owner].executor->TransferRequested(op);
        break;
    case Pending::Kind::ANSWER:
        if (!m_runners[pending.owner].executor->IsAbandoned())
        {
            TakeAnswer(m_runners[pending.owner].worker);
        }
        break;
    case Pending::Kind::REPORT:
        if (!m_runners[pending.owner].executor->IsAbandoned())
        {
            TakeReport(m_runners[pending.owner].worker);
        }
        break;
    case Pending::Kind::BATCH:
        if (!m_runners[pending.owner].executor->IsAbandoned())
        {
            m_workers[m_runners[pending.owner].worker].loop.SetBatchSize(op);
        }
        break;
    case Pending::Kind::ARRIVAL:
        NoteServed(pending.owner, op);
        m_runners[pending.owner].executor->TransferArrived(op);
        break;
    case Pending::Kind::ACKNOWLEDGED:
        m_runners[pending.owner].executor->TransferAcknowledged(op);
        break;
    case Pending::Kind::MOVE:
        if (!m_runners[pending.owner].executor->IsAbandoned())
        {
            MoveSamples(m_runners[pending.owner].worker);
        }
        break;
    case Pending::Kind::WAKE_UP:
        m_runners[pending.owner].executor->TryNextTurn(m_flows[op].resource);
        break;
    case Pending::Kind::START:
        m_workers[op].loop.Start();
        break;
    case Pending::Kind::LATE:
        m_workers[op].loop.BeginLate(pending.owner);
        break;
    case Pending::Kind::CRASH:
        Crash(op, pending.start == std::numeric_limits<double>::infinity());
        break;
    case Pending::Kind::REJOIN:
        Rejoin(op);
        break;
    case Pending::Kind::JOIN:
        if (const Worker& state = m_workers[op];
            state.loop.IsReturning() && state.joinsAt == pending.start) // else it has died again
        {
            Join(op);
        }
        break;
    case Pending::Kind::RESTORE:
        m_jobs.front().sync->Restore();
        if (m_jobs.front().recorder)
        {
            m_jobs.front().recorder.Tell(ServerCrashRecord{time});
        }
        break;
    case Pending::Kind::LAUNCH:
        m_launcher->WakeUp(op);
        break;
    case Pending::Kind::BACKGROUND:
        TurnBackground(op);
        break;
    case Pending::Kind::CAPACITY:
        ChangeCapacity(m_network.changes[op]);
        break;
    case Pending::Kind::AGREE:
        if (Job& job = *m_workers[m_runners[pending.owner].worker].job;
            job.agreeAt == pending.start)
        {
            Agree(job);
        }
        break;
    case Pending::Kind::AGREED:
        StartAgreed(m_runners[pending.owner].worker);
        break;
    }
}

void
FairShareEngine::HandleFlowEnd(const FlowEnd& end)
{
    m_now = std::max(m_now, end.time);
    m_sharing->Finish();
    if (end.flow >= m_flows.size())
    {
        if (end.kind == FlowEnd::Kind::ACCEPTED)
        {
            return;
        }
        Background& background = m_background[end.flow - m_flows.size()];
        background.on = false;
        background.over = true;
        return;
    }
    FlowState& flow = m_flows[end.flow];
    if (end.kind != FlowEnd::Kind::ACCEPTED)
    {
        m_liveFlows -= flow.first && !flow.dead ? 1 : 0;
    }
    if (end.kind != FlowEnd::Kind::ARRIVED)
    {
        flow.active = false;
        end.kind == FlowEnd::Kind::ACCEPTED ? AcceptTurn(end.flow) : EndTurn(end.flow);
        return;
    }
    const Arrival arrival = m_arrivals[end.flow].front();
    m_arrivals[end.flow].pop_front();
    if (arrival.completes)
    {
        Arrive(arrival, flow.returnDelay);
    }
}

double
FairShareEngine::GetHorizon()
{
    return m_events.IsEmpty() ? std::numeric_limits<double>::infinity() : m_events.GetFirstTime();
}

std::size_t
FairShareEngine::CountTurns(FlowId flow) const
{
    return (m_flows[flow].active ? 1 : 0) + (m_arrivals.empty() ? 0 : m_arrivals[flow].size());
}

FairShareEngine::Arrival
FairShareEngine::MakeArrival(const StepExecutor& sender,
                             uint32_t resource,
                             OpIndex op,
                             OpIndex counterpart) const
{
    const uint32_t number = sender.GetNumber();
    Arrival arrival{false, sender.WantsAcknowledgements(resource), number, op, number, op};
    if (counterpart != NO_INDEX)
    {
        const Peer& to = sender.GetPlan().resources[resource].to;
        arrival.receiver = GetPeer(sender, to).GetNumber();
        arrival.op = counterpart;
    }
    return arrival;
}

void
FairShareEngine::AcceptTurn(FlowId id)
{
    ++m_chunks;
    const FlowState& flow = m_flows[id];
    StepExecutor& executor = *flow.executor;
    const OpIndex op = executor.GetOpenTransfer(flow.resource);
    const OpIndex counterpart = FindTransferEnds(executor, op).counterpart;
    m_arrivals.resize(m_flows.size());
    m_arrivals[id].push_back(MakeArrival(executor, flow.resource, op, counterpart));
    const std::size_t place = m_arrivals[id].size() - 1;
    // which may begin the next turn
    m_arrivals[id][place].completes = executor.TurnEnded(flow.resource, false);
}

void
FairShareEngine::Arrive(const Arrival& arrival, double returnDelay)
{
    if (arrival.acknowledged)
    {
        Schedule(m_now + returnDelay, Pending::Kind::ACKNOWLEDGED, arrival.sender, arrival.sent);
    }
    NoteServed(arrival.receiver, arrival.op);
    m_runners[arrival.receiver].executor->TransferArrived(arrival.op);
}

void
FairShareEngine::EndTurn(FlowId id)
{
    ++m_chunks;
    const FlowState& flow = m_flows[id];
    StepExecutor& executor = *flow.executor;
    const OpIndex op = executor.GetOpenTransfer(flow.resource);
    const OpIndex counterpart = FindTransferEnds(executor, op).counterpart;
    if (!executor.TurnEnded(flow.resource, flow.delay == 0 && counterpart == NO_INDEX))
    {
        return;
    }
    const Arrival arrival = MakeArrival(executor, flow.resource, op, counterpart);
    if (counterpart != NO_INDEX || flow.delay > 0)
    {
        Schedule(m_now + flow.delay, Pending::Kind::ARRIVAL, arrival.receiver, arrival.op);
    }
    if (arrival.acknowledged)
    {
        Schedule(m_now + flow.delay + flow.returnDelay,
                 Pending::Kind::ACKNOWLEDGED,
                 arrival.sender,
                 arrival.sent);
    }
}

StepExecutor&
FairShareEngine::GetPeer(const StepExecutor& executor, const Peer& peer) const
{
    const Job& job = *m_runners[executor.GetNumber()].job;
    const Endpoint endpoint = peer.Resolve(executor.GetWorker(), job.run.workers);
    return endpoint.role == Role::AGGREGATOR
               ? *job.aggregators[endpoint.index]
               : *m_workers[job.firstWorker + endpoint.index].executor;
}

FlowId
FairShareEngine::GetFlow(const StepExecutor& executor, uint32_t resource) const
{
    const Runner& runner = m_runners[executor.GetNumber()];
    return runner.firstFlow + (*runner.flowOf)[resource];
}

void
FairShareEngine::WakeUp(StepExecutor& executor, uint32_t resource, double delay)
{
    Schedule(m_now + delay,
             Pending::Kind::WAKE_UP,
             executor.GetNumber(),
             GetFlow(executor, resource));
}

void
FairShareEngine::StartTask(DeviceQueue& queue, const ComputeTask& task)
{
    const double now = GetNow();
    const double seconds = queue.GetDuration(now, task);
    if (now + seconds < LAST_INSTANT_SECONDS)
    {
        Schedule(m_now + seconds, Pending::Kind::TASK, task.owner, task.op, now);
        return;
    }
    const Runner& runner = m_runners[task.owner];
    if (!WillCrash(runner.worker)) // which would end the op
    {
        const bool first = m_workers[runner.worker].job == &m_jobs.front();
        throw RepeatableError((first ? "" : "another job: ") +
                              runner.executor->DescribeEndlessOp(task, now));
    }
}

bool
FairShareEngine::WillCrash(uint32_t worker) const
{
    const Worker& state = m_workers[worker];
    const auto& crashes = state.job->run.crashes;
    return std::any_of(crashes.begin(), crashes.end(), [&](const WorkerCrash& crash) {
        return crash.worker + state.job->firstWorker == worker && crash.at > GetNow();
    });
}

void
FairShareEngine::StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn)
{
    const FlowId id = GetFlow(executor, resource);
    FlowState& flow = m_flows[id];
    m_bytes += turn.bytes;
    if (flow.local || turn.bytes == 0)
    {
        Schedule(m_now, Pending::Kind::NO_TIME, executor.GetNumber(), id);
        return;
    }
    flow.active = true;
    m_liveFlows += flow.first && !flow.dead ? 1 : 0;
    m_sharing->Start(id, turn.bytes, m_order++, m_now);
}

void
FairShareEngine::ThrowStalled() const
{
    std::vector<std::string> lines;
    for (uint32_t i = 0; i < m_jobs.front().run.workers; ++i)
    {
        const StepExecutor& executor = *m_workers[i].executor;
        for (const auto& op : executor.GetBlockedOps())
        {
            lines.push_back("worker " + std::to_string(executor.GetWorker()) + ": " + op);
        }
    }
    for (const auto* const aggregator : m_jobs.front().aggregators)
    {
        const uint32_t index = aggregator->GetWorker() - m_jobs.front().run.workers;
        for (const auto& op : aggregator->GetBlockedOps())
        {
            lines.push_back("aggregator " + std::to_string(index) + ": " + op);
        }
    }
    throw RepeatableError(MakeStallReport(GetNow(), lines));
}

} // namespace ns3::dml
