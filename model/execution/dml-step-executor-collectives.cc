/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Collectives of a step: when they start, and what their moves need of the executor.

#include "dml-step-executor.h"

#include <utility>

namespace ns3::dml
{

void
StepExecutor::StartCollectives(uint32_t resource)
{
    while (m_channels[resource].collectives < m_plan.concurrent && !m_abandoned)
    {
        const Turn turn = m_channels[resource].policy->Next(m_windows);
        if (!turn)
        {
            return;
        }
        ++m_channels[resource].collectives;
        m_channels[resource].policy->TurnEnded(); // others may start beside it
        if (m_recorder)
        {
            GetTimes(turn.transfer).firstTurn = m_host.GetNow();
        }
        const uint32_t collective = m_plan.ops[turn.transfer].counterpart;
        if (!m_host.RunCollective(*this, collective))
        {
            m_collectives.Start(collective);
        }
    }
}

void
StepExecutor::CollectiveEnded(uint32_t collective)
{
    if (!m_abandoned)
    {
        CollectiveDone(collective);
    }
}

void
StepExecutor::SendMove(OpIndex move, uint32_t resource, uint64_t bytes)
{
    if (!m_abandoned)
    {
        QueueTransfer(move, resource, m_host.GetMessageSize(bytes));
    }
}

void
StepExecutor::RequestMove(OpIndex move)
{
    if (!m_abandoned)
    {
        m_host.RequestTransfer(*this, move);
    }
}

void
StepExecutor::Reduce(OpIndex move, double seconds)
{
    DeviceQueue& queue = GetDevice(move);
    if (const auto start = queue.Submit({m_number, move, m_host.GetInstant(), seconds}))
    {
        m_host.StartTask(queue, *start);
    }
}

void
StepExecutor::ReductionEnded(OpIndex move, double start)
{
    if (m_recorder && !m_abandoned)
    {
        RecordChunk(move, m_plan.reducer, GetTransfer(move).bytes, start);
    }
    FreeDevice(move);
    if (!m_abandoned)
    {
        m_collectives.MoveReduced(move);
    }
}

void
StepExecutor::StartBuckets(const std::vector<Bucket>& buckets)
{
    if (m_abandoned)
    {
        return;
    }
    for (const auto& bucket : buckets)
    {
        const PlannedCollective& first = m_plan.collectives[bucket.front()];
        uint64_t bytes = 0;
        for (const uint32_t member : bucket)
        {
            bytes += m_plan.ops[m_plan.collectives[member].op].bytes;
        }
        m_collectives.SetBytes(bucket.front(), bytes);
        m_buckets[bucket.front()] = bucket;
        m_channels[m_plan.ops[first.op].resource].policy->Add(first.op, bytes);
    }
    for (const auto& bucket : buckets)
    {
        StartCollectives(m_plan.ops[m_plan.collectives[bucket.front()].op].resource);
    }
}

void
StepExecutor::CollectiveDone(uint32_t collective)
{
    const OpIndex op = m_plan.collectives[collective].op;
    const uint32_t resource = m_plan.ops[op].resource;
    if (m_recorder && m_resources[resource].at.role == Role::WORKER)
    {
        RecordChunk(op, resource, GetBufferBytes(collective), m_transfers[op].firstTurn);
    }
    const Bucket bucket =
        m_plan.negotiation ? std::move(m_buckets[collective]) : Bucket{collective};
    for (const uint32_t member : bucket)
    {
        Release(m_plan.collectives[member].op);
    }
    --m_channels[resource].collectives;
    m_host.BucketReduced(*this, bucket);
    StartCollectives(resource);
    for (const uint32_t member : bucket)
    {
        Done(m_plan.collectives[member].op);
    }
}

} // namespace ns3::dml
