/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A worker's steps from begin to end, and its end.

#include "dml-fair-share-engine.h"
#include "dml-worker-windows.h"

#include "ns3/dml-repeatable-error.h"

#include <algorithm>

namespace ns3
{
namespace dml
{

namespace
{

/// Steps without duration that a job which repeats them may do in a row.
constexpr uint32_t MOST_HOLLOW_STEPS = 1000;

} // namespace

void
FairShareEngine::Start(uint32_t worker)
{
    Worker& state = m_workers[worker];
    if (state.up && !state.started)
    {
        state.started = true;
        BeginStep(worker);
    }
}

void
FairShareEngine::BeginStep(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const uint32_t step = state.next++;
    state.stepStart[step % 2] = GetNow();
    state.inStep = true;
    if (m_workerWindows[worker])
    {
        m_workerWindows[worker]->BeginStep(step);
    }
    Job& job = *state.job;
    const uint32_t number = worker - job.firstWorker;
    const double scale = state.samples
                             ? state.samples->BeginStep()
                             : GetComputeScale(state.compute, job.run.batchSize, state.batch);
    state.executor->BeginStep(step, job.run.samplers[number].At(step), scale);
}

void
FairShareEngine::ComputeOpEnded(StepExecutor& executor)
{
    const uint32_t worker = m_runners[executor.GetNumber()].worker;
    Worker& state = m_workers[worker];
    const auto report = state.samples ? state.samples->Check(executor) : std::nullopt;
    if (!report)
    {
        return;
    }
    // the server learns at once, the worker after a round trip
    const SampleMove move = state.job->shedding->Check(executor.GetWorker(), *report);
    state.moves.emplace_back(report->step, move);
    const double delay = m_network.links.flows[state.firstFlow].delay;
    if (delay == 0)
    {
        MoveSamples(worker);
        return;
    }
    Pending pending{Pending::Kind::MOVE};
    pending.owner = executor.GetNumber();
    Schedule(m_now + 2 * delay, pending);
}

void
FairShareEngine::MoveSamples(uint32_t worker)
{
    Worker& state = m_workers[worker];
    const auto [step, move] = state.moves.front();
    state.moves.pop_front();
    const uint32_t given = state.samples->Apply(*state.executor, move, step);
    if (move.give > 0)
    {
        state.job->shedding->Give(worker - state.job->firstWorker, given);
    }
}

void
FairShareEngine::StepCompleted(StepExecutor& executor, uint32_t step)
{
    const uint32_t worker = m_runners[executor.GetNumber()].worker;
    if (executor.GetPlan().overlaps)
    {
        RecordStep(worker, step, 0);
        if (m_workers[worker].job == &m_jobs.front() && step + 1 == m_jobs.front().run.steps)
        {
            Finish(worker);
        }
        return;
    }
    m_workers[worker].job->sync->StepDone(executor.GetWorker(), step);
}

void
FairShareEngine::EndStep(uint32_t worker, uint32_t next, uint32_t dropped)
{
    Worker& state = m_workers[worker];
    if (!state.returning)
    {
        RecordStep(worker, state.next - 1, dropped);
    }
    if (next >= state.job->run.steps && state.job == &m_jobs.front())
    {
        Finish(worker);
        state.job->sync->Leave(worker - state.job->firstWorker); // nobody waits for it any more
        return;
    }
    if (next > state.next)
    {
        const uint32_t from = state.next;
        state.next = next;
        state.executor->SkipTo(next);
        state.job->sync->Skipped(worker - state.job->firstWorker, from);
    }
    state.returning ? Return(worker) : GoOn(worker);
}

void
FairShareEngine::GoOn(uint32_t worker)
{
    Worker& state = m_workers[worker];
    Job& job = *state.job;
    if (!job.batches)
    {
        BeginStep(worker);
        return;
    }
    const uint32_t step = state.executor->GetEndedSteps() - 1;
    const double seconds = state.executor->GetOwnEnd(step) - state.stepStart[step % 2];
    if (!job.asksFirst)
    {
        state.batch = state.nextBatch;
        BeginStep(worker);
    }
    const uint32_t batch = state.batch > 0 ? state.batch : job.run.batchSize;
    job.batches->Report(worker - job.firstWorker,
                        state.next,
                        MakeWorkerReport(state.compute, batch, seconds, GetNow()));
}

void
FairShareEngine::SetBatchSize(uint32_t worker, uint32_t batch)
{
    Worker& state = m_workers[worker];
    state.nextBatch = batch;
    if (state.job->asksFirst)
    {
        state.batch = batch;
        BeginStep(worker);
    }
}

void
FairShareEngine::RecordStep(uint32_t worker, uint32_t step, uint32_t dropped)
{
    Worker& state = m_workers[worker];
    const double start = state.stepStart[step % 2];
    state.inStep = false;
    if (m_observer)
    {
        m_observer->StepEnded({worker,
                               step,
                               state.executor->GetSample(step),
                               start,
                               GetNow(),
                               state.executor->GetOwnEnd(step),
                               state.samples ? state.samples->GetSamples() : state.batch,
                               dropped});
    }
    if (state.job == &m_jobs.front())
    {
        ++m_stepsDone;
        m_stopped = m_stopped || (m_stopRule && m_stopRule());
        return;
    }
    state.hollow = GetNow() > start ? 0 : state.hollow + 1;
    if (state.hollow > MOST_HOLLOW_STEPS)
    {
        throw RepeatableError("worker " + std::to_string(worker) +
                              " of a job that repeats its steps does them in no time");
    }
}

void
FairShareEngine::NextStepAllowed(StepExecutor& executor, [[maybe_unused]] uint32_t step)
{
    const uint32_t worker = m_runners[executor.GetNumber()].worker;
    const Worker& state = m_workers[worker];
    if (state.job != &m_jobs.front() || state.next < state.job->run.steps)
    {
        BeginStep(worker);
    }
}

void
FairShareEngine::Finish(uint32_t worker)
{
    Worker& state = m_workers[worker];
    if (!state.finished)
    {
        state.finished = true;
        m_finished += state.job == &m_jobs.front() ? 1 : 0;
    }
}

void
FairShareEngine::Crash(uint32_t worker, bool forGood)
{
    Worker& state = m_workers[worker];
    if (!state.up || state.finished)
    {
        return;
    }
    const bool inStep = state.inStep; // or waits for the token of the step
    state.up = false;
    state.inStep = false;
    state.returning = false;
    state.next -= inStep ? 1 : 0;
    state.executor->Abandon();
    for (FlowId id = state.firstFlow; id < state.firstFlow + 2 * state.job->run.plan->servers; ++id)
    {
        if (m_flows[id].active)
        {
            m_flows[id].active = false;
            m_liveFlows -= m_flows[id].dead ? 0 : 1;
            m_sharing->Stop(id, m_now);
        }
    }
    if (m_observer)
    {
        m_observer->WorkerCrashed({worker,
                                   GetNow(),
                                   state.next,
                                   inStep ? state.stepStart[state.next % 2] : UNKNOWN_TIME});
    }
    if (forGood)
    {
        Finish(worker);
    }
    const uint32_t number = worker - state.job->firstWorker;
    state.job->sync->Leave(number);
    if (state.job->batches)
    {
        state.job->batches->Leave(number);
    }
    if (state.job->shedding)
    {
        state.job->shedding->Leave(number);
        state.samples->Forget();
        state.moves.clear();
    }
}

void
FairShareEngine::Rejoin(uint32_t worker)
{
    Worker& state = m_workers[worker];
    if (state.up)
    {
        return; // it had done all its steps
    }
    state.up = true;
    state.started = true;
    state.next = std::max(state.next, state.job->sync->GetJoiningStep());
    if (state.next >= state.job->run.steps)
    {
        Finish(worker);
        return;
    }
    MakeExecutor(worker);
    state.returning = true;
    if (state.job->sync->Enter(worker - state.job->firstWorker))
    {
        Return(worker);
    }
}

void
FairShareEngine::Return(uint32_t worker)
{
    Worker& state = m_workers[worker];
    state.returning = false;
    if (m_observer)
    {
        m_observer->WorkerRejoined({worker, GetNow(), state.next});
    }
    BeginStep(worker);
}

} // namespace dml
} // namespace ns3
