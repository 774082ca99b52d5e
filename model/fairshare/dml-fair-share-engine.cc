/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-fair-share-engine.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Steps without duration that a job which repeats them may do in a row.
constexpr uint32_t MOST_HOLLOW_STEPS = 1000;

/// Rank of what comes after everything else of its instant: a link that goes down then must not
/// keep what rounding has left of a flow that ends.
constexpr uint64_t AFTER_ALL = uint64_t{1} << 63;

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

/// A worker's view where connections differ: a transfer's window is that of its connection.
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

FairShareEngine::~FairShareEngine() = default;

void
FairShareEngine::MakeJobs(std::vector<TrainingRun> jobs, RunObserver* observer)
{
    std::vector<JobShape> shapes;
    uint32_t servers = 0;
    FlowId flow = 0;
    for (auto& run : jobs)
    {
        const StreamWindowModel windows(run.windowRule, run.window, run.lookahead);
        const auto firstWorker = static_cast<uint32_t>(m_workers.size());
        m_jobs.push_back(
            {std::move(run), windows, JobObserver(firstWorker, servers, observer), firstWorker});
        Job& job = m_jobs.back();
        shapes.push_back({job.run.workers, job.run.plan->servers});
        for (uint32_t worker = 0; worker < job.run.workers; ++worker)
        {
            m_workers.push_back({&job, flow});
            flow += 2 * job.run.plan->servers;
        }
        m_workerWindows.resize(m_workers.size());
        servers += job.run.plan->servers;
    }
    if (shapes.empty() || !(ListTrainingFlows(shapes) == m_network.links.training))
    {
        throw InputError("network: found " + std::to_string(m_network.links.training.size()) +
                         " flows of training; accepted: those of " + std::to_string(flow / 2) +
                         " connections of " + std::to_string(shapes.size()) +
                         " jobs, as ListTrainingFlows() lists them");
    }
}

void
FairShareEngine::MakeFlows()
{
    for (FlowId flow = 0; flow < m_network.links.training.size(); ++flow)
    {
        const uint32_t worker = m_network.links.training[flow].worker;
        const StepPlan& plan = *m_workers[worker].job->run.plan;
        const uint32_t place = flow - m_workers[worker].firstFlow;
        const uint32_t resource =
            place % 2 == 0 ? plan.GetDownlink(place / 2) : plan.GetUplink(place / 2);
        m_flows.push_back({worker, resource, m_network.links.flows[flow].forward.empty()});
    }
}

void
FairShareEngine::MakeDevices(Job& job)
{
    job.barrier = std::make_unique<UpdateBarrier>(job.run.plan->ops.size());
    job.sharedDevices.assign(job.run.plan->resources.size(), nullptr);
    for (std::size_t i = 0; job.run.serverCores > 0 && i < job.sharedDevices.size(); ++i)
    {
        if (job.run.plan->resources[i].kind == ResourceKind::SERVER)
        {
            m_devices.push_back(std::make_unique<DeviceQueue>(job.run.serverCores));
            job.sharedDevices[i] = m_devices.back().get();
        }
    }
}

void
FairShareEngine::MakeExecutor(uint32_t worker)
{
    Job& job = *m_workers[worker].job;
    const StepPlan& plan = *job.run.plan;
    std::vector<DeviceQueue*> devices(job.sharedDevices);
    std::vector<Ptr<TransferPolicy>> policies(plan.resources.size());
    for (std::size_t i = 0; i < plan.resources.size(); ++i)
    {
        const auto& resource = plan.resources[i];
        if (resource.kind == ResourceKind::DOWNLINK || resource.kind == ResourceKind::UPLINK)
        {
            policies[i] = job.run.policy.Create<TransferPolicy>();
        }
        else if (!devices[i])
        {
            m_devices.push_back(std::make_unique<DeviceQueue>(resource.slots));
            devices[i] = m_devices.back().get();
        }
    }
    const WindowView* windows = &job.windows;
    if (!job.run.windows.IsEmpty())
    {
        m_workerWindows[worker] =
            std::make_unique<WorkerWindows>(job.run, worker - job.firstWorker);
        windows = m_workerWindows[worker].get();
    }
    StepHost& host = *this; // the base is private, so only a member can convert
    m_workers[worker].executor = std::make_unique<StepExecutor>(worker,
                                                                worker - job.firstWorker,
                                                                plan,
                                                                std::move(devices),
                                                                std::move(policies),
                                                                *windows,
                                                                host,
                                                                job.observer.Get());
    StepExecutor& executor = *m_workers[worker].executor;
    executor.SetBarrier(*job.barrier);
    job.barrier->Join(executor);
    if (&job == &m_jobs.front())
    {
        executor.SetSteps(job.run.steps);
    }
}

