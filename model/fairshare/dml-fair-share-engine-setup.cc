/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What is made before a run, and an executor for a worker that comes back.

#include "dml-fair-share-engine.h"
#include "dml-worker-windows.h"

#include "ns3/dml-elasticity.h"
#include "ns3/dml-error.h"
#include "ns3/dml-transfer-joiner.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Rank of what comes after everything else of its instant: a link that goes down then must not
/// keep what rounding has left of a flow that ends.
constexpr uint64_t AFTER_ALL = uint64_t{1} << 63;

/// @return how fast a server's compute resource is; null: always 1
const DeviceSpeed*
GetServerSpeed(const TrainingRun& run, uint32_t server)
{
    return server < run.serverSpeeds.size() ? run.serverSpeeds[server].get() : nullptr;
}

/// @return how fast a compute resource of a worker's step is; null: always 1
const DeviceSpeed*
GetSpeed(const TrainingRun& run, const PlannedResource& resource, uint32_t worker)
{
    if (resource.at.kind == Peer::Kind::SERVER)
    {
        return GetServerSpeed(run, resource.at.index);
    }
    return worker < run.compute.size() ? run.compute[worker].speed.get() : nullptr;
}

/// @return chunks that a compute resource of a worker's step has at the same time
uint32_t
GetSlots(const TrainingRun& run, const PlannedResource& resource, uint32_t worker)
{
    return worker < run.compute.size() ? run.compute[worker].GetSlots(resource) : resource.slots;
}

/// @return whether the executors of a run send each other transfers
bool
HandsOver(const TrainingRun& run)
{
    const auto& ops = run.plan->ops;
    return std::any_of(ops.begin(), ops.end(), [](const PlannedOp& op) {
        return op.counterpart != NO_INDEX;
    });
}

} // namespace

void
FairShareEngine::MakeJobs(std::vector<TrainingRun> jobs, RunObserver* observer)
{
    if (observer && std::any_of(jobs.begin(), jobs.end(), HandsOver))
    {
        m_joiner = std::make_unique<TransferJoiner>(*observer);
        observer = m_joiner.get();
    }
    std::vector<JobShape> shapes;
    FlowId flow = 0;
    for (auto& run : jobs)
    {
        const StreamWindowModel windows(run.windowRule, run.window, run.lookahead);
        const auto firstWorker = static_cast<uint32_t>(m_workers.size());
        const auto number = static_cast<uint32_t>(m_jobs.size());
        m_jobs.push_back({std::move(run), windows, JobRecorder{observer, number}, firstWorker});
        Job& job = m_jobs.back();
        shapes.push_back(MakeJobShape(ListPlans(job.run), job.run.workers));
        MakePlans(job);
        job.listener = std::make_unique<JobListener>(*this, firstWorker);
        job.sync = std::make_unique<SyncServer>(*job.run.plan,
                                                MakeSyncPolicy(job.run),
                                                job.run.workers,
                                                *job.listener);
        if (const auto control = CreateBatchSizeControl(job.run))
        {
            job.batches =
                std::make_unique<BatchSizeManager>(control, job.run.workers, *job.listener);
        }
        job.shedding = CreateWorkShedding(job.run);
        WorkerHost& host = *this; // the base is private, so only a member can convert
        for (uint32_t worker = 0; worker < job.run.workers; ++worker)
        {
            WorkerSettings settings = MakeWorkerSettings(job.run, worker);
            settings.number = firstWorker + worker;
            if (&job != &m_jobs.front())
            {
                settings.steps = std::numeric_limits<uint32_t>::max();
            }
            const bool answered = !job.run.plan->overlaps || DelaysAnswers(job);
            m_workers.push_back(
                {&job,
                 flow,
                 WorkerLoop(std::move(settings), answered ? 1 : 0, host, job.recorder)});
            flow += job.flows;
        }
        job.firstAggregation = flow;
        flow += job.run.plan->aggregators * job.aggregation.channels.size();
        m_workerWindows.resize(m_workers.size());
    }
    if (shapes.empty() || !(ListTrainingFlows(shapes) == m_network.links.training))
    {
        throw InputError("network: found " + std::to_string(m_network.links.training.size()) +
                         " flows of training; accepted: those of " + std::to_string(flow) +
                         " channels of " + std::to_string(shapes.size()) +
                         " jobs, as ListTrainingFlows() lists them");
    }
}

