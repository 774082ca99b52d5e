/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A worker's steps from begin to end, and its end.

// What workers do in their lives: steps, crashes and returns, and what they agree on.

#include "dml-fair-share-engine.h"
#include "dml-worker-windows.h"

#include "ns3/dml-repeatable-error.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Steps without duration that a job which repeats them may do in a row.
constexpr uint32_t MOST_HOLLOW_STEPS = 1000;

} // namespace

double
FairShareEngine::GetStepStart(uint32_t worker, uint32_t step) const
{
    return m_workers[worker].stepStart[step % 2];
}

void
FairShareEngine::StepBegins(uint32_t worker, uint32_t step, [[maybe_unused]] uint32_t sample)
{
    Worker& state = m_workers[worker];
    state.stepStart[step % 2] = GetNow();
    for (std::size_t server = 0; server < state.served.size(); ++server)
    {
        state.served[server] = std::max(state.served[server], GetNow() + state.callDelays[server]);
    }
    if (m_workerWindows[worker])
    {
        m_workerWindows[worker]->BeginStep(step);
    }
}

void
FairShareEngine::BeginAggregation(StepExecutor& executor, const Job& job)
{
    const uint32_t step = executor.GetNextStep();
    if (&job != &m_jobs.front() || step < job.run.steps)
    {
        executor.BeginStep(step, 0);
    }
}

void
FairShareEngine::CallLater(uint32_t worker, double seconds, uint32_t call)
{
    Schedule(m_now + seconds, Pending::Kind::LATE, call, worker);
}

void
FairShareEngine::StepEnded(uint32_t worker, const StepRecord& record)
{
    Worker& state = m_workers[worker];
    if (state.job == &m_jobs.front())
    {
        ++m_stepsDone;
        m_stopped = m_stopped || (m_stopRule && m_stopRule());
        return;
    }
    state.hollow = record.end > record.start ? 0 : state.hollow + 1;
    if (state.hollow > MOST_HOLLOW_STEPS)
    {
        throw RepeatableError("worker " + std::to_string(worker) +
                              " of a job that repeats its steps does them in no time");
    }
}

void
FairShareEngine::GiveSamples(uint32_t worker, [[maybe_unused]] uint32_t step, uint32_t given)
{
    const Job& job = *m_workers[worker].job;
    job.shedding->Give(worker - job.firstWorker, given);
}

void
FairShareEngine::StepsSkipped(uint32_t worker, uint32_t from)
{
    const Job& job = *m_workers[worker].job;
    job.sync->Skipped(worker - job.firstWorker, from);
}

void
FairShareEngine::WorkerLeaves(uint32_t worker, [[maybe_unused]] bool early)
{
    const Job& job = *m_workers[worker].job;
    job.sync->Leave(worker - job.firstWorker); // nobody waits for it any more
}

void
FairShareEngine::WorkerDied(uint32_t worker)
{
    Worker& state = m_workers[worker];
    for (FlowId id = state.firstFlow; id < state.firstFlow + state.job->flows; ++id)
    {
        if (const std::size_t turns = CountTurns(id); turns > 0)
        {
            m_flows[id].active = false;
            m_liveFlows -= m_flows[id].dead ? 0 : turns;
            m_sharing->Stop(id, m_now);
            if (!m_arrivals.empty())
            {
                m_arrivals[id].clear();
            }
        }
        m_flows[id].requests.clear();
    }
    state.answers.clear();
    state.reports.clear();
    const uint32_t number = worker - state.job->firstWorker;
    state.job->sync->Leave(number);
    if (state.job->batches)
    {
        state.job->batches->Leave(number);
    }
    if (state.job->shedding)
    {
        state.job->shedding->Leave(number);
        state.moves.clear();
    }
}

void
FairShareEngine::WorkerFinished(uint32_t worker)
{
    const bool first = m_workers[worker].job == &m_jobs.front();
    m_finished += first ? 1 : 0;
    if (first && m_launcher && !m_workers[worker].loop.IsDown())
    {
        m_launcher->Finished(worker);
    }
}

