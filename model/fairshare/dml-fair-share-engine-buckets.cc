/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How the workers of a job agree which collectives start.

#include "dml-fair-share-engine.h"

#include <utility>

namespace ns3::dml
{

void
FairShareEngine::MakeNegotiation(Job& job)
{
    if (!job.run.plan->negotiation)
    {
        return;
    }
    std::vector<BucketNegotiation::Worker> workers;
    for (uint32_t i = 0; i < job.run.workers; ++i)
    {
        const FlowId flow = m_workers[job.firstWorker + i].firstFlow;
        const bool sends = job.flows > 0;
        workers.push_back({job.run.startOffsets[i], i > 0 && sends ? m_flows[flow].delay : 0});
    }
    job.negotiation =
        std::make_unique<BucketNegotiation>(*job.run.plan, job.run.policy, workers, [this] {
            return GetNow();
        });
}

void
FairShareEngine::OfferCollective(StepExecutor& executor, uint32_t collective)
{
    Job& job = *m_workers[m_runners[executor.GetNumber()].worker].job;
    job.negotiation->Offer(executor.GetWorker(), collective);
    ScheduleAgreement(job);
}

void
FairShareEngine::BucketReduced(StepExecutor& executor, const Bucket& bucket)
{
    Job& job = *m_workers[m_runners[executor.GetNumber()].worker].job;
    if (job.negotiation)
    {
        job.negotiation->Reduced(executor.GetWorker(), bucket);
        ScheduleAgreement(job);
    }
}

void
FairShareEngine::ScheduleAgreement(Job& job)
{
    const auto next = job.negotiation->GetNext();
    if (next.value_or(-1) == job.agreeAt)
    {
        return;
    }
    job.agreeAt = next.value_or(-1);
    if (next)
    {
        Pending agree{Pending::Kind::AGREE};
        agree.owner = m_workers[job.firstWorker].executor->GetNumber();
        agree.start = *next;
        Schedule(*next - m_origin, agree, BEHIND_OTHERS);
    }
}

void
FairShareEngine::Agree(Job& job)
{
    job.agreeAt = -1;
    const auto buckets = job.negotiation->Agree();
    for (uint32_t i = 0; i < job.run.workers && !buckets.empty(); ++i)
    {
        Worker& worker = m_workers[job.firstWorker + i];
        worker.agreed.push_back(buckets);
        Pending agreed{Pending::Kind::AGREED};
        agreed.owner = worker.executor->GetNumber();
        Schedule(m_now + job.negotiation->GetAnswerDelay(i), agreed);
    }
    ScheduleAgreement(job);
}

void
FairShareEngine::StartAgreed(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const auto buckets = std::move(state.agreed.front());
    state.agreed.pop_front();
    state.executor->StartBuckets(buckets);
}

} // namespace ns3::dml
