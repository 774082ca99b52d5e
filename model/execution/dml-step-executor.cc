/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-executor.h"

#include "dml-bucket-coordinator.h"
#include "dml-worker-loop.h"

#include "ns3/assert.h"
#include "ns3/dml-fifo-policy.h"
#include "ns3/dml-ordered-policy.h"

#include <utility>

namespace ns3::dml
{

namespace
{

bool
WaitsForFirstStep(const PlannedOp& op)
{
    return op.dispatch != Dispatch::ELSEWHERE && (op.begins || op.nextDependencies > 0);
}

} // namespace

class StepExecutor::LinkClock : public PolicyClock
{
  public:
    LinkClock(StepExecutor& executor, uint32_t resource)
        : m_executor(executor),
          m_resource(resource)
    {
    }

    double GetNow() const override
    {
        return m_executor.m_host.GetNow();
    }

    void WakeUp(double delay) override
    {
        m_executor.m_host.WakeUp(m_executor, m_resource, delay);
    }

  private:
    StepExecutor& m_executor; //!< sender
    uint32_t m_resource;      //!< on which link
};

StepExecutor::StepExecutor(uint32_t number,
                           uint32_t worker,
                           uint32_t workers,
                           const StepPlan& plan,
                           std::vector<DeviceQueue*> devices,
                           const ObjectFactory& policy,
                           const WindowView& windows,
                           StepHost& host,
                           JobRecorder recorder)
    : m_plan(plan),
      m_host(host),
      m_channels(plan.resources.size()),
      m_devices(std::move(devices)),
      m_windows(windows),
      m_recorder(recorder),
      m_number(number),
      m_worker(worker),
      m_clocks(plan.resources.size()),
      m_transfers(recorder ? plan.ops.size() : 0),
      m_collectives(plan, worker, *this),
      m_buckets(plan.negotiation ? plan.collectives.size() : 0)
{
    m_resources.reserve(plan.resources.size());
    for (const auto& resource : plan.resources)
    {
        m_resources.push_back(resource.Resolve(worker, workers));
    }
    m_ops.reserve(plan.ops.size());
    for (const auto& op : plan.ops)
    {
        // nothing comes before the first step: its beginning stands for all that would
        const uint32_t waiting = op.dependencies + (WaitsForFirstStep(op) ? 1 : 0);
        m_ops.push_back({static_cast<int32_t>(waiting), 0});
        m_localGates += op.gates && op.dispatch != Dispatch::ELSEWHERE ? 1 : 0;
        m_ownOps += op.own ? 1 : 0;
    }
    for (auto& step : m_progress)
    {
        step.seconds = plan.seconds.data();
        step.remaining = plan.localOps;
        step.own = m_ownOps;
        step.gating = m_localGates;
    }
    MakePolicies(policy);
}

StepExecutor::~StepExecutor() = default;

void
StepExecutor::MakePolicies(const ObjectFactory& policy)
{
    for (const auto& collective : m_plan.collectives)
    {
        for (const uint32_t channel : collective.sendChannels)
        {
            m_channels[channel].policy = CreateObject<FifoPolicy>();
        }
    }
    std::vector<std::vector<TransferInfo>> transfers(m_plan.resources.size());
    for (OpIndex op = 0; op < m_plan.ops.size(); ++op)
    {
        const PlannedOp& planned = m_plan.ops[op];
        const bool collective = planned.dispatch == Dispatch::COLLECTIVE;
        if (!collective && planned.dispatch != Dispatch::SEND)
        {
            continue;
        }
        transfers[planned.resource].push_back(GetTransferInfo(m_plan, op));
        auto& own = m_channels[planned.resource].policy;
        if (!own)
        {
            // collectives that were agreed on go in that order
            own = !collective          ? policy.Create<TransferPolicy>()
                  : m_plan.negotiation ? Ptr<TransferPolicy>(CreateObject<FifoPolicy>())
                                       : Ptr<TransferPolicy>(CreateObject<OrderedPolicy>());
        }
    }
    const uint32_t channels = m_plan.CountChannels();
    for (uint32_t resource = 0; resource < m_channels.size(); ++resource)
    {
        if (const auto& own = m_channels[resource].policy)
        {
            m_clocks[resource] = std::make_unique<LinkClock>(*this, resource);
            own->Prepare(transfers[resource], m_worker * channels + resource, *m_clocks[resource]);
        }
    }
}

void
StepExecutor::SkipTo(uint32_t step)
{
    NS_ASSERT_MSG(step >= m_begun && m_begun == m_ended && !m_plan.overlaps,
                  "steps were left out while one was under way");
    for (auto& op : m_ops)
    {
        op.completed = step;
    }
    m_begun = step;
    m_ended = step;
}

bool
StepExecutor::CanBegin(int64_t step) const
{
    return step == m_begun && m_begun - m_ended <= (m_plan.overlaps ? 1 : 0);
}

void
StepExecutor::BeginStep(uint32_t step, uint32_t sample, double scale)
{
    NS_ASSERT_MSG(CanBegin(step), "a step began before its time");
    m_awaits = false;
    ++m_begun;
    Progress& progress = m_progress[step % UNDER_WAY];
    progress.sample = sample;
    progress.seconds = m_plan.seconds.data() + sample * m_plan.ops.size();
    progress.scale = scale;
    progress.ownEnd = m_host.GetNow();
    progress.submittedWork = 0;
    progress.endedWork = 0;
    if (m_plan.localOps == 0)
    {
        EndStep(step);
        return;
    }
    if (step > 0)
    {
        Count(m_plan.roots.data(), m_plan.roots.data() + m_plan.roots.size());
        return;
    }
    for (OpIndex op = 0; op < m_plan.ops.size(); ++op)
    {
        if (WaitsForFirstStep(m_plan.ops[op]))
        {
            Count(&op, &op + 1);
        }
    }
}

void
StepExecutor::Count(const OpIndex* first, const OpIndex* last)
{
    for (; first != last; ++first)
    {
        --m_ops[*first].waiting;
        NS_ASSERT_MSG(m_ops[*first].waiting >= -static_cast<int32_t>(m_plan.ops[*first].GetWaits()),
                      "a dependency was met twice");
        if (m_ops[*first].waiting == 0)
        {
            Ready(*first);
        }
    }
}

void
StepExecutor::Submit(OpIndex op)
{
    const PlannedOp& planned = m_plan.ops[op];
    NS_ASSERT_MSG(planned.dispatch == Dispatch::DEVICE && m_devices[planned.resource],
                  "an op was given to a device that is not its own");
    DeviceQueue& queue = *m_devices[planned.resource];
    Progress& step = m_progress[m_ops[op].completed % UNDER_WAY];
    ComputeTask task{m_number, op, m_host.GetInstant(), step.seconds[op]};
    if (planned.computes)
    {
        step.submittedWork += task.seconds;
        task.seconds = task.seconds * step.scale + m_addedWork;
        m_addedWork = 0;
    }
    if (const auto start = queue.Submit(task))
    {
        m_host.StartTask(queue, *start);
    }
}

void
StepExecutor::Ready(OpIndex op)
{
    if (m_abandoned)
    {
        return;
    }
    const PlannedOp& planned = m_plan.ops[op];
    switch (planned.dispatch)
    {
    case Dispatch::DEVICE:
        planned.joint ? m_sync->Arrive(*this, op) : Submit(op);
        break;
    case Dispatch::SEND:
        if (planned.counterpart != NO_INDEX || m_host.IsRequested(*this, op))
        {
            QueueTransfer(op, planned.resource, planned.bytes);
        }
        break;
    case Dispatch::RECEIVE:
        m_host.RequestTransfer(*this, op);
        break;
    case Dispatch::COLLECTIVE:
        if (m_plan.negotiation)
        {
            m_host.OfferCollective(*this, planned.counterpart);
            break;
        }
        m_channels[planned.resource].policy->Add(op, planned.bytes);
        StartCollectives(planned.resource);
        break;
    case Dispatch::JOIN:
        Complete(op);
        break;
    case Dispatch::ELSEWHERE:
        break;
    }
}

void
StepExecutor::TaskEnded(const ComputeTask& task, double start)
{
    if (m_plan.IsMove(task.op))
    {
        ReductionEnded(task.op, start);
        return;
    }
    const PlannedOp& op = m_plan.ops[task.op];
    if (!m_abandoned || op.joint)
    {
        RecordChunk(task.op, op.resource, 0, start);
    }
    if (op.joint)
    {
        m_sync->Done(task.op, *this);
        return;
    }
    if (m_abandoned)
    {
        FreeDevice(task.op);
        return;
    }
    if (op.computes)
    {
        Progress& step = m_progress[m_ops[task.op].completed % UNDER_WAY];
        step.endedWork += step.seconds[task.op];
        if (m_loop)
        {
            m_loop->ComputeOpEnded();
        }
    }
    Release(task.op);
    FreeDevice(task.op); // before the next step begins
    Done(task.op);
}

void
StepExecutor::FreeDevice(OpIndex op)
{
    DeviceQueue& queue = GetDevice(op);
    if (const auto next = queue.Finish())
    {
        m_host.StartTask(queue, *next);
    }
}

void
StepExecutor::Complete(OpIndex op, StepExecutor* runner)
{
    Release(op);
    if (runner)
    {
        runner->FreeDevice(op);
    }
    Done(op);
}

void
StepExecutor::Release(OpIndex op)
{
    const PlannedOp& planned = m_plan.ops[op];
    const uint32_t step = m_ops[op].completed++;
    NS_ASSERT_MSG(m_ops[op].waiting <= 0, "an op ended before what it depends on");
    m_ops[op].waiting += planned.GetWaits();
    const OpIndex* dependents = m_plan.dependents.data();
    Count(dependents + planned.firstDependent, dependents + planned.endDependent);
    if (step + 1 < m_steps)
    {
        const OpIndex* next = m_plan.nextDependents.data();
        Count(next + planned.firstNext, next + planned.endNext);
    }
}

void
StepExecutor::Done(OpIndex op)
{
    const PlannedOp& planned = m_plan.ops[op];
    const uint32_t step = m_ops[op].completed - 1;
    Progress& progress = m_progress[step % UNDER_WAY];
    NS_ASSERT_MSG(progress.remaining > 0, "a step had more ops than its plan");
    const bool allowed = planned.gates && --progress.gating == 0;
    if (planned.own && progress.own > 0 && --progress.own == 0)
    {
        progress.ownEnd = m_host.GetNow();
    }
    const bool completed = --progress.remaining == 0;
    if (completed)
    {
        progress.remaining = m_plan.localOps;
        progress.gating = m_localGates;
        progress.own = m_ownOps;
        EndStep(step);
    }
    if (allowed && m_loop)
    {
        m_loop->NextStepAllowed(step);
    }
}

void
StepExecutor::EndStep(uint32_t step)
{
    ++m_ended;
    if (m_loop)
    {
        m_loop->StepCompleted(step);
    }
    m_host.StepCompleted(*this, step);
}

} // namespace ns3::dml