void
FairShareEngine::ScheduleStarts()
{
    for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
    {
        const Job& job = *m_workers[worker].job;
        Pending start{Pending::Kind::START, nullptr, {}, 0};
        start.task.owner = worker;
        Schedule(job.run.startOffsets[worker - job.firstWorker], start);
    }
    for (uint32_t i = 0; i < m_background.size(); ++i)
    {
        if (!m_network.links.flows[m_flows.size() + i].forward.empty())
        {
            Pending start{Pending::Kind::BACKGROUND, nullptr, {}, 0};
            start.task.owner = i;
            Schedule(m_network.background[i].start, start);
        }
    }
    for (uint32_t i = 0; i < m_network.changes.size(); ++i)
    {
        Pending change{Pending::Kind::CAPACITY, nullptr, {}, 0};
        change.task.owner = i;
        m_events.Push(m_network.changes[i].time, AFTER_ALL + i, change);
    }
}

void
FairShareEngine::Run(const std::function<void(double)>& progress)
{
    const TrainingRun& run = m_jobs.front().run;
    const uint64_t steps = static_cast<uint64_t>(run.steps) * run.workers;
    const uint64_t reportEvery = std::max<uint64_t>(1, steps / 100);
    uint64_t reportAt = reportEvery;
    ScheduleStarts();
    while (m_stepsDone < steps)
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

bool
FairShareEngine::IsOfFirstJob(const Pending& pending) const
{
    return pending.kind != Pending::Kind::BACKGROUND && pending.kind != Pending::Kind::CAPACITY &&
           pending.task.owner < m_jobs.front().run.workers;
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
    const uint32_t owner = pending.task.owner;
    switch (pending.kind)
    {
    case Pending::Kind::TASK:
        ++m_chunks;
        m_workers[owner].executor->TaskEnded(pending.task, pending.start);
        if (const auto next = pending.queue->Finish())
        {
            StartTask(*pending.queue, *next);
        }
        break;
    case Pending::Kind::NO_TIME:
        EndTurn(pending.task.op);
        break;
    case Pending::Kind::ARRIVAL:
        m_workers[owner].executor->TransferArrived(pending.task.op);
        break;
    case Pending::Kind::ACKNOWLEDGED:
        m_workers[owner].executor->TransferAcknowledged(pending.task.op);
        break;
    case Pending::Kind::WAKE_UP:
        m_workers[owner].executor->TryNextTurn(m_flows[pending.task.op].resource);
        break;
    case Pending::Kind::START:
        BeginStep(owner);
        break;
    case Pending::Kind::BACKGROUND:
        TurnBackground(owner);
        break;
    case Pending::Kind::CAPACITY:
        ChangeCapacity(m_network.changes[owner]);
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
    arrival.task.owner = flow.worker;
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

FlowId
FairShareEngine::GetFlow(const StepExecutor& executor, uint32_t resource) const
{
    const Worker& worker = m_workers[executor.GetNumber()];
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
    const Worker& worker = m_workers[executor.GetNumber()];
    const FlowId id = GetFlow(executor, resource);
    FlowState& flow = m_flows[id];
    m_bytes += turn.bytes;
    if (flow.local || turn.bytes == 0)
    {
        Pending end{Pending::Kind::NO_TIME, nullptr, {}, 0};
        end.task.owner = flow.worker;
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

void
FairShareEngine::BeginStep(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const uint32_t step = state.begun++;
    state.stepStart[step % 2] = m_now;
    if (m_workerWindows[worker])
    {
        m_workerWindows[worker]->BeginStep(step);
    }
    state.executor->BeginStep(step,
                              state.job->run.samplers[worker - state.job->firstWorker].Next());
}

void
FairShareEngine::StepCompleted(StepExecutor& executor, uint32_t step)
{
    const uint32_t worker = executor.GetNumber();
    Worker& state = m_workers[worker];
    const double start = state.stepStart[step % 2];
    if (m_observer)
    {
        m_observer->StepEnded({worker, step, executor.GetSample(step), start, m_now});
    }
    ++state.done;
    if (state.job == &m_jobs.front())
    {
        ++m_stepsDone;
    }
    else
    {
        state.hollow = m_now > start ? 0 : state.hollow + 1;
        if (state.hollow > MOST_HOLLOW_STEPS)
        {
            throw RunError("worker " + std::to_string(worker) +
                           " of a job that repeats its steps does them in no time");
        }
    }
    if (!executor.GetPlan().overlaps)
    {
        NextStepAllowed(executor, step);
    }
}

void
FairShareEngine::NextStepAllowed(StepExecutor& executor, [[maybe_unused]] uint32_t step)
{
    const Worker& state = m_workers[executor.GetNumber()];
    if (state.job != &m_jobs.front() || state.begun < state.job->run.steps)
    {
        BeginStep(executor.GetNumber());
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
