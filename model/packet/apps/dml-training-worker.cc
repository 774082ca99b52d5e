/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-worker.h"

#include "dml-batch-size-messages.h"
#include "dml-parameter-server.h"

#include "ns3/dml-batch-size-manager.h"
#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dml
{

NS_LOG_COMPONENT_DEFINE("DmlTrainingWorker");
NS_OBJECT_ENSURE_REGISTERED(TrainingWorker);

TypeId
TrainingWorker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::TrainingWorker")
            .SetParent<StepApplication>()
            .SetGroupName("Dml")
            .AddConstructor<TrainingWorker>()
            .AddAttribute("Index",
                          "Number of this worker, from 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&TrainingWorker::m_index),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Steps",
                          "Number of training steps to run.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&TrainingWorker::m_steps),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("FirstStep",
                          "Simulation time at which the first step starts; zero: as soon as all "
                          "servers have been reached. A worker that reaches them later than this "
                          "fails.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&TrainingWorker::m_firstStep),
                          MakeTimeChecker())
            .AddTraceSource("StepDone",
                            "A training step ended.",
                            MakeTraceSourceAccessor(&TrainingWorker::m_stepDone),
                            "ns3::dml::TrainingWorker::StepDoneCallback")
            .AddTraceSource("Finished",
                            "The worker has done its last step, or died for good.",
                            MakeTraceSourceAccessor(&TrainingWorker::m_finishedTrace),
                            "ns3::dml::TrainingWorker::FinishedCallback");
    return tid;
}

TrainingWorker::TrainingWorker() = default;

TrainingWorker::~TrainingWorker() = default;

void
TrainingWorker::DoDispose()
{
    m_sampler.reset();
    StepApplication::DoDispose();
    m_executors.clear(); // after the connections, which refer to them
}

void
TrainingWorker::SetSampler(const StepSampler& sampler)
{
    m_sampler = std::make_unique<StepSampler>(sampler);
}

void
TrainingWorker::SetCompute(const WorkerCompute& compute, uint32_t profiled)
{
    m_compute = compute;
    m_profiled = profiled;
    m_nextBatch = compute.batch;
    SetDeviceSpeed(compute.speed);
    SetDeviceSlots(compute.slots);
}

void
TrainingWorker::SetBatchSizes(BatchSizes sizes)
{
    m_batchSizes = sizes;
}

void
TrainingWorker::SetShedding(const WorkShedding& rules)
{
    m_samples.emplace(m_compute, m_profiled, rules);
}

void
TrainingWorker::AddCrash(const WorkerCrash& crash)
{
    m_crashes.push_back(crash);
}

uint32_t
TrainingWorker::GetStepsDone() const
{
    return m_count;
}

void
TrainingWorker::StartApplication()
{
    for (const auto& crash : m_crashes)
    {
        const bool forGood = crash.rejoin == std::numeric_limits<double>::infinity();
        Simulator::Schedule(Seconds(crash.at - GetNow()), &TrainingWorker::Crash, this, forGood);
        if (!forGood)
        {
            Simulator::Schedule(Seconds(crash.rejoin - GetNow()), &TrainingWorker::Rejoin, this);
        }
    }
    StepApplication::StartApplication();
}

std::vector<std::string>
TrainingWorker::GetBlockedOps() const
{
    const std::string name = "worker " + std::to_string(m_index) + ": ";
    if (m_finished || m_down)
    {
        return {};
    }
    if (m_connected < GetPeers())
    {
        return {name + "connected to " + std::to_string(m_connected) + " of " +
                std::to_string(GetPeers()) + " parameter servers"};
    }
    std::vector<std::string> lines;
    for (const auto& op : m_executors.back()->GetBlockedOps())
    {
        lines.push_back(name + op);
    }
    for (uint32_t step = m_done; step < m_begun; ++step)
    {
        if (const uint32_t unanswered = m_open[step % 2].unanswered)
        {
            lines.push_back(name + "RunGraph of step " + std::to_string(step) +
                            " not answered by " + std::to_string(unanswered) +
                            " parameter servers");
        }
    }
    return lines;
}

Site
TrainingWorker::GetSite() const
{
    return {Site::Kind::WORKER, 0};
}

std::string
TrainingWorker::GetDeviceName() const
{
    return DeviceName("worker", m_index);
}

std::string
TrainingWorker::GetPeerDeviceName(uint32_t peer) const
{
    return DeviceName("ps", peer);
}

uint32_t
TrainingWorker::GetPeerOf([[maybe_unused]] uint32_t executor, OpIndex op) const
{
    return GetPlan().GetServer(op);
}

StepExecutor&
TrainingWorker::GetExecutorOf([[maybe_unused]] uint32_t peer)
{
    return *m_executors.back();
}

StepExecutor&
TrainingWorker::GetExecutor(uint32_t number)
{
    return *m_executors[number];
}

uint32_t
TrainingWorker::GetSendLink(uint32_t peer) const
{
    return GetPlan().GetUplink(peer);
}

void
TrainingWorker::MakeExecutors()
{
    m_executors.push_back(MakeExecutor(m_executors.size(), m_index, MakeDevices()));
    m_executors.back()->SetSteps(m_steps);
}