void
FairShareEngine::Rejoin(uint32_t worker)
{
    Worker& state = m_workers[worker];
    if (!state.loop.Rejoin())
    {
        return;
    }
    if (m_launcher)
    {
        m_launcher->Back(worker);
        return;
    }
    // its connections take a round trip, and then it tells all servers that it is back
    double delay = 0;
    for (std::size_t server = 0; DelaysAnswers(*state.job) && server < state.callDelays.size();
         ++server)
    {
        delay = std::max(delay, 2 * state.callDelays[server] + state.answerDelays[server]);
    }
    if (delay == 0)
    {
        Join(worker);
        return;
    }
    state.joinsAt = GetNow() + delay;
    Schedule(m_now + delay, Pending::Kind::JOIN, 0, worker, state.joinsAt);
}

void
FairShareEngine::Join(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const uint32_t number = worker - state.job->firstWorker;
    const uint32_t step = std::max(state.loop.GetDone(), state.job->sync->GetJoiningStep(number));
    if (step >= state.job->run.steps)
    {
        state.loop.Return(step);
        return;
    }
    MakeExecutor(worker, step);
    if (state.job->sync->Enter(number))
    {
        SendAnswer(worker, {true, state.loop.GetDone(), step, 0});
    }
}

void
FairShareEngine::Crash(uint32_t worker, bool forGood)
{
    WorkerLoop& loop = m_workers[worker].loop;
    const bool dies = !loop.IsDown() && !loop.IsFinished();
    loop.Crash(forGood);
    if (dies && m_launcher)
    {
        m_launcher->Crashed(worker, GetNow());
    }
}

void
FairShareEngine::WorkerStopped(uint32_t worker)
{
    m_launcher->Stopped(worker);
}

void
FairShareEngine::WakeLauncher(double delay, uint64_t call)
{
    Schedule(m_now + delay, Pending::Kind::LAUNCH, 0, call);
}

void
FairShareEngine::EndWorker(uint32_t worker)
{
    m_workers[worker].loop.End();
}

void
FairShareEngine::EndAfterStep(const std::vector<uint32_t>& workers)
{
    // they learn it from each other, which takes no time
    uint32_t last = 0;
    for (const uint32_t worker : workers)
    {
        last = std::max(last, m_workers[worker].loop.GetBegun());
    }
    for (const uint32_t worker : workers)
    {
        m_workers[worker].loop.EndAfter(last);
    }
}

void
FairShareEngine::StartWorkers(const Membership& membership)
{
    uint32_t step = 0;
    for (const uint32_t worker : membership.workers)
    {
        step = std::max(step, m_workers[worker].loop.GetLearnt());
    }
    Job& job = m_jobs.front();
    const std::size_t plan = job.run.elastic->Find(membership.workers);
    for (const uint32_t worker : membership.workers)
    {
        MakeExecutor(worker, step, plan);
    }
    for (const uint32_t worker : membership.workers)
    {
        job.sync->Enter(worker);
        m_workers[worker].loop.Restart(step);
    }
}

void
FairShareEngine::NothingLeft(uint32_t worker)
{
    m_workers[worker].loop.Restart(m_jobs.front().run.steps);
}

void
FairShareEngine::ModelLost(const std::string& text)
{
    throw RepeatableError(text);
}

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
        const CoordinatorDelays delays = GetCoordinatorDelays(job.firstWorker + i);
        workers.push_back({job.run.startOffsets[i], delays.to, delays.from});
    }
    job.negotiation =
        std::make_unique<BucketNegotiation>(*job.run.plan, job.run.policy, workers, [this] {
            return GetNow();
        });
}

void
FairShareEngine::OfferCollective(StepExecutor& executor, uint32_t collective)
{
    Job& job = *m_runners[executor.GetNumber()].job;
    job.negotiation->Offer(executor.GetWorker(), collective);
    ScheduleAgreement(job);
}

void
FairShareEngine::BucketReduced(StepExecutor& executor, const Bucket& bucket)
{
    Job& job = *m_runners[executor.GetNumber()].job;
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
        Schedule(*next - m_origin,
                 Pending::Kind::AGREE,
                 m_workers[job.firstWorker].executor->GetNumber(),
                 0,
                 *next,
                 BEHIND_OTHERS);
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
        Schedule(m_now + job.negotiation->GetAnswerDelay(i),
                 Pending::Kind::AGREED,
                 worker.executor->GetNumber(),
                 0);
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