void
FairShareEngine::MakePlans(Job& job)
{
    for (const auto& plan : ListPlans(job.run))
    {
        PlanFlows flows{plan, plan->ListSentChannels(), {}};
        flows.flowOf.resize(plan->resources.size());
        for (const uint32_t channel : flows.channels)
        {
            flows.flowOf[channel] = job.flows++;
        }
        job.plans.push_back(std::move(flows));
    }
    if (const auto& plan = job.run.plan->aggregation)
    {
        job.aggregation = {plan, plan->ListSentChannels(), {}};
        job.aggregation.flowOf.resize(plan->resources.size());
        for (std::size_t i = 0; i < job.aggregation.channels.size(); ++i)
        {
            job.aggregation.flowOf[job.aggregation.channels[i]] = i;
        }
    }
}

void
FairShareEngine::MakeFlows()
{
    for (const auto& job : m_jobs)
    {
        for (uint32_t worker = 0; worker < job.run.workers; ++worker)
        {
            for (const auto& plan : job.plans)
            {
                for (const uint32_t resource : plan.channels)
                {
                    AddFlow(job, resource);
                }
            }
            if (DelaysAnswers(job))
            {
                MakeAnswerDelays(job.firstWorker + worker);
            }
        }
        for (uint32_t aggregator = 0; aggregator < job.run.plan->aggregators; ++aggregator)
        {
            for (const uint32_t resource : job.aggregation.channels)
            {
                AddFlow(job, resource);
            }
        }
    }
}

void
FairShareEngine::AddFlow(const Job& job, uint32_t resource)
{
    const NetworkFlow& route = m_network.links.flows[m_flows.size()];
    m_flows.push_back({route.delay,
                       route.returnDelay,
                       nullptr,
                       resource,
                       route.forward.empty(),
                       &job == &m_jobs.front()});
}

void
FairShareEngine::MakeDevices(Job& job)
{
    job.sharedDevices.assign(job.run.plan->resources.size(), nullptr);
    for (std::size_t i = 0; job.run.serverCores > 0 && i < job.sharedDevices.size(); ++i)
    {
        const PlannedResource& resource = job.run.plan->resources[i];
        if (resource.IsServerDevice())
        {
            job.sharedDevices[i] =
                AddDevice(job.run.serverCores, GetServerSpeed(job.run, resource.at.index));
        }
    }
}

DeviceQueue*
FairShareEngine::AddDevice(uint32_t slots, const DeviceSpeed* speed)
{
    m_devices.push_back(std::make_unique<DeviceQueue>(slots, speed));
    return m_devices.back().get();
}

std::vector<DeviceQueue*>
FairShareEngine::MakeWorkerDevices(uint32_t worker, const StepPlan& plan)
{
    const Job& job = *m_workers[worker].job;
    std::vector<DeviceQueue*> devices(job.sharedDevices);
    devices.resize(plan.resources.size(), nullptr);
    for (std::size_t i = 0; i < devices.size(); ++i)
    {
        const auto& resource = plan.resources[i];
        if (resource.kind != ResourceKind::CHANNEL && !devices[i])
        {
            devices[i] = AddDevice(GetSlots(job.run, resource, worker - job.firstWorker),
                                   GetSpeed(job.run, resource, worker - job.firstWorker));
        }
    }
    return devices;
}

