/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-worker-loop.h"

#include "dml-batch-size-manager.h"
#include "dml-step-executor.h"

#include "ns3/assert.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

BatchSizes
GetBatchSizes(const TrainingRun& run)
{
    const auto control = CreateBatchSizeControl(run);
    return !control                ? BatchSizes::KEPT
           : control->IsBlocking() ? BatchSizes::ASKED_FIRST
                                   : BatchSizes::ASKED_AHEAD;
}

WorkerSettings
MakeWorkerSettings(const TrainingRun& run, uint32_t worker)
{
    WorkerSettings settings;
    settings.worker = worker;
    settings.steps = run.stepsOf.empty() ? run.steps : run.stepsOf[worker];
    settings.sampler = run.samplers[worker];
    settings.compute = worker < run.compute.size() ? run.compute[worker] : WorkerCompute();
    if (!run.jitter.empty())
    {
        settings.jitter = run.jitter[worker];
    }
    settings.profiled = run.batchSize;
    settings.batchSizes = GetBatchSizes(run);
    if (const auto shedding = CreateWorkShedding(run))
    {
        settings.samples.emplace(settings.compute, run.batchSize, *shedding);
    }
    return settings;
}

WorkerLoop::WorkerLoop(WorkerSettings settings,
                       uint32_t answers,
                       WorkerHost& host,
                       JobRecorder recorder)
    : m_settings(std::move(settings)),
      m_answers(answers),
      m_host(host),
      m_recorder(recorder),
      m_batch(m_settings.compute.batch),
      m_nextBatch(m_settings.compute.batch)
{
}

void
WorkerLoop::SetExecutor(StepExecutor& executor)
{
    m_executor = &executor;
    executor.SetLoop(*this);
}

void
WorkerLoop::Start()
{
    if (!m_down && !m_started)
    {
        m_started = true;
        if (m_begun < m_limit)
        {
            BeginStep();
        }
    }
}

void
WorkerLoop::BeginStep()
{
    if (m_stopped)
    {
        return;
    }
    if (!m_settings.jitter)
    {
        BeginNow();
        return;
    }
    m_late = ++m_calls;
    m_host.CallLater(m_settings.number, m_settings.jitter->Next(), m_late);
}

void
WorkerLoop::BeginLate(uint32_t call)
{
    if (call != m_late)
    {
        return;
    }
    m_late = 0;
    if (!m_stopped && m_begun < m_limit)
    {
        BeginNow();
    }
}

void
WorkerLoop::BeginNow()
{
    NS_ASSERT_MSG(m_begun - m_done < 2, "a third step began");
    const uint32_t step = m_begun++;
    m_open[step % 2] = {m_answers, false, 0};
    const uint32_t sample = m_settings.sampler->At(step);
    m_host.StepBegins(m_settings.number, step, sample);
    const double scale = m_settings.samples
                             ? m_settings.samples->BeginStep()
                             : GetComputeScale(m_settings.compute, m_settings.profiled, m_batch);
    m_executor->BeginStep(step, sample, scale);
    if (std::exchange(m_asks, false))
    {
        AskForBatchSize();
    }
}

void
WorkerLoop::Answer(uint32_t step, uint32_t next, uint32_t dropped)
{
    NS_ASSERT_MSG(m_open[step % 2].unanswered > 0, "a server answered twice");
    m_next = std::max(m_next, next);
    m_open[step % 2].dropped += dropped;
    --m_open[step % 2].unanswered;
    EndSteps();
}

void
WorkerLoop::StepCompleted(uint32_t step)
{
    NS_ASSERT_MSG(!m_open[step % 2].completed, "a step was completed twice");
    m_open[step % 2].completed = true;
    EndSteps();
}

void
WorkerLoop::NextStepAllowed(uint32_t step)
{
    m_allowed = step + 2;
    BeginAllowed();
}

void
WorkerLoop::BeginAllowed()
{
    if (m_begun >= m_limit)
    {
        if (m_ends)
        {
            m_host.WorkerStopped(m_settings.number);
        }
        return;
    }
    // two steps at most: an answer may be late
    if (m_late > 0 || m_begun >= std::min(m_allowed, m_settings.steps) || m_begun - m_done >= 2)
    {
        return;
    }
    if (m_settings.batchSizes == BatchSizes::ASKED_FIRST)
    {
        AskForBatchSize(); // whose answer begins the step
        return;
    }
    m_batch = m_nextBatch;
    m_asks = m_settings.batchSizes == BatchSizes::ASKED_AHEAD;
    BeginStep();
}

void
WorkerLoop::AskForBatchSize()
{
    const uint32_t batch = m_batch > 0 ? m_batch : m_settings.profiled;
    m_host.AskForBatchSize(
        m_settings.number,
        m_begun,
        MakeWorkerReport(m_settings.compute, batch, m_lastSeconds, m_host.GetNow()));
}

void
WorkerLoop::SetBatchSize(uint32_t batch)
{
    m_nextBatch = batch;
    if (m_settings.batchSizes == BatchSizes::ASKED_FIRST)
    {
        m_batch = batch;
        BeginStep();
    }
}

