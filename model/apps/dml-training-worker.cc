/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-worker.h"

#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

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
                            "ns3::dml::TrainingWorker::StepDoneCallback");
    return tid;
}

TrainingWorker::TrainingWorker() = default;

TrainingWorker::~TrainingWorker() = default;

void
TrainingWorker::DoDispose()
{
    m_sampler.reset();
    StepApplication::DoDispose();
    m_executor.reset(); // after the connections, which refer to it
}

void
TrainingWorker::SetSampler(const StepSampler& sampler)
{
    m_sampler = std::make_unique<StepSampler>(sampler);
}

uint32_t
TrainingWorker::GetStepsDone() const
{
    return m_done;
}

std::vector<std::string>
TrainingWorker::GetBlockedOps() const
{
    const std::string name = "worker " + std::to_string(m_index) + ": ";
    if (m_connected < GetPeers())
    {
        return {name + "connected to " + std::to_string(m_connected) + " of " +
                std::to_string(GetPeers()) + " parameter servers"};
    }
    std::vector<std::string> lines;
    for (const auto& op : m_executor->GetBlockedOps())
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
    return *m_executor;
}

StepExecutor&
TrainingWorker::GetExecutor([[maybe_unused]] uint32_t number)
{
    return *m_executor;
}

uint32_t
TrainingWorker::GetSendLink(uint32_t peer) const
{
    return GetPlan().GetUplink(peer);
}

void
TrainingWorker::MakeExecutors()
{
    m_executor = MakeExecutor(0, m_index, MakeDevices());
    m_executor->SetSteps(m_steps);
}

void
TrainingWorker::HandleConnected([[maybe_unused]] uint32_t peer)
{
    if (++m_connected == GetPeers())
    {
        if (Simulator::Now() > m_firstStep && !m_firstStep.IsZero())
        {
            Fail("connected only at " + std::to_string(Simulator::Now().GetSeconds()) +
                 " s, after its first step should have started");
            return;
        }
        const Time wait = Max(m_firstStep - Simulator::Now(), Time(0));
        Simulator::Schedule(wait, &TrainingWorker::BeginStep, this);
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
    m_open[step % 2] = {Simulator::Now(), GetPeers(), false};
    const uint32_t sample = m_sampler->Next();
    for (uint32_t server = 0; server < GetPeers(); ++server)
    {
        AnnounceWindow(server, step);
        SendRunGraph(server, step, sample);
    }
    m_executor->BeginStep(step, sample);
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
    if (m_begun < std::min(m_allowed, m_steps) && m_begun - m_done < 2)
    {
        BeginStep();
    }
}

void
TrainingWorker::HandleRunGraphDone([[maybe_unused]] uint32_t peer, uint32_t step)
{
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
    const double end = GetNow();
    const double start = end - (Simulator::Now() - open.start).GetSeconds();
    if (m_observer)
    {
        m_observer->StepEnded({m_index, step, m_executor->GetSample(step), start, end});
    }
    m_stepDone(m_index, step, open.start, Simulator::Now());
    if (m_executor->GetPlan().overlaps)
    {
        EndSteps(); // the answer of an earlier step may come after that of a later one
        BeginAllowed();
    }
    else
    {
        NextStepAllowed(*m_executor, step);
    }
}

} // namespace dml
} // namespace ns3