void
FairShareEngine::MakeExecutor(uint32_t worker, uint32_t step, std::size_t number)
{
    Job& job = *m_workers[worker].job;
    const PlanFlows& flows = job.plans[number];
    const StepPlan& plan = *flows.plan;
    const WindowView* windows = &job.windows;
    if (!job.run.windows.IsEmpty() && plan.servers > 0) // else all windows are the same
    {
        auto& view = m_workerWindows[worker];
        if (!view) // not the first time after a crash
        {
            view = std::make_unique<WorkerWindows>(job.run, worker - job.firstWorker);
        }
        windows = view.get();
    }
    StepHost& host = *this; // the base is private, so only a member can convert
    m_runners.push_back({std::make_unique<StepExecutor>(m_runners.size(),
                                                        worker - job.firstWorker,
                                                        job.run.workers,
                                                        plan,
                                                        MakeWorkerDevices(worker, plan),
                                                        job.run.policy,
                                                        *windows,
                                                        host,
                                                        job.recorder),
                         &job,
                         worker,
                         m_workers[worker].firstFlow,
                         &flows.flowOf});
    StepExecutor& executor = *m_runners.back().executor;
    m_workers[worker].executor = &executor;
    m_workers[worker].loop.SetExecutor(executor);
    for (const uint32_t channel : flows.channels)
    {
        m_flows[m_workers[worker].firstFlow + flows.flowOf[channel]].executor = &executor;
    }
    if (executor.CanSkipTo(step))
    {
        executor.SkipTo(step);
    }
    executor.SetSync(*job.sync);
    job.sync->Join(worker - job.firstWorker, executor);
    if (&job == &m_jobs.front())
    {
        executor.SetSteps(job.run.steps);
    }
}

void
FairShareEngine::MakeAggregators(Job& job)
{
    const PlanFlows& flows = job.aggregation;
    StepHost& host = *this; // the base is private, so only a member can convert
    for (uint32_t i = 0; i < job.run.plan->aggregators; ++i)
    {
        const FlowId firstFlow = job.firstAggregation + i * flows.channels.size();
        m_runners.push_back(
            {std::make_unique<StepExecutor>(m_runners.size(),
                                            job.run.workers + i,
                                            job.run.workers,
                                            *flows.plan,
                                            std::vector<DeviceQueue*>(flows.plan->resources.size()),
                                            job.run.policy,
                                            job.windows,
                                            host,
                                            job.recorder),
             &job,
             NO_INDEX,
             firstFlow,
             &flows.flowOf});
        StepExecutor& executor = *m_runners.back().executor;
        job.aggregators.push_back(&executor);
        for (const uint32_t channel : flows.channels)
        {
            m_flows[firstFlow + flows.flowOf[channel]].executor = &executor;
        }
    }
}

void
FairShareEngine::ScheduleStarts()
{
    for (const auto& job : m_jobs)
    {
        for (StepExecutor* const aggregator : job.aggregators)
        {
            BeginAggregation(*aggregator, job);
        }
    }
    for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
    {
        const Job& job = *m_workers[worker].job;
        Schedule(job.run.startOffsets[worker - job.firstWorker], Pending::Kind::START, 0, worker);
    }
    const TrainingRun& run = m_jobs.front().run;
    if (run.elastic)
    {
        ElasticLauncherHost& host = *this; // the base is private, so only a member can convert
        m_launcher = std::make_unique<ElasticLauncher>(run.elastic, host);
    }
    for (const double time : run.restores) // before the crashes of all workers at that time
    {
        Schedule(time, Pending::Kind::RESTORE, 0, 0);
    }
    for (const auto& crash : run.crashes)
    {
        Schedule(crash.at, Pending::Kind::CRASH, 0, crash.worker, crash.rejoin);
        if (crash.rejoin < std::numeric_limits<double>::infinity())
        {
            Schedule(crash.rejoin, Pending::Kind::REJOIN, 0, crash.worker, crash.rejoin);
        }
    }
    for (uint32_t i = 0; i < m_background.size(); ++i)
    {
        if (!m_network.links.flows[m_flows.size() + i].forward.empty())
        {
            Schedule(m_network.background[i].start, Pending::Kind::BACKGROUND, 0, i);
        }
    }
    for (uint32_t i = 0; i < m_network.changes.size(); ++i)
    {
        m_events.Push(m_network.changes[i].time,
                      AFTER_ALL + i,
                      {Pending::Kind::CAPACITY, false, 0, i});
    }
}

} // namespace ns3::dml
