/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-parameter-server.h"

#include "dml-batch-size-service.h"

#include "ns3/boolean.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/nstime.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"

#include <charconv>
#include <utility>

namespace ns3::dml
{

NS_LOG_COMPONENT_DEFINE("DmlParameterServer");
NS_OBJECT_ENSURE_REGISTERED(ParameterServer);

TypeId
ParameterServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::ParameterServer")
            .SetParent<StepApplication>()
            .SetGroupName("Dml")
            .AddConstructor<ParameterServer>()
            .AddAttribute("Index",
                          "Number of this parameter server, from 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ParameterServer::m_index),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Cores",
                          "Cores that all workers share for parsing and updates; zero gives each "
                          "worker a core of its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ParameterServer::m_cores),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Sync",
                          "Decides when tensors are updated and when workers go on; null: "
                          "bulk-synchronous with joint updates, else asynchronous.",
                          PointerValue(),
                          MakePointerAccessor(&ParameterServer::m_policy),
                          MakePointerChecker<SyncPolicy>())
            .AddAttribute("Elastic",
                          "Whether to go on without a worker whose connections are closed.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ParameterServer::m_elastic),
                          MakeBooleanChecker())
            .AddAttribute("LetLeave",
                          "Whether to go on without a worker that has closed its connections in "
                          "order, as one does whose application is stopped.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&ParameterServer::m_letLeave),
                          MakeBooleanChecker());
    return tid;
}

ParameterServer::ParameterServer() = default;

ParameterServer::~ParameterServer() = default;

void
ParameterServer::DoDispose()
{
    StepApplication::DoDispose();
    m_executors.clear(); // after the connections, which refer to them
}

std::vector<std::string>
ParameterServer::GetBlockedOps() const
{
    std::vector<std::string> lines;
    if (m_executors.empty())
    {
        return lines; // not started, or disposed of
    }
    for (const uint32_t number : m_numbers)
    {
        const StepExecutor& executor = *m_executors[number];
        for (const auto& op : executor.GetBlockedOps())
        {
            lines.push_back("parameter server " + std::to_string(m_index) + " for worker " +
                            std::to_string(executor.GetWorker()) + ": " + op);
        }
    }
    return lines;
}

void
ParameterServer::StartApplication()
{
    for (const double at : m_restores)
    {
        ModelClock::Schedule(Seconds(at - GetNow()), [this, at] { Restore(at); });
    }
    StepApplication::StartApplication();
}

void
ParameterServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    for (const auto& executor : m_executors)
    {
        executor->Abandon();
    }
    StepApplication::StopApplication();
}

void
ParameterServer::Restore(double at)
{
    NS_LOG_FUNCTION(this << at);
    if (IsStopped() || !m_sync)
    {
        return;
    }
    if (m_index == 0 && m_recorder)
    {
        m_recorder.Tell(ServerCrashRecord{at});
    }
    m_sync->Restore();
    for (uint32_t peer = 0; peer < GetPeers(); ++peer)
    {
        if (m_present[peer])
        {
            HandlePeerLost(peer);
        }
    }
}

Endpoint
ParameterServer::GetEndpoint() const
{
    return {Role::SERVER, m_index};
}

StepExecutor&
ParameterServer::GetExecutorOf(uint32_t peer)
{
    return *m_executors[m_numbers[peer]];
}

StepExecutor&
ParameterServer::GetExecutor(uint32_t number) const
{
    return *m_executors[number];
}

void
ParameterServer::MakeExecutors()
{
    m_runGraphs.assign(GetPeers(), {});
    m_joins.assign(GetPeers(), 0);
    m_numbers.assign(GetPeers(), 0);
    m_present.assign(GetPeers(), true);
    SyncListener& listener = *this; // the base is private, so only a member can convert
    m_sync = std::make_unique<SyncServer>(GetPlan(), m_policy, GetPeers(), listener);
    if (m_control)
    {
        m_batches = std::make_unique<BatchSizeService>(
            m_control,
            GetPeers(),
            [this](uint32_t worker, int32_t stream, uint32_t batch) {
                AnswerRunGraph(worker, stream, {{BATCH_VALUE, batch}});
            });
    }
    m_shared = MakeDevices(m_cores);
    for (uint32_t worker = 0; worker < GetPeers(); ++worker)
    {
        AddExecutor(worker);
        m_sync->Join(worker, GetExecutorOf(worker));
    }
}

void
ParameterServer::AddExecutor(uint32_t worker)
{
    auto devices = MakeDevices();
    for (std::size_t i = 0; m_cores > 0 && i < devices.size(); ++i)
    {
        if (GetPlan().resources[i].IsServerDevice())
        {
            devices[i] = m_shared[i];
        }
    }
    m_numbers[worker] = m_executors.size();
    m_executors.push_back(MakeExecutor(m_numbers[worker], worker, devices));
    m_executors.back()->SetSync(*m_sync);
}

void
ParameterServer::HandlePeerLost(uint32_t peer)
{
    NS_LOG_FUNCTION(this << peer);
    if (!m_elastic)
    {
        StepApplication::HandlePeerLost(peer);
        return;
    }
    ForgetWorker(peer);
}

void
ParameterServer::HandlePeerLeft(uint32_t peer)
{
    NS_LOG_FUNCTION(this << peer);
    m_letLeave ? ForgetWorker(peer) : HandlePeerLost(peer);
}

