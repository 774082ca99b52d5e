/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-server.h"

#include "dml-step-executor.h"

#include "ns3/dml-asynchronous-sync.h"
#include "ns3/dml-bulk-synchronous-sync.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace dml
{

SyncServer::SyncServer(const StepPlan& plan,
                       Ptr<const SyncPolicy> policy,
                       uint32_t workers,
                       SyncListener& listener)
    : m_policy(policy),
      m_listener(listener),
      m_servers(plan.servers),
      m_members(workers),
      m_updates(plan.ops.size())
{
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        if (plan.ops[op].joint && plan.ops[op].dispatch == Dispatch::DEVICE)
        {
            m_joint.push_back(op);
            m_updates[op].server = plan.GetServer(op);
        }
    }
    if (!m_policy && m_joint.empty())
    {
        m_policy = Create<AsynchronousSync>();
    }
    else if (!m_policy)
    {
        m_policy = Create<BulkSynchronousSync>();
    }
}

void
SyncServer::Join(uint32_t worker, StepExecutor& executor)
{
    Member& member = m_members[worker];
    member = {};
    member.executor = &executor;
    ++m_present;
    SetCompleted(member, executor.GetNextStep());
    for (const OpIndex op : m_joint)
    {
        m_updates[op].expected += executor.GetStepOf(op) <= m_updates[op].step ? 1 : 0;
    }
}

void
SyncServer::Leave(uint32_t worker)
{
    Member& member = m_members[worker];
    if (!member.executor)
    {
        return;
    }
    --m_present;
    m_waiting -= member.waits ? 1 : 0;
    Forget(member.completed);
    member = {};
    for (const OpIndex op : m_joint)
    {
        auto& arrived = m_updates[op].arrived;
        arrived.erase(std::remove_if(arrived.begin(),
                                     arrived.end(),
                                     [worker](const auto& entry) { return entry.second == worker; }),
                      arrived.end());
        auto& counted = m_updates[op].counted;
        counted.erase(std::remove(counted.begin(), counted.end(), worker), counted.end());
    }
    CountAll();
    ReleaseAll();
}

uint32_t
SyncServer::GetJoiningStep() const
{
    return std::max(GetRound(), m_policy->GetJoiningStep(MakeView()));
}

void
SyncServer::Skipped()
{
    CountAll();
}

void
SyncServer::Arrive(StepExecutor& executor, OpIndex op)
{
    Update& update = m_updates[op];
    const uint32_t worker = executor.GetWorker();
    const uint32_t step = executor.GetStepOf(op);
    if (step < update.step || (step == update.step && update.running))
    {
        ++m_members[worker].dropped;
        executor.JointOpDone(op);
        return;
    }
    update.arrived.emplace_back(step, worker);
    TryUpdate(op);
}

void
SyncServer::TryUpdate(OpIndex op)
{
    Update& update = m_updates[op];
    if (update.running || update.arrived.empty())
    {
        return;
    }
    while (update.expected == 0) // all have left, or left out, the step
    {
        update.step = std::min_element(update.arrived.begin(), update.arrived.end())->first;
        update.expected = CountExpected(op);
    }
    const uint32_t quorum =
        std::min(m_policy->GetQuorum({static_cast<uint32_t>(m_members.size()), update.expected, 0}),
                 update.expected);
    if (update.arrived.size() < quorum)
    {
        return;
    }
    const auto ofStep = [&update](const auto& entry) { return entry.first == update.step; };
    const auto count = static_cast<uint32_t>(
        std::count_if(update.arrived.begin(), update.arrived.end(), ofStep));
    if (count == 0 || count < quorum)
    {
        return;
    }
    for (const auto& entry : update.arrived)
    {
        if (ofStep(entry))
        {
            update.counted.push_back(entry.second);
        }
    }
    update.arrived.erase(std::remove_if(update.arrived.begin(), update.arrived.end(), ofStep),
                         update.arrived.end());
    std::sort(update.counted.begin(), update.counted.end());
    update.running = true;
    m_members[update.counted.front()].executor->RunJointOp(op);
}

void
SyncServer::Done(OpIndex op)
{
    Update& update = m_updates[op];
    update.running = false;
    ++update.step;
    update.expected = CountExpected(op);
    std::vector<uint32_t> counted;
    counted.swap(update.counted);
    for (const uint32_t worker : counted)
    {
        if (m_members[worker].executor)
        {
            m_members[worker].executor->JointOpDone(op);
        }
    }
    if (update.counted.empty()) // no update has begun from within
    {
        counted.clear();
        counted.swap(update.counted); // which keeps its memory
    }
    TryUpdate(op);
}

void
SyncServer::StepDone(uint32_t worker, uint32_t step)
{
    Member& member = m_members[worker];
    const uint32_t slowest = GetSlowest();
    Forget(member.completed);
    SetCompleted(member, step + 1);
    member.next = std::max(step + 1, GetRound());
    member.waits = true;
    ++m_waiting;
    TryRelease(worker);
    if (m_waiting > 0 && GetSlowest() > slowest)
    {
        ReleaseAll();
    }
}

void
SyncServer::SetCompleted(Member& member, uint32_t steps)
{
    member.completed = steps;
    ++m_completed[steps];
}

void
SyncServer::Forget(uint32_t steps)
{
    const auto count = m_completed.find(steps);
    if (--count->second == 0)
    {
        m_completed.erase(count);
    }
}

uint32_t
SyncServer::GetSlowest() const
{
    return m_completed.empty() ? 0 : m_completed.begin()->first;
}

bool
SyncServer::TryRelease(uint32_t worker)
{
    Member& member = m_members[worker];
    if (!member.waits || !m_policy->MayBegin(member.next, MakeView()))
    {
        return false;
    }
    member.waits = false;
    --m_waiting;
    const uint32_t dropped = member.dropped;
    member.dropped = 0;
    m_listener.MayProceed(worker, member.next, dropped);
    return true;
}

void
SyncServer::ReleaseAll()
{
    for (uint32_t worker = 0; worker < m_members.size(); ++worker)
    {
        TryRelease(worker);
    }
}

SyncView
SyncServer::MakeView() const
{
    return {static_cast<uint32_t>(m_members.size()), m_present, GetSlowest()};
}

uint32_t
SyncServer::GetRound() const
{
    if (m_joint.empty())
    {
        return 0;
    }
    // a server is at the step that all its tensors have come to
    std::vector<uint32_t> rounds(m_servers, std::numeric_limits<uint32_t>::max());
    for (const OpIndex op : m_joint)
    {
        uint32_t& round = rounds[m_updates[op].server];
        round = std::min(round, m_updates[op].step);
    }
    uint32_t furthest = 0;
    for (const uint32_t round : rounds)
    {
        furthest = round == std::numeric_limits<uint32_t>::max() ? furthest
                                                                 : std::max(furthest, round);
    }
    return furthest;
}

uint32_t
SyncServer::CountExpected(OpIndex op) const
{
    return std::count_if(m_members.begin(), m_members.end(), [this, op](const Member& member) {
        return member.executor && member.executor->GetStepOf(op) <= m_updates[op].step;
    });
}

void
SyncServer::CountAll()
{
    for (const OpIndex op : m_joint)
    {
        m_updates[op].expected = CountExpected(op);
    }
    for (const OpIndex op : m_joint)
    {
        TryUpdate(op);
    }
}

} // namespace dml
} // namespace ns3
