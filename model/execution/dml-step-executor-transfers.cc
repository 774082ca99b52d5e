/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Transfers of a step: their turns on a channel, and what the other end asks for.

#include "dml-step-executor.h"

#include "ns3/assert.h"

namespace ns3::dml
{

void
StepExecutor::QueueTransfer(OpIndex transfer, uint32_t resource, uint64_t bytes)
{
    if (m_recorder)
    {
        GetTimes(transfer) = {m_host.GetNow(), -1};
    }
    m_channels[resource].policy->Add(transfer, bytes);
    TryNextTurn(resource);
}

void
StepExecutor::TryNextTurn(uint32_t resource)
{
    Channel& open = m_channels[resource];
    if (open.turn || m_abandoned)
    {
        return;
    }
    open.turn = open.policy->Next(m_windows);
    if (open.turn)
    {
        open.start = m_host.GetNow();
        if (m_recorder)
        {
            TransferTimes& times = GetTimes(open.turn.transfer);
            times.firstTurn = times.firstTurn < 0 ? open.start : times.firstTurn;
        }
        m_host.StartTurn(*this, resource, open.turn);
    }
}

bool
StepExecutor::WantsAcknowledgements(uint32_t resource) const
{
    return m_channels[resource].policy->WantsAcknowledgements();
}

void
StepExecutor::TransferAcknowledged(OpIndex op)
{
    if (m_abandoned)
    {
        return;
    }
    const uint32_t resource = GetTransfer(op).resource;
    m_channels[resource].policy->Acknowledged(op);
    TryNextTurn(resource);
}

bool
StepExecutor::TurnEnded(uint32_t resource, bool arrived)
{
    Channel& open = m_channels[resource];
    NS_ASSERT_MSG(open.turn, "a turn ended on a channel without one");
    const OpIndex op = open.turn.transfer;
    RecordChunk(op, resource, open.turn.bytes, open.start);
    const bool last = open.policy->TurnEnded();
    const bool move = m_plan.IsMove(op);
    const bool done = last && !move && (arrived || m_plan.ops[op].counterpart != NO_INDEX);
    if (last && m_recorder)
    {
        const TransferRecord record = MakeTransferRecord(op);
        arrived ? m_recorder.Tell(record) : m_recorder.Tell(SentRecord{record});
    }
    if (done)
    {
        Release(op); // the channel still counts as busy while the dependents queue
    }
    open.turn = Turn{};
    TryNextTurn(resource);
    if (done)
    {
        Done(op);
    }
    if (last && move)
    {
        m_collectives.MoveSent(op);
    }
    return last;
}

void
StepExecutor::TransferArrived(OpIndex op)
{
    if (m_abandoned)
    {
        return;
    }
    if (m_recorder)
    {
        m_recorder.Tell(MakeTransferRecord(op));
    }
    if (m_plan.IsMove(op))
    {
        m_collectives.MoveArrived(op);
        return;
    }
    Complete(op);
}

bool
StepExecutor::CanBeRequested(OpIndex op, int64_t step) const
{
    if (m_plan.IsMove(op))
    {
        const int64_t own = GetStepOf(op);
        return m_plan.GetMove(op) < m_plan.CountMoves(op, m_worker) && GetTransfer(op).sends &&
               (m_awaits || step == own || step == own + 1);
    }
    // a receiver that does not wait for this executor's steps may be one ahead
    const bool ahead = m_plan.overlaps || m_plan.ops[op].counterpart != op;
    return m_plan.ops[op].dispatch == Dispatch::SEND && m_ops[op].completed == step &&
           step < m_begun + (ahead ? 1 : 0);
}

void
StepExecutor::SendRequested(OpIndex op)
{
    if (!m_abandoned)
    {
        QueueTransfer(op, m_plan.ops[op].resource, m_plan.ops[op].bytes);
    }
}

void
StepExecutor::TransferRequested(OpIndex op)
{
    if (m_plan.IsMove(op))
    {
        m_collectives.MoveRequested(op);
        return;
    }
    Count(&op, &op + 1);
}

} // namespace ns3::dml
