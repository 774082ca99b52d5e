/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What a worker agrees on with others: the batch size of its steps and its share of their samples;
// which gradients are reduced, by the BucketService of the first worker, which all call; and where
// a launcher starts and ends processes, the steps with which these begin and after which they end.

#include "dml-batch-size-service.h"
#include "dml-bucket-negotiator.h"
#include "dml-gradient-coder.h"
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
TrainingWorker::AskForBatchSize([[maybe_unused]] uint32_t worker,
                                uint32_t step,
                                const WorkerReport& report)
{
    if (m_batches)
    {
        m_batches->Report(m_index, step, report);
        return;
    }
    const uint32_t manager = GetServers() > 0 ? 0 : FindPeer({Role::WORKER, 0});
    SendRunGraph(manager, step, BATCH_GRAPH, ToValues(report));
}

void
TrainingWorker::SetBatchSize(uint32_t worker, int32_t stream, uint32_t batch)
{
    if (worker == m_index)
    {
        m_loop->SetBatchSize(batch);
        return;
    }
    AnswerRunGraph(FindPeer({Role::WORKER, worker}), stream, {{BATCH_VALUE, batch}});
}

void
TrainingWorker::ReportProgress([[maybe_unused]] uint32_t worker, const SampleReport& report)
{
    SendRunGraph(0, report.step, PROGRESS_GRAPH, ToValues(report));
}

void
TrainingWorker::GiveSamples([[maybe_unused]] uint32_t worker, uint32_t step, uint32_t given)
{
    SendRunGraph(0, step, GIVE_GRAPH, {{GIVEN_VALUE, given}});
}

void
TrainingWorker::StepsSkipped([[maybe_unused]] uint32_t worker, [[maybe_unused]] uint32_t from)
{
    // the servers see it when the worker asks for the step that it goes on with
}

void
TrainingWorker::MakeNegotiation()
{
    const StepPlan& plan = GetPlan();
    if (!plan.negotiation)
    {
        return;
    }
    m_coder = std::make_unique<GradientCoder>(plan);
    BucketNegotiator::Callbacks callbacks;
    callbacks.tell = [this](uint32_t cycle, const std::vector<uint32_t>& gradients) {
        TellGradients(cycle, gradients);
    };
    callbacks.start = [this](const std::vector<Bucket>& buckets) {
        m_executors.back()->StartBuckets(buckets);
    };
    m_negotiator = std::make_unique<BucketNegotiator>(plan, m_steps, callbacks);
    if (m_index == 0)
    {
        m_bucketService = std::make_unique<BucketService>(
            plan,
            GetPolicy(),
            GetPeers() + 1,
            [this] { return GetNow(); },
            [this](uint32_t worker,
                   int32_t call,
                   uint32_t cycle,
                   const std::vector<uint32_t>& order) {
                AnswerGradients(worker, call, cycle, order);
            });
    }
}

void
TrainingWorker::OfferCollective([[maybe_unused]] StepExecutor& executor, uint32_t collective)
{
    m_negotiator->Offer(collective);
}

void
TrainingWorker::BucketReduced([[maybe_unused]] StepExecutor& executor, const Bucket& bucket)
{
    if (m_bucketService)
    {
        m_bucketService->Reduced(bucket);
    }
    if (m_negotiator)
    {
        m_negotiator->Reduced();
    }
}

void
TrainingWorker::TellGradients(uint32_t cycle, const std::vector<uint32_t>& gradients)
{
    if (IsStopped())
    {
        return;
    }
    if (m_bucketService)
    {
        m_bucketService->Tell(m_index, 0, cycle, gradients);
        return;
    }
    SendRunGraph(FindPeer({Role::WORKER, 0}), cycle, BUCKET_GRAPH, m_coder->EncodeSet(gradients));
}

bool
TrainingWorker::TakeGradients(uint32_t worker, int32_t call, const RunGraphRequest& request)
{
    if (!m_bucketService || request.graphHandle != BUCKET_GRAPH || request.stepId < 0)
    {
        return false;
    }
    const auto gradients = m_coder->DecodeSet(request.send);
    return gradients && m_bucketService->Tell(worker, call, request.stepId, *gradients);
}

void
TrainingWorker::AnswerGradients(uint32_t worker,
                                int32_t call,
                                uint32_t cycle,
                                const std::vector<uint32_t>& order)
{
    if (worker != m_index)
    {
        AnswerRunGraph(FindPeer({Role::WORKER, worker}), call, m_coder->EncodeOrder(order));
        return;
    }
    // the others first: they are told by the same names
    ModelClock::Schedule(Time(0), [this, cycle, order] { StartAgreed(cycle, order); });
}

void
TrainingWorker::StartAgreed(uint32_t cycle, const std::vector<uint32_t>& order)
{
    if (!IsStopped())
    {
        m_coder->Learn(order);
        m_negotiator->Answer(cycle, order);
    }
}

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
