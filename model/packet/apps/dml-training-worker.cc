/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-worker.h"

#include "dml-batch-size-service.h"
#include "dml-bucket-negotiator.h"
#include "dml-gradient-coder.h"
#include "dml-parameter-server.h"
#include "dml-step-agreement.h"

#include "ns3/dml-elastic-launcher.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::dml
{

namespace
{

constexpr double CLOCKS_APART = 0.1; // s, of processes, at most

} // namespace

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
                          "servers have been reached. A worker that was started by then and "
                          "reaches them later than this fails.",
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
    StepApplication::DoDispose();
    m_executors.clear(); // after the connections, which refer to them
}

void
TrainingWorker::SetSettings(WorkerSettings settings)
{
    m_settings = std::move(settings);
    SetDeviceSpeed(m_settings.compute.speed);
    SetDeviceSlots(m_settings.compute.slots);
}

void
TrainingWorker::StartApplication()
{
    for (const auto& crash : m_crashes)
    {
        if (crash.at < GetNow())
        {
            Fail("starts after it should have crashed");
            return;
        }
        const bool forGood = crash.rejoin == std::numeric_limits<double>::infinity();
        ModelClock::Schedule(Seconds(crash.at - GetNow()), [this, forGood] { Crash(forGood); });
        if (!forGood)
        {
            ModelClock::Schedule(Seconds(crash.rejoin - GetNow()), [this] { Rejoin(); });
        }
    }
    StepApplication::StartApplication();
    if (!IsStopped() && GetPeersInUse() == 0)
    {
        HandleAllConnected();
    }
}

void
TrainingWorker::StopApplication()
{
    if (m_loop)
    {
        Crash(true);
    }
    StepApplication::StopApplication(); // one that is done has its connections still
}

void
TrainingWorker::Leave()
{
    if (m_loop)
    {
        m_hasLeft = true;
        Crash(false);
    }
}

void
TrainingWorker::Return()
{
    if (m_hasLeft)
    {
        Rejoin();
    }
}

double
TrainingWorker::GetNow() const
{
    return StepApplication::GetNow();
}

std::vector<std::string>
TrainingWorker::GetBlockedOps() const
{
    const std::string name = "worker " + std::to_string(m_index) + ": ";
    if (!m_loop || m_executors.empty())
    {
        return {name + "has not started"};
    }
    if (m_loop->IsFinished() || m_loop->IsDown())
    {
        return {};
    }
    if (m_connected < GetPeersInUse())
    {
        return {name + "connected to " + std::to_string(m_connected) + " of " +
                std::to_string(GetPeersInUse()) +
                (GetServers() == GetPeers() ? " parameter servers" : " peers")};
    }
    std::vector<std::string> lines;
    for (const auto& op : m_executors.back()->GetBlockedOps())
    {
        lines.push_back(name + op);
    }
    for (uint32_t step = m_loop->GetDone(); step < m_loop->GetBegun(); ++step)
    {
        if (const uint32_t unanswered = m_loop->GetUnanswered(step))
        {
            lines.push_back(name + "RunGraph of step " + std::to_string(step) +
                            " not answered by " + std::to_string(unanswered) +
                            " parameter servers");
        }
    }
    return lines;
}

Endpoint
TrainingWorker::GetEndpoint() const
{
    return {Role::WORKER, m_index};
}

StepExecutor&
TrainingWorker::GetExecutorOf([[maybe_unused]] uint32_t peer)
{
    return *m_executors.back();
}

StepExecutor&
TrainingWorker::GetExecutor(uint32_t number) const
{
    return *m_executors[number];
}

void
TrainingWorker::MakeExecutors()
{
    if (!m_loop) // not the first time after a crash
    {
        m_settings.worker = m_index;
        m_settings.steps = m_steps;
        WorkerHost& host = *this; // the base is private, so only a member can convert
        m_loop =
            std::make_unique<WorkerLoop>(std::move(m_settings), GetServers(), host, m_recorder);
        if (m_control)
        {
            m_batches = std::make_unique<BatchSizeService>(
                m_control,
                GetWorkers(),
                [this](uint32_t worker, int32_t stream, uint32_t batch) {
                    SetBatchSize(worker, stream, batch);
                });
        }
        MakeNegotiation();
    }
    m_executors.push_back(MakeExecutor(m_executors.size(), m_index, MakeDevices()));
    m_executors.back()->SetSteps(m_steps);
    m_loop->SetExecutor(*m_executors.back());
}

void
TrainingWorker::HandleConnected(uint32_t peer)
{
    if (++m_connected < GetPeersInUse())
    {
        return;
    }
    const bool late = ModelClock::Now() > m_firstStep && GetStarted() <= m_firstStep;
    if (!m_loop->IsReturning() && late && !m_firstStep.IsZero())
    {
        FailPeer(peer, PeerTrouble::LATE);
        return;
    }
    HandleAllConnected();
}

void
TrainingWorker::HandlePeerLost(uint32_t peer)
{
    // processes that share no clock do not die at the same instant
    if (GetServers() == 0 && !m_launcher && WillCrash())
    {
        Crash(true);
        return;
    }
    if (GetServers() > 0 && WillCrashBefore(GetNow() + CLOCKS_APART))
    {
        Crash(false); // with its server
        return;
    }
    if (GetServers() > 0 && m_loop->IsFinished())
    {
        return; // it needs no server any more
    }
    if (m_launcher && m_loop->IsFinished() && !m_launcher->IsRunning(GetPeerEndpoint(peer).index))
    {
        return; // both have nothing more to do
    }
    StepApplication::HandlePeerLost(peer);
}

