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
    m_byServer = m_joint;
    std::stable_sort(m_byServer.begin(), m_byServer.end(), [this](OpIndex a, OpIndex b) {
        return m_updates[a].server < m_updates[b].server;
    });
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
    member.completed = executor.GetNextStep();
    ++m_present;
    FindSlowest();
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
    member = {};
    FindSlowest();
    for (const OpIndex op : m_joint)
    {
        auto& arrived = m_updates[op].arrived;
        arrived.erase(
            std::remove_if(arrived.begin(),
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
SyncServer::Skipped(uint32_t worker, uint32_t from)
{
    const StepExecutor* executor = m_members[worker].executor;
    for (const OpIndex op : m_joint)
    {
        Update& update = m_updates[op];
        const bool was = executor && from <= update.step;
        const bool left = was && executor->GetNextStep() > update.step;
        update.expected -= left && !update.running ? 1 : 0; // what runs is counted when it is done
    }
    TryUpdates();
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
    const auto count =
        static_cast<uint32_t>(std::count_if(update.arrived.begin(), update.arrived.end(), ofStep));
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
    m_done.clear(); // its memory goes to the next update, which may begin from within
    m_done.swap(update.counted);
    for (const uint32_t worker : m_done)
    {
        if (m_members[worker].executor)
        {
            m_members[worker].executor->JointOpDone(op);
        }
    }
    TryUpdate(op);
}

void
SyncServer::StepDone(uint32_t worker, uint32_t step)
{
    Member& member = m_members[worker];
    const uint32_t slowest = m_slowest;
    const bool wasSlowest = member.completed == m_slowest;
    member.completed = step + 1;
    if (wasSlowest && --m_atSlowest == 0)
    {
        FindSlowest();
    }
    member.next = std::max(step + 1, GetRound());
    member.waits = true;
    ++m_waiting;
    TryRelease(worker);
    if (m_waiting > 0 && m_slowest > slowest)
    {
        ReleaseAll();
    }
}

void
SyncServer::FindSlowest()
{
    m_slowest = 0;
    m_atSlowest = 0;
    for (const auto& member : m_members)
    {
        if (!member.executor)
        {
            continue;
        }
        if (m_atSlowest == 0 || member.completed < m_slowest)
        {
            m_slowest = member.completed;
            m_atSlowest = 0;
        }
        m_atSlowest += member.completed == m_slowest ? 1 : 0;
    }
}

void
SyncServer::TryRelease(uint32_t worker)
{
    Member& member = m_members[worker];
    if (!member.waits || !m_policy->MayBegin(member.next, MakeView()))
    {
        return;
    }
    member.waits = false;
    --m_waiting;
    const uint32_t dropped = member.dropped;
    member.dropped = 0;
    m_listener.MayProceed(worker, member.next, dropped);
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
    return {static_cast<uint32_t>(m_members.size()), m_present, m_slowest};
}

uint32_t
SyncServer::GetRound() const
{
    // a server is at the step that all its tensors have come to
    uint32_t furthest = 0;
    for (auto first = m_byServer.begin(); first != m_byServer.end();)
    {
        const uint32_t server = m_updates[*first].server;
        uint32_t round = m_updates[*first].step;
        for (; first != m_byServer.end() && m_updates[*first].server == server; ++first)
        {
            round = std::min(round, m_updates[*first].step);
        }
        furthest = std::max(furthest, round);
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
    TryUpdates();
}

void
SyncServer::TryUpdates()
{
    for (const OpIndex op : m_joint)
    {
        TryUpdate(op);
    }
}

} // namespace dml
} // namespace ns3
