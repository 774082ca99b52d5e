/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-engine.h"

#include "dml-worker-windows.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{
namespace dml
{

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
    }
    for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
    {
        MakeExecutor(worker);
    }
    for (const auto& flow : m_network.background)
    {
        m_background.push_back({OnOffTimes(flow)});
    }
}

FairShareEngine::~FairShareEngine() = default;

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
        const FlowEnd end = m_sharing->GetNextEnd();
        const bool flowFirst =
            m_events.IsEmpty() || end.instant < m_events.GetFirst().instant ||
            (end.instant == m_events.GetFirst().instant && end.order < m_events.GetFirst().order);
        if (!flowFirst)
        {
            HandleEvent();
        }
        else if (end.time < std::numeric_limits<double>::infinity())
        {
            HandleFlowEnd(end);
        }
        else
        {
            ThrowStalled();
        }
        if (m_now > LAST_INSTANT_SECONDS)
        {
            throw RunError("the run has come to " + std::to_string(m_stepsDone) + " of " +
                           std::to_string(steps) +
                           " steps after 10^8 simulated seconds, where the fair-share engine ends");
        }
        if (progress && m_stepsDone >= reportAt)
        {
            progress(static_cast<double>(m_stepsDone) / steps);
            reportAt += reportEvery;
        }
    }
    m_sharing->Flush(m_now);
}

void
FairShareEngine::StopWhen(std::function<bool()> rule)
{
    m_stopRule = std::move(rule);
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
    case Pending::Kind::CRASH:
    case Pending::Kind::REJOIN:
        return pending.task.op < m_jobs.front().run.workers;
    default:
        return m_runners[pending.task.owner].worker < m_jobs.front().run.workers;
    }
}

void
FairShareEngine::Schedule(double time, const Pending& pending)
{
    m_liveEvents += IsOfFirstJob(pending) ? 1 : 0;
    m_events.Push(time, m_order++, pending);
}

void
FairShareEngine::HandleEvent()
{
    m_now = std::max(m_now, m_events.GetFirst().time);
    const Pending pending = m_events.Pop();
    m_liveEvents -= IsOfFirstJob(pending) ? 1 : 0;
    const ComputeTask& task = pending.task;
    const auto executor = [this, &task]() -> StepExecutor& {
        return *m_runners[task.owner].executor;
    };
    switch (pending.kind)
    {
    case Pending::Kind::TASK:
        ++m_chunks;
        executor().TaskEnded(task, pending.start);
        if (const auto next = pending.queue->Finish())
        {
            StartTask(*pending.queue, *next);
        }
        break;
    case Pending::Kind::NO_TIME:
        if (!executor().IsAbandoned())
        {
            EndTurn(task.op);
        }
        break;
    case Pending::Kind::ARRIVAL:
        executor().TransferArrived(task.op);
        break;
    case Pending::Kind::ACKNOWLEDGED:
        executor().TransferAcknowledged(task.op);
        break;
    case Pending::Kind::MOVE:
        if (!executor().IsAbandoned())
        {
            MoveSamples(m_runners[task.owner].worker);
        }
        break;
    case Pending::Kind::WAKE_UP:
        executor().TryNextTurn(m_flows[task.op].resource);
        break;
    case Pending::Kind::START:
        Start(task.op);
        break;
    case Pending::Kind::CRASH:
        Crash(task.op, pending.start == std::numeric_limits<double>::infinity());
        break;
    case Pending::Kind::REJOIN:
        Rejoin(task.op);
        break;
    case Pending::Kind::BACKGROUND:
        TurnBackground(task.op);
        break;
    case Pending::Kind::CAPACITY:
        ChangeCapacity(m_network.changes[task.op]);
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
        Background& background = m_background[end.flow - m_flows.size()];
        background.on = false;
        background.over = true;
        return;
    }
    FlowState& flow = m_flows[end.flow];
    flow.active = false;
    m_liveFlows -= flow.worker < m_jobs.front().run.workers && !flow.dead ? 1 : 0;
    EndTurn(end.flow);
}

void
FairShareEngine::EndTurn(FlowId id)
{
    ++m_chunks;
    const FlowState& flow = m_flows[id];
    StepExecutor& executor = *m_workers[flow.worker].executor;
    const double delay = m_network.links.flows[id].delay;
    const OpIndex op = executor.GetOpenTransfer(flow.resource);
    if (!executor.TurnEnded(flow.resource, delay == 0))
    {
        return;
    }
    Pending arrival{Pending::Kind::ARRIVAL, nullptr, {}, 0};
    arrival.task.owner = executor.GetNumber();
    arrival.task.op = op;
    if (delay > 0)
    {
        Schedule(m_now + delay, arrival);
    }
    if (executor.WantsAcknowledgements(flow.resource))
    {
        arrival.kind = Pending::Kind::ACKNOWLEDGED;
        Schedule(m_now + 2 * delay, arrival);
    }
}

const FairShareEngine::Worker&
FairShareEngine::GetWorker(const StepExecutor& executor) const
{
    return m_workers[m_runners[executor.GetNumber()].worker];
}

FlowId
FairShareEngine::GetFlow(const StepExecutor& executor, uint32_t resource) const
{
    const Worker& worker = GetWorker(executor);
    const auto& link = worker.job->run.plan->resources[resource];
    return worker.firstFlow + 2 * link.index + (link.kind == ResourceKind::DOWNLINK ? 0 : 1);
}

void
FairShareEngine::WakeUp(StepExecutor& executor, uint32_t resource, double delay)
{
    Pending wake{Pending::Kind::WAKE_UP, nullptr, {}, 0};
    wake.task.owner = executor.GetNumber();
    wake.task.op = GetFlow(executor, resource);
    Schedule(m_now + delay, wake);
}

void
FairShareEngine::StartTask(DeviceQueue& queue, const ComputeTask& task)
{
    Schedule(m_now + queue.GetDuration(m_now, task), {Pending::Kind::TASK, &queue, task, m_now});
}

void
FairShareEngine::StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn)
{
    const Worker& worker = GetWorker(executor);
    const FlowId id = GetFlow(executor, resource);
    FlowState& flow = m_flows[id];
    m_bytes += turn.bytes;
    if (flow.local || turn.bytes == 0)
    {
        Pending end{Pending::Kind::NO_TIME, nullptr, {}, 0};
        end.task.owner = executor.GetNumber();
        end.task.op = id;
        Schedule(m_now, end);
        return;
    }
    flow.active = true;
    m_liveFlows += worker.job == &m_jobs.front() && !flow.dead ? 1 : 0;
    m_sharing->Start(id, turn.bytes, m_order++, m_now);
}

void
FairShareEngine::RequestTransfer([[maybe_unused]] StepExecutor& executor,
                                 [[maybe_unused]] OpIndex op)
{
    // a plan of the whole cluster has no transfers from elsewhere
}

uint64_t
FairShareEngine::GetCompletedChunks() const
{
    return m_chunks;
}

uint64_t
FairShareEngine::GetServedBytes() const
{
    return m_bytes;
}

double
FairShareEngine::GetNow() const
{
    return m_now;
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
    throw RunError(MakeStallReport(m_now, lines));
}

} // namespace dml
} // namespace ns3