void
TrainingWorker::HandleConnected(uint32_t peer)
{
    if (++m_connected == GetPeers() && m_rejoins)
    {
        m_unanswered = GetPeers();
        for (uint32_t server = 0; server < GetPeers(); ++server)
        {
            SendRunGraph(server, m_done, ParameterServer::JOIN_GRAPH);
        }
    }
    else if (m_connected == GetPeers())
    {
        if (Simulator::Now() > m_firstStep && !m_firstStep.IsZero())
        {
            FailPeer(peer, PeerTrouble::LATE);
            return;
        }
        const Time wait = Max(m_firstStep - Simulator::Now(), Time(0));
        m_start = Simulator::Schedule(wait, &TrainingWorker::BeginStep, this);
    }
}

void
TrainingWorker::BeginStep()
{
    NS_LOG_FUNCTION(this << m_index << m_begun);
    if (IsStopped())
    {
        return;
    }
    const uint32_t step = m_begun++;
    m_open[step % 2] = {Simulator::Now(), GetPeers(), false, 0};
    const uint32_t sample = m_sampler->At(step);
    for (uint32_t server = 0; server < GetPeers(); ++server)
    {
        AnnounceWindow(server, step);
        SendRunGraph(server, step, std::to_string(sample));
    }
    const double scale = m_samples ? m_samples->BeginStep()
                                   : GetComputeScale(m_compute, m_profiled, m_compute.batch);
    m_executors.back()->BeginStep(step, sample, scale);
}

void
TrainingWorker::ComputeOpEnded(StepExecutor& executor)
{
    if (const auto report = m_samples ? m_samples->Check(executor) : std::nullopt)
    {
        SendRunGraph(0, report->step, PROGRESS_GRAPH, ToValues(*report));
    }
}

void
TrainingWorker::StepCompleted([[maybe_unused]] StepExecutor& executor, uint32_t step)
{
    m_open[step % 2].completed = true;
    EndSteps();
}

void
TrainingWorker::NextStepAllowed([[maybe_unused]] StepExecutor& executor, uint32_t step)
{
    m_allowed = step + 2;
    BeginAllowed();
}

void
TrainingWorker::BeginAllowed()
{
    // two steps at most: an answer to RunGraph may be late
    if (m_begun >= std::min(m_allowed, m_steps) || m_begun - m_done >= 2)
    {
        return;
    }
    if (m_batchSizes == BatchSizes::ASKED_FIRST)
    {
        AskForBatchSize(); // whose answer begins the step
        return;
    }
    m_compute.batch = m_nextBatch;
    BeginStep();
    if (m_batchSizes == BatchSizes::ASKED_AHEAD)
    {
        AskForBatchSize();
    }
}

void
TrainingWorker::AskForBatchSize()
{
    const uint32_t batch = m_compute.batch > 0 ? m_compute.batch : m_profiled;
    SendRunGraph(0,
                 m_begun,
                 BATCH_GRAPH,
                 ToValues(MakeWorkerReport(m_compute, batch, m_lastSeconds, GetNow())));
}

void
TrainingWorker::HandleRunGraphDone([[maybe_unused]] uint32_t peer,
                                   uint32_t step,
                                   const std::string& graph,
                                   const NamedValues& values)
{
    const auto get = [&values](const char* name) {
        return CountFromValues(values, name).value_or(0);
    };
    if (graph == ParameterServer::LEAVE_GRAPH || graph == GIVE_GRAPH)
    {
        return;
    }
    if (graph == BATCH_GRAPH)
    {
        m_nextBatch = get(BATCH_VALUE);
        if (m_batchSizes == BatchSizes::ASKED_FIRST)
        {
            m_compute.batch = m_nextBatch;
            BeginStep();
        }
        return;
    }
    if (graph == PROGRESS_GRAPH)
    {
        const SampleMove move = MoveFromValues(values);
        const uint32_t given = m_samples->Apply(*m_executors.back(), move, step);
        if (move.give > 0)
        {
            SendRunGraph(0, step, GIVE_GRAPH, {{GIVEN_VALUE, given}});
        }
        return;
    }
    m_next = std::max(m_next, get(ParameterServer::STEP_VALUE));
    if (graph == ParameterServer::JOIN_GRAPH)
    {
        if (--m_unanswered == 0)
        {
            GoOn();
        }
        return;
    }
    m_open[step % 2].dropped += get(ParameterServer::DROPPED_VALUE);
    --m_open[step % 2].unanswered;
    EndSteps();
}

void
TrainingWorker::EndSteps()
{
    const OpenStep& open = m_open[m_done % 2];
    if (m_done == m_begun || !open.completed || open.unanswered > 0)
    {
        return;
    }
    const uint32_t step = m_done++;
    ++m_count;
    StepExecutor& executor = *m_executors.back();
    const double end = GetNow();
    const double start = end - (Simulator::Now() - open.start).GetSeconds();
    if (m_observer)
    {
        m_observer->StepEnded({m_index,
                               step,
                               executor.GetSample(step),
                               start,
                               end,
                               executor.GetOwnEnd(step),
                               m_samples ? m_samples->GetSamples() : m_compute.batch,
                               open.dropped});
    }
    m_lastSeconds = executor.GetOwnEnd(step) - start;
    m_stepDone(m_index, step, open.start, Simulator::Now());
    if (executor.GetPlan().overlaps)
    {
        EndSteps(); // the answer of an earlier step may come after that of a later one
        BeginAllowed();
    }
    else
    {
        if (m_next > m_begun) // the others have gone ahead
        {
            if (m_next >= m_steps)
            {
                Leave();
            }
            m_begun = m_next;
            m_done = m_next;
            executor.SkipTo(std::min(m_next, m_steps));
        }
        NextStepAllowed(executor, m_begun - 1);
    }
    if (m_done >= m_steps)
    {
        Finish();
    }
}

} // namespace dml
} // namespace ns3
