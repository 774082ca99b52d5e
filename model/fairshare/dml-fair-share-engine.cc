/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-engine.h"

#include "dml-equal-sharing.h"
#include "dml-max-min-sharing.h"

#include "ns3/dml-error.h"
#include "ns3/dml-instant.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace dml
{

/// One per worker if connections differ: a transfer's window is that of its connection.
class FairShareEngine::WorkerWindows : public WindowView
{
  public:
    WorkerWindows(const TrainingRun& run, uint32_t worker)
        : m_run(run),
          m_plan(*run.plan),
          m_worker(worker)
    {
        BeginStep(0);
    }

    /// @param step that begins
    void BeginStep(uint32_t step)
    {
        m_models.clear();
        for (const auto& resource : m_plan.resources)
        {
            const bool downlink = resource.kind == ResourceKind::DOWNLINK;
            const bool link = downlink || resource.kind == ResourceKind::UPLINK;
            m_models.emplace_back(
                m_run.windowRule,
                link ? m_run.windows.Get(m_worker, resource.index, downlink, step) : m_run.window,
                m_run.lookahead);
        }
    }

    uint64_t GetWindow(OpIndex transfer, uint32_t turns) const override
    {
        return m_models[m_plan.ops[transfer].resource].GetWindow(transfer, turns);
    }

  private:
    const TrainingRun& m_run;                //!< has the windows
    const StepPlan& m_plan;                  //!< whose transfers
    uint32_t m_worker;                       //!< whose windows
    std::vector<StreamWindowModel> m_models; //!< by resource
};

FairShareEngine::FairShareEngine(TrainingRun run,
                                 const FairShareNetwork& network,
                                 RunObserver* observer)
    : m_run(std::move(run)),
      m_network(network),
      m_observer(observer),
      m_windows(m_run.windowRule, m_run.window, m_run.lookahead)
{
    const uint32_t servers = m_run.plan->servers;
    if (network.rule == FairShareNetwork::Rule::EQUAL)
    {
        m_sharing = std::make_unique<EqualSharing>(servers, network.serverRate, observer);
    }
    else
    {
        m_sharing = std::make_unique<MaxMinSharing>(m_run.workers,
                                                    servers,
                                                    network.workerRate,
                                                    network.serverRate,
                                                    observer);
    }
    MakeDevices();
    m_workers.resize(m_run.workers);
    for (uint32_t worker = 0; worker < m_run.workers; ++worker)
    {
        MakeWorker(worker);
    }
}

FairShareEngine::~FairShareEngine() = default;

void
FairShareEngine::MakeDevices()
{
    m_sharedDevices.assign(m_run.plan->resources.size(), nullptr);
    for (std::size_t i = 0; m_run.serverCores > 0 && i < m_sharedDevices.size(); ++i)
    {
        if (m_run.plan->resources[i].kind == ResourceKind::SERVER)
        {
            m_devices.push_back(std::make_unique<DeviceQueue>(m_run.serverCores));
            m_sharedDevices[i] = m_devices.back().get();
        }
    }
}

void
FairShareEngine::MakeWorker(uint32_t worker)
{
    const StepPlan& plan = *m_run.plan;
    std::vector<DeviceQueue*> devices(m_sharedDevices);
    std::vector<Ptr<TransferPolicy>> policies(plan.resources.size());
    for (std::size_t i = 0; i < plan.resources.size(); ++i)
    {
        const auto& resource = plan.resources[i];
        if (resource.kind == ResourceKind::DOWNLINK || resource.kind == ResourceKind::UPLINK)
        {
            policies[i] = m_run.policy.Create<TransferPolicy>();
        }
        else if (!devices[i])
        {
            m_devices.push_back(std::make_unique<DeviceQueue>(resource.slots));
            devices[i] = m_devices.back().get();
        }
    }
    const WindowView* windows = &m_windows;
    if (!m_run.windows.IsEmpty())
    {
        m_workerWindows.push_back(std::make_unique<WorkerWindows>(m_run, worker));
        windows = m_workerWindows.back().get();
    }
    StepHost& host = *this; // the base is private, so only a member can convert
    m_workers[worker].executor = std::make_unique<StepExecutor>(worker,
                                                                worker,
                                                                plan,
                                                                std::move(devices),
                                                                std::move(policies),
                                                                *windows,
                                                                host,
                                                                m_observer);
}

void
FairShareEngine::Run(const std::function<void(double)>& progress)
{
    const uint64_t steps = static_cast<uint64_t>(m_run.steps) * m_run.workers;
    const uint64_t reportEvery = std::max<uint64_t>(1, steps / 100);
    uint64_t reportAt = reportEvery;
    for (uint32_t worker = 0; worker < m_run.workers; ++worker)
    {
        Pending start{Pending::Kind::START, nullptr, {}, 0};
        start.task.owner = worker;
        Schedule(m_run.startOffsets[worker], start);
    }
    while (m_stepsDone < steps)
    {
        const FlowEnd end = m_sharing->GetNextEnd();
        const bool flowFirst =
            m_events.empty() || end.instant < m_events.front().instant ||
            (end.instant == m_events.front().instant && end.order < m_events.front().order);
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
FairShareEngine::Schedule(double time, const Pending& pending)
{
    uint32_t slot = m_pending.size();
    if (m_freePending.empty())
    {
        m_pending.push_back(pending);
    }
    else
    {
        slot = m_freePending.back();
        m_freePending.pop_back();
        m_pending[slot] = pending;
    }
    m_events.push_back({InstantOf(time), m_order++, time, slot});
    std::push_heap(m_events.begin(), m_events.end());
}

void
FairShareEngine::HandleEvent()
{
    std::pop_heap(m_events.begin(), m_events.end());
    const Event event = m_events.back();
    m_events.pop_back();
    const Pending pending = m_pending[event.payload];
    m_freePending.push_back(event.payload);
    m_now = std::max(m_now, event.time);

    StepExecutor& executor = *m_workers[pending.task.owner].executor;
    switch (pending.kind)
    {
    case Pending::Kind::TASK:
        ++m_chunks;
        executor.TaskEnded(pending.task, pending.start);
        if (const auto next = pending.queue->Finish())
        {
            StartTask(*pending.queue, *next);
        }
        break;
    case Pending::Kind::ARRIVAL:
        executor.TransferArrived(pending.task.op);
        break;
    case Pending::Kind::START:
        BeginStep(pending.task.owner);
        break;
    }
}

void
FairShareEngine::HandleFlowEnd(const FlowEnd& end)
{
    m_now = std::max(m_now, end.time);
    m_sharing->Finish();
    ++m_chunks;
    StepExecutor& executor = *m_workers[end.flow.worker].executor;
    const StepPlan& plan = *m_run.plan;
    const uint32_t link = end.flow.direction == Direction::DOWNLINK
                              ? plan.GetDownlink(end.flow.server)
                              : plan.GetUplink(end.flow.server);
    if (m_network.oneWayDelay == 0)
    {
        executor.TurnEnded(link);
        return;
    }
    const OpIndex op = executor.GetOpenTransfer(link);
    if (executor.TurnEnded(link, false))
    {
        Pending arrival{Pending::Kind::ARRIVAL, nullptr, {}, 0};
        arrival.task.owner = end.flow.worker;
        arrival.task.op = op;
        Schedule(m_now + m_network.oneWayDelay, arrival);
    }
}

void
FairShareEngine::StartTask(DeviceQueue& queue, const ComputeTask& task)
{
    Schedule(m_now + task.seconds, {Pending::Kind::TASK, &queue, task, m_now});
}

void
FairShareEngine::StartTurn(StepExecutor& executor, uint32_t resource, const Turn& turn)
{
    const auto& link = m_run.plan->resources[resource];
    const Direction direction =
        link.kind == ResourceKind::DOWNLINK ? Direction::DOWNLINK : Direction::UPLINK;
    m_bytes += turn.bytes;
    m_sharing->Start({executor.GetNumber(), link.index, direction}, turn.bytes, m_order++, m_now);
}

void
FairShareEngine::RequestTransfer([[maybe_unused]] StepExecutor& executor,
                                 [[maybe_unused]] OpIndex op)
{
    // a plan of the whole cluster has no transfers from elsewhere
}

void
FairShareEngine::BeginStep(uint32_t worker)
{
    Worker& state = m_workers[worker];
    state.stepStart = m_now;
    if (!m_workerWindows.empty())
    {
        m_workerWindows[worker]->BeginStep(state.done);
    }
    state.executor->BeginStep(state.done, m_run.samplers[worker].Next());
}

void
FairShareEngine::StepCompleted(StepExecutor& executor)
{
    const uint32_t worker = executor.GetNumber();
    Worker& state = m_workers[worker];
    if (m_observer)
    {
        m_observer->StepEnded({worker, state.done, executor.GetSample(), state.stepStart, m_now});
    }
    ++state.done;
    ++m_stepsDone;
    if (state.done < m_run.steps)
    {
        BeginStep(worker);
    }
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
    for (const auto& worker : m_workers)
    {
        for (const auto& op : worker.executor->GetBlockedOps())
        {
            lines.push_back("worker " + std::to_string(worker.executor->GetWorker()) + ": " + op);
        }
    }
    throw RunError(MakeStallReport(m_now, lines));
}

} // namespace dml
} // namespace ns3
