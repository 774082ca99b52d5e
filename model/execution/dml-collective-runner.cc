/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-runner.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3::dml
{

CollectiveRunner::CollectiveRunner(const StepPlan& plan, uint32_t worker, CollectiveHost& host)
    : m_plan(plan),
      m_worker(worker),
      m_host(host),
      m_active(plan.collectives.size())
{
    for (const auto& collective : plan.collectives)
    {
        m_bytes.push_back(plan.ops[collective.op].bytes);
    }
}

CollectiveRunner::~CollectiveRunner() = default;

const RankSchedule&
CollectiveRunner::GetSchedule(uint32_t collective) const
{
    return m_plan.collectives[collective].schedule->Get(m_worker);
}

void
CollectiveRunner::Start(uint32_t collective)
{
    NS_ASSERT_MSG(!m_active[collective], "a collective was started twice");
    const RankSchedule& schedule = GetSchedule(collective);
    m_active[collective] = std::make_unique<Active>();
    Active& active = *m_active[collective];
    active.open = schedule.moves.size() + 1;
    for (std::size_t lane = 0; lane + 1 < schedule.lanes.size(); ++lane)
    {
        const uint32_t first = schedule.lanes[lane];
        active.lanes.push_back({first, first, schedule.lanes[lane + 1]});
    }
    for (std::size_t lane = 0; lane < active.lanes.size(); ++lane)
    {
        AskAhead(collective, active.lanes[lane]);
        EnterRounds(collective, lane);
    }
    Close(collective);
}

void
CollectiveRunner::AskAhead(uint32_t collective, Lane& lane)
{
    const RankSchedule& schedule = GetSchedule(collective);
    while (lane.asked < std::min(lane.end, lane.round + AHEAD))
    {
        const ScheduledRound& round = schedule.rounds[lane.asked];
        if (round.asksLate && lane.asked > lane.round)
        {
            return;
        }
        lane.missing[lane.asked++ % AHEAD] = round.receives;
        for (uint32_t move = round.end - round.receives; move < round.end; ++move)
        {
            m_host.RequestMove(m_plan.GetMoveNumber(collective, move));
        }
    }
}

void
CollectiveRunner::EnterRounds(uint32_t collective, uint32_t laneIndex)
{
    const RankSchedule& schedule = GetSchedule(collective);
    Lane& lane = m_active[collective]->lanes[laneIndex];
    while (lane.round < lane.end)
    {
        const ScheduledRound& round = schedule.rounds[lane.round];
        for (uint32_t i = round.begin; i < round.end - round.receives; ++i)
        {
            const OpIndex move = m_plan.GetMoveNumber(collective, i);
            if (m_requested.erase(move) > 0)
            {
                Send(move);
            }
            else
            {
                m_entered.insert(move);
            }
        }
        if (lane.missing[lane.round % AHEAD] > 0)
        {
            return;
        }
        ++lane.round;
        AskAhead(collective, lane);
    }
}

void
CollectiveRunner::Send(OpIndex move)
{
    const PlannedTransfer transfer = GetTransfer(move);
    m_host.SendMove(move, transfer.resource, transfer.bytes);
}

void
CollectiveRunner::MoveRequested(OpIndex move)
{
    if (m_entered.erase(move) > 0)
    {
        Send(move);
    }
    else
    {
        m_requested.insert(move);
    }
}

void
CollectiveRunner::MoveSent(OpIndex move)
{
    Close(m_plan.GetCollective(move));
}

void
CollectiveRunner::MoveArrived(OpIndex move)
{
    const ScheduledMove& received =
        GetSchedule(m_plan.GetCollective(move)).moves[m_plan.GetMove(move)];
    const double seconds =
        received.reduces && m_plan.reduction > 0 ? m_plan.reduction * GetTransfer(move).bytes : 0;
    if (seconds > 0)
    {
        m_host.Reduce(move, seconds);
        return;
    }
    MoveReduced(move);
}

void
CollectiveRunner::MoveReduced(OpIndex move)
{
    const uint32_t collective = m_plan.GetCollective(move);
    const RankSchedule& schedule = GetSchedule(collective);
    const uint32_t round = schedule.moves[m_plan.GetMove(move)].round;
    const uint32_t laneIndex = schedule.rounds[round].lane;
    Lane& lane = m_active[collective]->lanes[laneIndex];
    const bool over = --lane.missing[round % AHEAD] == 0 && round == lane.round;
    if (over)
    {
        ++lane.round;
        AskAhead(collective, lane);
        EnterRounds(collective, laneIndex);
    }
    Close(collective);
}

void
CollectiveRunner::Close(uint32_t collective)
{
    if (--m_active[collective]->open == 0)
    {
        m_active[collective].reset();
        m_host.CollectiveDone(collective);
    }
}

} // namespace ns3::dml