bool
TrainingWorker::CanReopen(uint32_t peer) const
{
    // a server that is late takes a connection of this worker's dead process for its own, connects
    // to the process that is there now, and learns only then which connection that has opened
    return (m_hasLeft || !m_crashes.empty()) && GetPeerEndpoint(peer).role == Role::SERVER;
}

void
TrainingWorker::HandleAllConnected()
{
    if (m_loop->IsReturning() && m_launcher)
    {
        AskForFirstStep();
        return;
    }
    if (m_loop->IsReturning())
    {
        m_unanswered = GetServers();
        for (uint32_t server = 0; server < GetServers(); ++server)
        {
            SendRunGraph(server, m_loop->GetDone(), ParameterServer::JOIN_GRAPH);
        }
        return;
    }
    const Time wait = Max(m_firstStep - ModelClock::Now(), Time(0));
    m_start = ModelClock::Schedule(wait, [this] { m_loop->Start(); });
}

double
TrainingWorker::GetStepStart([[maybe_unused]] uint32_t worker, uint32_t step) const
{
    return GetNow() - (ModelClock::Now() - m_stepStart[step % 2]).GetSeconds();
}

void
TrainingWorker::CallLater([[maybe_unused]] uint32_t worker, double seconds, uint32_t call)
{
    m_late.Cancel();
    m_late = ModelClock::Schedule(Seconds(seconds), [this, call] { m_loop->BeginLate(call); });
}

void
TrainingWorker::StepBegins([[maybe_unused]] uint32_t worker, uint32_t step, uint32_t sample)
{
    NS_LOG_INFO("worker " << m_index << " begins step " << step << " with sample " << sample);
    m_stepStart[step % 2] = ModelClock::Now();
    if (m_negotiator && step == 0)
    {
        m_negotiator->Begin();
    }
    for (uint32_t server = 0; server < GetServers(); ++server)
    {
        AnnounceWindow(server, step);
        SendRunGraph(server, step, std::to_string(sample));
    }
}

void
TrainingWorker::StepEnded([[maybe_unused]] uint32_t worker, const StepRecord& record)
{
    NS_LOG_INFO("worker " << m_index << " has done step " << record.step);
    m_stepDone(m_index, record.step, m_stepStart[record.step % 2], ModelClock::Now());
}

void
TrainingWorker::HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request)
{
    const uint32_t worker = GetPeerEndpoint(peer).index;
    if (TakeStepRequest(worker, stream, request))
    {
        return;
    }
    const bool batch = m_batches && request.graphHandle == BATCH_GRAPH;
    if (batch ? !m_batches->Take(worker, stream, request) : !TakeGradients(worker, stream, request))
    {
        Fail("worker " + std::to_string(worker) + " asked for graph '" + request.graphHandle +
             "', which cannot be run here");
    }
}

void
TrainingWorker::HandleRunGraphDone(uint32_t peer,
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
        m_loop->SetBatchSize(get(BATCH_VALUE));
        return;
    }
    if (graph == BUCKET_GRAPH)
    {
        if (const auto order = m_coder->DecodeOrder(values))
        {
            StartAgreed(step, *order);
            return;
        }
        Fail("worker " + std::to_string(GetPeerEndpoint(peer).index) +
             " named gradients that there are not");
        return;
    }
    if (graph == PROGRESS_GRAPH)
    {
        m_loop->MoveSamples(step, MoveFromValues(values));
        return;
    }
    const uint32_t next = get(ParameterServer::STEP_VALUE);
    if (StepAgreed(graph, next))
    {
        return;
    }
    if (graph != ParameterServer::JOIN_GRAPH)
    {
        m_loop->Answer(step, next, get(ParameterServer::DROPPED_VALUE));
        return;
    }
    m_next = std::max(m_next, next);
    if (--m_unanswered == 0)
    {
        m_loop->Return(m_next);
    }
}

void
TrainingWorker::WorkerLeaves([[maybe_unused]] uint32_t worker, bool early)
{
    // the servers know that it is done only if it has done the last step
    for (uint32_t server = 0; early && server < GetServers(); ++server)
    {
        SendRunGraph(server, m_loop->GetDone(), ParameterServer::LEAVE_GRAPH);
    }
}

void
TrainingWorker::WorkerFinished([[maybe_unused]] uint32_t worker)
{
    m_finishedTrace(m_index);
    if (m_launcher && !m_loop->IsDown())
    {
        m_launcher->Finished(m_index);
    }
}

void
TrainingWorker::Crash(bool forGood)
{
    NS_LOG_FUNCTION(this << m_index);
    const bool dies = !m_loop->IsDown() && !m_loop->IsFinished();
    m_loop->Crash(forGood);
    if (dies && m_launcher)
    {
        m_launcher->Crashed(m_index, GetNow());
    }
}

void
TrainingWorker::WorkerDied([[maybe_unused]] uint32_t worker)
{
    m_start.Cancel();
    m_late.Cancel();
    if (m_negotiator)
    {
        m_negotiator->Stop();
    }
    if (!IsStopped()) // else its process had been ended before
    {
        CloseAll();
    }
}

bool
TrainingWorker::WillCrash() const
{
    return WillCrashBefore(std::numeric_limits<double>::infinity());
}

bool
TrainingWorker::WillCrashBefore(double time) const
{
    return std::any_of(m_crashes.begin(), m_crashes.end(), [&](const WorkerCrash& crash) {
        return crash.at > GetNow() && crash.at < time;
    });
}

void
TrainingWorker::Rejoin()
{
    NS_LOG_FUNCTION(this << m_index);
    if (!m_loop->Rejoin())
    {
        return;
    }
    if (m_launcher)
    {
        m_launcher->Back(m_index);
    }
    else
    {
        m_connected = 0;
        MakeExecutors();
        Open();
    }
}

} // namespace ns3::dml
