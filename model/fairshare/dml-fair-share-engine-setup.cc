/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What is made before a run, and an executor for a worker that comes back.

#include "dml-fair-share-engine.h"
#include "dml-worker-windows.h"

#include "ns3/dml-error.h"

#include <limits>
#include <utility>

namespace ns3
{
namespace dml
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
    if (resource.kind == ResourceKind::SERVER)
    {
        return GetServerSpeed(run, resource.index);
    }
    if (resource.kind == ResourceKind::PARSER && resource.index > 0)
    {
        return GetServerSpeed(run, resource.index - 1);
    }
    return worker < run.compute.size() ? run.compute[worker].speed.get() : nullptr;
}

/// @return chunks that a compute resource of a worker's step has at the same time
uint32_t
GetSlots(const TrainingRun& run, const PlannedResource& resource, uint32_t worker)
{
    return worker < run.compute.size() ? run.compute[worker].GetSlots(resource) : resource.slots;
}

} // namespace

void
FairShareEngine::MakeJobs(std::vector<TrainingRun> jobs, RunObserver* observer)
{
    std::vector<JobShape> shapes;
    FlowId flow = 0;
    for (auto& run : jobs)
    {
        const StreamWindowModel windows(run.windowRule, run.window, run.lookahead);
        const auto firstWorker = static_cast<uint32_t>(m_workers.size());
        const auto number = static_cast<uint32_t>(m_jobs.size());
        m_jobs.push_back({std::move(run), windows, JobRecorder{observer, number}, firstWorker});
        Job& job = m_jobs.back();
        shapes.push_back({job.run.workers, job.run.plan->servers});
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
            const uint32_t answers = job.run.plan->overlaps ? 0 : 1;
            m_workers.push_back(
                {&job, flow, WorkerLoop(std::move(settings), answers, host, job.recorder)});
            flow += 2 * job.run.plan->servers;
        }
        m_workerWindows.resize(m_workers.size());
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
        const NetworkFlow& route = m_network.links.flows[flow];
        m_flows.push_back({route.delay,
                           nullptr,
                           worker,
                           resource,
                           route.forward.empty(),
                           worker < m_jobs.front().run.workers});
    }
}

void
FairShareEngine::MakeDevices(Job& job)
{
    job.sharedDevices.assign(job.run.plan->resources.size(), nullptr);
    for (std::size_t i = 0; job.run.serverCores > 0 && i < job.sharedDevices.size(); ++i)
    {
        if (job.run.plan->resources[i].kind == ResourceKind::SERVER)
        {
            job.sharedDevices[i] =
                AddDevice(job.run.serverCores,
                          GetServerSpeed(job.run, job.run.plan->resources[i].index));
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
FairShareEngine::MakeWorkerDevices(uint32_t worker)
{
    const Job& job = *m_workers[worker].job;
    std::vector<DeviceQueue*> devices(job.sharedDevices);
    for (std::size_t i = 0; i < devices.size(); ++i)
    {
        const auto& resource = job.run.plan->resources[i];
        const bool link =
            resource.kind == ResourceKind::DOWNLINK || resource.kind == ResourceKind::UPLINK;
        if (!link && !devices[i])
        {
            devices[i] = AddDevice(GetSlots(job.run, resource, worker - job.firstWorker),
                                   GetSpeed(job.run, resource, worker - job.firstWorker));
        }
    }
    return devices;
}

void
FairShareEngine::MakeExecutor(uint32_t worker, uint32_t step)
{
    Job& job = *m_workers[worker].job;
    const StepPlan& plan = *job.run.plan;
    std::vector<Ptr<TransferPolicy>> policies(plan.resources.size());
    for (std::size_t i = 0; i < plan.resources.size(); ++i)
    {
        const ResourceKind kind = plan.resources[i].kind;
        if (kind == ResourceKind::DOWNLINK || kind == ResourceKind::UPLINK)
        {
            policies[i] = job.run.policy.Create<TransferPolicy>();
        }
    }
    const WindowView* windows = &job.windows;
    if (!job.run.windows.IsEmpty())
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
                                                        plan,
                                                        MakeWorkerDevices(worker),
                                                        std::move(policies),
                                                        *windows,
                                                        host,
                                                        job.recorder),
                         worker,
                         m_workers[worker].firstFlow});
    StepExecutor& executor = *m_runners.back().executor;
    m_workers[worker].executor = &executor;
    m_workers[worker].loop.SetExecutor(executor);
    for (FlowId flow = m_workers[worker].firstFlow;
         flow < m_workers[worker].firstFlow + 2 * plan.servers;
         ++flow)
    {
        m_flows[flow].executor = &executor;
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
FairShareEngine::ScheduleStarts()
{
    for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
    {
        const Job& job = *m_workers[worker].job;
        Pending start{Pending::Kind::START};
        start.op = worker;
        Schedule(job.run.startOffsets[worker - job.firstWorker], start);
    }
    const TrainingRun& run = m_jobs.front().run;
    for (const auto& crash : run.crashes)
    {
        Pending dies{Pending::Kind::CRASH, false, 0, crash.worker, crash.rejoin};
        Schedule(crash.at, dies);
        if (crash.rejoin < std::numeric_limits<double>::infinity())
        {
            dies.kind = Pending::Kind::REJOIN;
            Schedule(crash.rejoin, dies);
        }
    }
    for (uint32_t i = 0; i < m_background.size(); ++i)
    {
        if (!m_network.links.flows[m_flows.size() + i].forward.empty())
        {
            Pending start{Pending::Kind::BACKGROUND};
            start.op = i;
            Schedule(m_network.background[i].start, start);
        }
    }
    for (uint32_t i = 0; i < m_network.changes.size(); ++i)
    {
        Pending change{Pending::Kind::CAPACITY};
        change.op = i;
        m_events.Push(m_network.changes[i].time, AFTER_ALL + i, change);
    }
}

} // namespace dml
} // namespace ns3