void
WorkerLoop::ComputeOpEnded()
{
    if (const auto report =
            m_settings.samples ? m_settings.samples->Check(*m_executor) : std::nullopt)
    {
        m_host.ReportProgress(m_settings.number, *report);
    }
}

void
WorkerLoop::MoveSamples(uint32_t step, const SampleMove& move)
{
    const uint32_t given = m_settings.samples->Apply(*m_executor, move, step);
    if (move.give > 0)
    {
        m_host.GiveSamples(m_settings.number, step, given);
    }
}

void
WorkerLoop::RecordStep(uint32_t step)
{
    const StepRecord record{m_settings.worker,
                            step,
                            m_executor->GetSample(step),
                            m_host.GetStepStart(m_settings.number, step),
                            m_host.GetNow(),
                            m_executor->GetOwnEnd(step),
                            m_settings.samples ? m_settings.samples->GetSamples() : m_batch,
                            m_open[step % 2].dropped};
    ++m_count;
    m_lastSeconds = record.done - record.start;
    if (m_recorder)
    {
        m_recorder.Tell(record);
    }
    m_host.StepEnded(m_settings.number, record);
}

void
WorkerLoop::EndSteps()
{
    const OpenStep& open = m_open[m_done % 2];
    if (m_done == m_begun || !open.completed || open.unanswered > 0)
    {
        return;
    }
    RecordStep(m_done++);
    if (m_executor->GetPlan().overlaps)
    {
        EndSteps(); // the answer of an earlier step may come after that of a later one
        BeginAllowed();
        if (m_done >= m_settings.steps)
        {
            Finish();
        }
        return;
    }
    GoOn();
}

void
WorkerLoop::GoOn()
{
    const bool skips = m_next > m_begun; // the others have gone ahead
    const uint32_t next = std::max(m_next, m_begun);
    if (next >= m_settings.steps)
    {
        m_host.WorkerLeaves(m_settings.number, skips);
        m_begun = next;
        m_done = next;
        Finish();
        return;
    }
    if (skips)
    {
        SkipTo(next);
    }
    NextStepAllowed(m_begun - 1);
}

void
WorkerLoop::SkipTo(uint32_t step)
{
    m_begun = step;
    m_done = step;
    const uint32_t from = m_executor->GetNextStep();
    if (m_executor->CanSkipTo(step))
    {
        m_executor->SkipTo(step);
        m_host.StepsSkipped(m_settings.number, from);
    }
}

void
WorkerLoop::Crash(bool forGood)
{
    if (m_down || m_finished)
    {
        return;
    }
    m_down = true;
    m_returning = false;
    m_lost = true;
    Die(false);
    if (forGood)
    {
        Finish();
    }
}

void
WorkerLoop::Die(bool ended)
{
    m_executor->Abandon();
    if (m_settings.samples)
    {
        m_settings.samples->Forget();
    }
    if (m_recorder && !m_returning) // else it has done nothing since the last one
    {
        m_recorder.Tell(CrashRecord{
            m_settings.worker,
            m_host.GetNow(),
            m_done,
            m_begun > m_done ? m_host.GetStepStart(m_settings.number, m_done) : UNKNOWN_TIME,
            ended});
    }
    m_begun = m_done;
    m_late = 0;
    m_asks = false;
    m_limit = NO_LIMIT;
    m_ends = false;
    m_host.WorkerDied(m_settings.number);
}

void
WorkerLoop::End()
{
    if (m_down || m_finished)
    {
        return;
    }
    Die(true);
    m_started = true;
    m_returning = true;
}

void
WorkerLoop::EndAfter(uint32_t steps)
{
    m_limit = steps;
    m_ends = true;
    const bool idle = m_begun == m_done && !m_finished;
    if (idle && (m_started || m_begun >= m_limit)) // else it will begin some day
    {
        BeginAllowed();
    }
}

void
WorkerLoop::Restart(uint32_t step)
{
    m_lost = false;
    m_next = 0;
    BeginAgain(step); // what it has done beyond that has been lost
}

bool
WorkerLoop::Rejoin()
{
    if (!m_down)
    {
        return false; // it had done all its steps
    }
    m_down = false;
    m_started = true;
    m_returning = true;
    return true;
}

void
WorkerLoop::Return(uint32_t step)
{
    BeginAgain(std::max(m_done, step));
}

void
WorkerLoop::BeginAgain(uint32_t step)
{
    m_returning = false;
    if (step >= m_settings.steps)
    {
        m_begun = step;
        m_done = step;
        m_host.WorkerLeaves(m_settings.number, true);
        Finish();
        return;
    }
    SkipTo(step);
    m_allowed = m_done + 1;
    if (m_recorder)
    {
        m_recorder.Tell(RejoinRecord{m_settings.worker, m_host.GetNow(), m_done});
    }
    BeginStep();
}

void
WorkerLoop::Finish()
{
    if (!m_finished)
    {
        m_finished = true;
        m_host.WorkerFinished(m_settings.number);
    }
}

} // namespace ns3::dml
