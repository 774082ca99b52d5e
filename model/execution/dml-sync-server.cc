/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-server.h"

#include "dml-step-executor.h"

#include "ns3/assert.h"
#include "ns3/dml-sync-policies.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
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
            m_updates[op].server = plan.resources[plan.ops[op].resource].at.index;
        }
    }
    m_byServer = m_joint;
    std::stable_sort(m_byServer.begin(), m_byServer.end(), [this](OpIndex a, OpIndex b) {
        return m_updates[a].server < m_updates[b].server;
    });
    if (!m_policy && m_joint.empty())
    {
        m_policy = CreateObject<AsynchronousSync>();
    }
    else if (!m_policy)
    {
        m_policy = CreateObject<BulkSynchronousSync>();
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
    const bool restored = member.restored;
    member = {};
    member.restored = restored;
    FindSlowest();
    for (const OpIndex op : m_joint)
    {
        auto& arrived = m_updates[op].arrived;
        arrived.erase(
            std::remove_if(arrived.begin(),
                           arrived.end(),
                           [worker](const auto& entry) { return entry.second == worker; }),
            arrived.end());
        for (auto* workers : {&m_updates[op].counted, &m_updates[op].late})
        {
            workers->erase(std::remove(workers->begin(), workers->end(), worker), workers->end());
        }
    }
    CountAll();
    ReleaseAll();
}

void
SyncServer::Restore()
{
    for (const OpIndex op : m_joint)
    {
        m_updates[op].lost = m_updates[op].running;
        m_updates[op].arrived.clear();
    }
    const uint32_t round = GetRound();
    for (const OpIndex op : m_joint)
    {
        m_updates[op].step = round;
    }
    for (Member& member : m_members)
    {
        member.restored = true;
    }
}

uint32_t
SyncServer::GetJoiningStep(uint32_t worker) const
{
    const bool alike = m_members[worker].restored; // nobody is ahead of anybody by more than before
    return std::max(GetRound(), alike ? 0 : m_policy->GetJoiningStep(MakeView()));
}

bool
SyncServer::Enter(uint32_t worker)
{
    Member& member = m_members[worker];
    member.next = member.executor->GetNextStep();
    member.waits = IsUpdatingBefore(member.next);
    m_waiting += member.waits ? 1 : 0;
    return !member.waits;
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
    if (step == update.step && update.running && !update.lost)
    {
        ++m_members[worker].dropped;
        update.late.push_back(worker);
        return;
    }
    if (step < update.step)
    {
        ++m_members[worker].dropped;
        executor.Complete(op);
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
    for (const uint32_t worker : update.counted)
    {
        m_members[worker].executor->RecordTaken(op);
    }
    update.running = true;
    ++m_running;
    m_members[update.counted.front()].executor->Submit(op);
}

void
SyncServer::Done(OpIndex op, StepExecutor& runner)
{
    Update& update = m_updates[op];
    NS_ASSERT_MSG(update.running && m_running > 0, "an update ended that did not run");
    update.running = false;
    --m_running;
    update.step += std::exchange(update.lost, false) ? 0 : 1;
    update.expected = CountExpected(op);
    m_done.clear(); // its memory goes to the next update, which may begin from within
    m_done.swap(update.counted);
    m_done.insert(m_done.end(), update.late.begin(), update.late.end());
    update.late.clear();
    StepExecutor* holder = &runner;
    for (const uint32_t worker : m_done)
    {
        if (m_members[worker].executor)
        {
            m_members[worker].executor->Complete(op, std::exchange(holder, nullptr));
        }
    }
    if (holder) // all its workers are gone
    {
        holder->FreeDevice(op);
    }
    TryUpdate(op);
    if (m_waiting > 0)
    {
        ReleaseAll();
    }
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
    NS_ASSERT_MSG(!member.waits, "a worker ended a step while it waited for the next one");
    member.next = step + 1;
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
    if (!member.waits)
    {
        return;
    }
    member.next = std::max(member.next, GetRound());
    if (IsUpdatingBefore(member.next) || !m_policy->MayBegin(member.next, MakeView()))
    {
        return;
    }
    NS_ASSERT_MSG(m_waiting > 0, "more workers proceed than have waited");
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
    // a server is at the step that all its tensors have come to, or at the next one if all that
    // are still at that step have their gradients
    uint32_t furthest = 0;
    for (auto first = m_byServer.begin(); first != m_byServer.end();)
    {
        const uint32_t server = m_updates[*first].server;
        uint32_t round = NO_INDEX;
        for (; first != m_byServer.end() && m_updates[*first].server == server; ++first)
        {
            const Update& update = m_updates[*first];
            round = std::min(round, update.step + (update.running && !update.lost ? 1 : 0));
        }
        furthest = std::max(furthest, round);
    }
    return furthest;
}

bool
SyncServer::IsUpdatingBefore(uint32_t step) const
{
    return m_running > 0 && std::any_of(m_joint.begin(), m_joint.end(), [this, step](OpIndex op) {
               return m_updates[op].running && m_updates[op].step < step;
           });
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

} // namespace ns3::dml
