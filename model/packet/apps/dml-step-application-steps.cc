/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-application.h"

#include "ns3/dml-instant.h"
#include "ns3/dml-model-clock.h"
#include "ns3/log.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

NS_LOG_COMPONENT_DEFINE("DmlStepApplicationSteps");

/// One per executor: a transfer's window is what the peer that wants it lets this node send.
class StepApplication::SessionWindows : public WindowView
{
  public:
    SessionWindows(const StepApplication& application, uint32_t executor)
        : m_application(application),
          m_executor(executor)
    {
    }

    uint64_t GetWindow(OpIndex transfer, [[maybe_unused]] uint32_t turns) const override
    {
        const uint32_t peer = m_application.GetPeerOf(m_executor, transfer);
        return m_application.m_peers[peer]->transport->GetWindow(transfer);
    }

  private:
    const StepApplication& m_application; //!< application with the executor
    uint32_t m_executor;                  //!< number of the executor
};

uint32_t
StepApplication::GetPeerOf(uint32_t executor, OpIndex op) const
{
    const StepExecutor& runner = GetExecutor(executor);
    const PlannedResource& channel = m_plan->resources[runner.GetTransfer(op).resource];
    const Peer& other = channel.at == m_site ? channel.to : channel.at;
    return FindPeer(other.Resolve(runner.GetWorker(), m_workers));
}

void
StepApplication::FindSendChannels()
{
    m_sendChannels.assign(GetPeers(), NO_INDEX);
    for (uint32_t i = 0; i < m_plan->resources.size(); ++i)
    {
        const PlannedResource& channel = m_plan->resources[i];
        if (channel.kind != ResourceKind::CHANNEL || channel.at != m_site)
        {
            continue;
        }
        if (m_site == SELF)
        {
            const uint32_t own = GetParticipantNumber(GetEndpoint(), m_workers);
            const uint32_t peer = FindPeer(channel.to.Resolve(own, m_workers));
            if (peer != NO_INDEX)
            {
                m_sendChannels[peer] = i;
            }
        }
        else
        {
            m_sendChannels.assign(GetPeers(), i); // to each worker in its executor
        }
    }
}

void
StepApplication::PreparePlan()
{
    m_site = GetSite();
    StepPlan plan = RestrictStepPlan(*m_whole, m_site);
    m_opByName.clear();
    const auto transport = m_transport.Create<Transport>();
    m_messageSize = [transport](uint64_t bytes) { return transport->GetMessageSize(bytes); };
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        PlannedOp& planned = plan.ops[op];
        if (planned.dispatch == Dispatch::SEND || planned.dispatch == Dispatch::RECEIVE)
        {
            // what flow control counts is the message, not the tensor
            planned.bytes = transport->GetMessageSize(planned.bytes);
            m_opByName[plan.names[op]] = op;
        }
    }
    m_plans.push_back(std::make_unique<const StepPlan>(std::move(plan)));
    m_plan = m_plans.back().get();
    FindSendChannels();
}

void
StepApplication::HandleRunGraph([[maybe_unused]] uint32_t peer,
                                [[maybe_unused]] int32_t stream,
                                [[maybe_unused]] const RunGraphRequest& request)
{
    Fail("asked to run a graph, which only a parameter server does");
}

std::vector<DeviceQueue*>
StepApplication::MakeDevices(uint32_t serverCores)
{
    std::vector<DeviceQueue*> devices;
    for (const auto& resource : m_plan->resources)
    {
        devices.push_back(nullptr);
        if (resource.kind != ResourceKind::CHANNEL && resource.at == m_site)
        {
            const uint32_t slots = resource.kind != ResourceKind::DEVICE ? 0
                                   : m_site == SELF                      ? m_slots
                                                                         : serverCores;
            m_deviceQueues.push_back(
                std::make_unique<DeviceQueue>(slots > 0 ? slots : resource.slots, m_speed.get()));
            devices.back() = m_deviceQueues.back().get();
        }
    }
    return devices;
}

