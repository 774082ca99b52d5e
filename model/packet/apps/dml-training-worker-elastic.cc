/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A worker of a job that goes on when others crash: its launcher starts and ends its processes.

#include "dml-batch-size-messages.h"
#include "dml-parameter-server.h"
#include "dml-step-agreement.h"
#include "dml-training-worker.h"

#include "ns3/dml-elastic-launcher.h"
#include "ns3/dml-model-clock.h"

namespace ns3::dml
{

namespace
{

/// Handle of the graph that takes the steps a worker has learnt, and gives those of the one that
/// has learnt most: with which all begin.
constexpr const char* FIRST_STEP_GRAPH = "first-step";
/// Handle of the graph that takes the steps a worker has begun, and gives those of the one that has
/// begun most: after which all end.
constexpr const char* LAST_STEP_GRAPH = "last-step";

} // namespace

void
TrainingWorker::SetLauncher(ElasticLauncher& launcher, const Membership& membership)
{
    m_launcher = &launcher;
    m_firstStepAgreement =
        std::make_unique<StepAgreement>([this](uint32_t worker, int32_t call, uint32_t step) {
            AnswerStep(worker, call, step, FIRST_STEP_GRAPH);
        });
    m_lastStepAgreement =
        std::make_unique<StepAgreement>([this](uint32_t worker, int32_t call, uint32_t step) {
            AnswerStep(worker, call, step, LAST_STEP_GRAPH);
        });
    JoinMembership(membership);
}

void
TrainingWorker::JoinMembership(const Membership& membership)
{
    m_leader = membership.workers.front();
    m_firstStepAgreement->Begin(membership.workers.size());
    m_lastStepAgreement->Begin(membership.workers.size());
    UsePeers(ListMemberPeers(membership, m_index, GetWorkers()));
}

void
TrainingWorker::StartProcess(const Membership& membership)
{
    SetPlan(membership.plan, GetWorkers());
    PreparePlan();
    JoinMembership(membership);
    m_connected = 0;
    m_endsEarly = false;
    MakeExecutors();
    m_executors.back()->AwaitFirstStep();
    Open();
    if (GetPeersInUse() == 0)
    {
        HandleAllConnected();
    }
}

void
TrainingWorker::EndProcess()
{
    m_loop->End();
}

void
TrainingWorker::EndAfterStep()
{
    if (m_loop->IsReturning())
    {
        m_endsEarly = true; // it asks when it has begun
        return;
    }
    m_loop->Hold();
    AskForStep(LAST_STEP_GRAPH, m_loop->GetBegun());
}

void
TrainingWorker::LeaveRest()
{
    m_loop->Restart(m_steps);
}

void
TrainingWorker::GiveUp(const std::string& text)
{
    FailRun(text);
}

void
TrainingWorker::WorkerStopped([[maybe_unused]] uint32_t worker)
{
    // a connection may be at work now
    ModelClock::Schedule(Time(0), [this] { m_launcher->Stopped(m_index); });
}

void
TrainingWorker::AskForFirstStep()
{
    AskForStep(FIRST_STEP_GRAPH, m_loop->GetLearnt());
}

void
TrainingWorker::AskForStep(const char* graph, uint32_t step)
{
    if (m_index != m_leader)
    {
        SendRunGraph(FindPeer({Role::WORKER, m_leader}),
                     m_loop->GetDone(),
                     graph,
                     {{ParameterServer::STEP_VALUE, step}});
        return;
    }
    TakeStep(m_index, 0, graph, step);
}

bool
TrainingWorker::TakeStep(uint32_t worker, int32_t call, const std::string& graph, uint32_t step)
{
    const bool first = graph == FIRST_STEP_GRAPH;
    if (!m_launcher || (!first && graph != LAST_STEP_GRAPH))
    {
        return false;
    }
    (first ? m_firstStepAgreement : m_lastStepAgreement)->Take(worker, call, step);
    return true;
}

bool
TrainingWorker::TakeStepRequest(uint32_t worker, int32_t call, const RunGraphRequest& request)
{
    const auto step = CountFromValues(request.send, ParameterServer::STEP_VALUE);
    return step && TakeStep(worker, call, request.graphHandle, *step);
}

void
TrainingWorker::AnswerStep(uint32_t worker, int32_t call, uint32_t step, const char* graph)
{
    if (worker == m_index)
    {
        StepAgreed(graph, step);
        return;
    }
    AnswerRunGraph(FindPeer({Role::WORKER, worker}), call, {{ParameterServer::STEP_VALUE, step}});
}

bool
TrainingWorker::StepAgreed(const std::string& graph, uint32_t step)
{
    if (graph == LAST_STEP_GRAPH)
    {
        m_loop->EndAfter(step);
        return true;
    }
    if (graph != FIRST_STEP_GRAPH)
    {
        return false;
    }
    m_loop->Restart(step);
    if (m_endsEarly && !m_loop->IsFinished())
    {
        EndAfterStep();
    }
    return true;
}

} // namespace ns3::dml
