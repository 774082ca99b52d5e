/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a worker agrees with the others which gradients are reduced: the first worker has the
// BucketService, which all call.

#include "dml-bucket-negotiator.h"
#include "dml-bucket-service.h"
#include "dml-gradient-coder.h"
#include "dml-training-worker.h"

#include "ns3/dml-model-clock.h"

namespace ns3::dml
{

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

} // namespace ns3::dml