std::unique_ptr<StepExecutor>
StepApplication::MakeExecutor(uint32_t number, uint32_t worker, std::vector<DeviceQueue*> devices)
{
    m_windowViews.push_back(std::make_unique<SessionWindows>(*this, number));
    return std::make_unique<StepExecutor>(number,
                                          worker,
                                          m_workers,
                                          *m_plan,
                                          std::move(devices),
                                          m_policy,
                                          *m_windowViews.back(),
                                          static_cast<StepHost&>(*this),
                                          m_recorder);
}

void
StepApplication::StartTask(DeviceQueue& queue, const ComputeTask& task)
{
    const double now = GetNow();
    const double seconds = queue.GetDuration(now, task);
    if (now + seconds < LAST_INSTANT_SECONDS)
    {
        ModelClock::Schedule(Seconds(seconds), [this, task, now] { TaskDone(task, now); });
    }
    else if (!WillCrash()) // which would end the op
    {
        Fail(GetExecutor(task.owner).DescribeEndlessOp(task, now));
    }
}

void
StepApplication::TaskDone(ComputeTask task, double start)
{
    if (!IsStopped())
    {
        GetExecutor(task.owner).TaskEnded(task, start);
    }
}

void
StepApplication::StartTurn(StepExecutor& executor,
                           [[maybe_unused]] uint32_t resource,
                           const Turn& turn)
{
    const uint32_t peer = GetPeerOf(executor.GetNumber(), turn.transfer);
    NS_LOG_LOGIC(GetDeviceName(GetEndpoint())
                 << " sends " << turn.bytes << " bytes of " << m_plan->names[turn.transfer]
                 << " to " << GetPeerDeviceName(peer));
    const uint64_t bytes = m_plan->IsMove(turn.transfer) ? executor.GetTransfer(turn.transfer).bytes
                                                         : m_whole->ops[turn.transfer].bytes;
    m_peers[peer]->transport->StartTurn(turn, bytes);
}

void
StepApplication::WakeUp(StepExecutor& executor, uint32_t resource, double delay)
{
    ModelClock::Schedule(
        Seconds(std::min(delay, LAST_INSTANT_SECONDS)),
        [this, number = executor.GetNumber(), resource] { WakeNow(number, resource); });
}

void
StepApplication::WakeNow(uint32_t executor, uint32_t resource)
{
    if (!IsStopped())
    {
        GetExecutor(executor).TryNextTurn(resource);
    }
}

void
StepApplication::RequestTransfer(StepExecutor& executor, OpIndex op)
{
    const uint32_t peer = GetPeerOf(executor.GetNumber(), op);
    m_peers[peer]->transport->RequestTensor(op,
                                            GetNameAtSender(executor, op),
                                            executor.GetStepOf(op));
}

std::string
StepApplication::GetNameAtSender(const StepExecutor& executor, OpIndex op) const
{
    return m_plan->IsMove(op) ? m_plan->GetTransferName(op, executor.GetWorker())
                              : m_plan->names[m_plan->ops[op].counterpart];
}

bool
StepApplication::RunCollective(StepExecutor& executor, uint32_t collective)
{
    if (!m_collectives)
    {
        return false;
    }
    m_collectives->AllReduce(executor.GetBufferBytes(collective),
                             [this, number = executor.GetNumber(), collective] {
                                 if (!IsStopped())
                                 {
                                     GetExecutor(number).CollectiveEnded(collective);
                                 }
                             });
    return true;
}

void
StepApplication::SendRunGraph(uint32_t peer,
                              uint32_t step,
                              const std::string& graph,
                              const NamedValues& values)
{
    m_peers[peer]->transport->RequestRunGraph({step, graph, values});
}

void
StepApplication::AnnounceWindow(uint32_t peer, uint32_t step)
{
    m_peers[peer]->transport->AnnounceWindow(step);
}

void
StepApplication::AnswerRunGraph(uint32_t peer, int32_t stream, const NamedValues& values)
{
    m_peers[peer]->transport->AnswerRunGraph(stream, values);
}

} // namespace ns3::dml