void
ParameterServer::ForgetWorker(uint32_t peer)
{
    GetExecutorOf(peer).Abandon();
    m_present[peer] = false;
    m_joins[peer] = 0;
    DropPeer(peer);
    m_sync->Leave(peer);
    if (m_batches)
    {
        m_batches->Leave(peer);
    }
    if (m_shedding)
    {
        m_shedding->Leave(peer);
    }
}

void
ParameterServer::HandlePeerBack(uint32_t peer)
{
    NS_LOG_FUNCTION(this << peer);
    if (!m_present[peer]) // else it is here for the first time
    {
        AddExecutor(peer);
    }
}

void
ParameterServer::HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request)
{
    NS_LOG_FUNCTION(this << peer << request.stepId);
    StepExecutor& executor = GetExecutorOf(peer);
    const std::string& handle = request.graphHandle;
    if (handle == JOIN_GRAPH)
    {
        HandleJoin(peer, stream);
        return;
    }
    if (handle == LEAVE_GRAPH)
    {
        m_present[peer] = false;
        m_sync->Leave(peer);
        AnswerRunGraph(peer, stream);
        return;
    }
    if (handle == BATCH_GRAPH)
    {
        HandleReport(peer, stream, request);
        return;
    }
    if (handle == PROGRESS_GRAPH || handle == GIVE_GRAPH)
    {
        HandleSamples(peer, stream, request);
        return;
    }
    const std::size_t samples =
        GetPlan().ops.empty() ? 0 : GetPlan().seconds.size() / GetPlan().ops.size();
    uint32_t sample = 0;
    const auto [end, error] = std::from_chars(handle.data(), handle.data() + handle.size(), sample);
    const bool known =
        error == std::errc() && end == handle.data() + handle.size() && sample < samples;
    if (known && executor.CanSkipTo(request.stepId))
    {
        const uint32_t from = executor.GetNextStep();
        executor.SkipTo(request.stepId);
        m_sync->Skipped(peer, from);
    }
    if (!known || !executor.CanBegin(request.stepId))
    {
        Fail("worker " + std::to_string(peer) + " asked for step " +
             std::to_string(request.stepId) + " of graph '" + handle +
             "', which cannot be run now");
        return;
    }
    Join(peer);
    m_runGraphs[peer][request.stepId % 2] = stream;
    AnnounceWindow(peer, request.stepId);
    executor.BeginStep(request.stepId, sample);
}

void
ParameterServer::HandleJoin(uint32_t peer, int32_t stream)
{
    // from now on the others wait for it, or they would be ahead before its first step begins
    const uint32_t step = m_sync->GetJoiningStep(peer);
    StepExecutor& executor = GetExecutorOf(peer);
    if (executor.CanSkipTo(step))
    {
        executor.SkipTo(step);
    }
    Join(peer);
    if (m_sync->Enter(peer))
    {
        AnswerRunGraph(peer, stream, {{STEP_VALUE, step}});
        return;
    }
    m_joins[peer] = stream;
}

void
ParameterServer::Join(uint32_t peer)
{
    if (!m_present[peer])
    {
        m_present[peer] = true;
        m_sync->Join(peer, GetExecutorOf(peer));
    }
}

void
ParameterServer::HandleSamples(uint32_t peer, int32_t stream, const RunGraphRequest& request)
{
    const auto report = SampleReportFromValues(request.send, request.stepId);
    const auto given = CountFromValues(request.send, GIVEN_VALUE);
    const bool progress = request.graphHandle == PROGRESS_GRAPH;
    if (!m_shedding || !(progress ? report.has_value() : given.has_value()))
    {
        Fail("worker " + std::to_string(peer) + " sent samples or progress that " +
             (m_shedding ? "cannot be understood" : "nobody wants"));
        return;
    }
    if (progress)
    {
        AnswerRunGraph(peer, stream, ToValues(m_shedding->Check(peer, *report)));
        return;
    }
    m_shedding->Give(peer, *given);
    AnswerRunGraph(peer, stream);
}

void
ParameterServer::HandleReport(uint32_t peer, int32_t stream, const RunGraphRequest& request)
{
    if (!m_batches || !m_batches->Take(peer, stream, request))
    {
        Fail("worker " + std::to_string(peer) + " sent a report that " +
             (m_batches ? "cannot be understood" : "nobody wants"));
    }
}

void
ParameterServer::StepCompleted(StepExecutor& executor, uint32_t step)
{
    const uint32_t worker = executor.GetWorker();
    if (GetPlan().overlaps)
    {
        AnswerRunGraph(worker, m_runGraphs[worker][step % 2]);
        return;
    }
    m_sync->StepDone(worker, step);
}

void
ParameterServer::MayProceed(uint32_t worker, uint32_t step, uint32_t dropped)
{
    if (const int32_t join = std::exchange(m_joins[worker], 0))
    {
        AnswerRunGraph(worker, join, {{STEP_VALUE, step}});
        return;
    }
    const uint32_t done = GetExecutorOf(worker).GetEndedSteps() - 1;
    NamedValues values;
    if (step != done + 1)
    {
        values[STEP_VALUE] = step;
    }
    if (dropped > 0)
    {
        values[DROPPED_VALUE] = dropped;
    }
    AnswerRunGraph(worker, m_runGraphs[worker][done % 2], values);
}

} // namespace ns3::dml
