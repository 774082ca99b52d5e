/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What an executor tells of its steps: records for the observer, and blocked ops.

#include "dml-step-executor.h"

#include <algorithm>
#include <sstream>

namespace ns3::dml
{

std::vector<std::string>
StepExecutor::GetBlockedOps() const
{
    std::vector<std::string> blocked;
    for (OpIndex op = 0; op < m_plan.ops.size(); ++op)
    {
        if (m_plan.ops[op].dispatch != Dispatch::ELSEWHERE && m_ops[op].completed < m_begun)
        {
            blocked.push_back(m_plan.names[op] + " (waits for " +
                              std::to_string(std::max(0, m_ops[op].waiting)) + ")");
        }
    }
    return blocked;
}

std::string
StepExecutor::DescribeEndlessOp(const ComputeTask& task, double now) const
{
    const DeviceSpeed* speed = GetDevice(task.op).GetSpeed();
    const std::string key = speed ? speed->GetKey(now) : "";
    std::ostringstream text;
    text << "worker " << m_worker << ": op " << m_plan.names[GetListedOp(task.op)] << " of step "
         << GetStepOf(task.op) << " begins at " << now << " s and takes " << task.seconds
         << " s at full speed; ";
    if (speed)
    {
        text << "at that of its device it has not ended within 10^8 simulated seconds, or "
             << MOST_PHASES << " changes of speed, where a run ends";
    }
    else
    {
        text << "it would end after 10^8 simulated seconds, where a run ends";
    }
    return text.str() + (key.empty() ? "" : "; what makes the device slow: " + key);
}

StepExecutor::TransferTimes&
StepExecutor::GetTimes(OpIndex transfer)
{
    return m_plan.IsMove(transfer) ? m_moves[transfer] : m_transfers[transfer];
}

TransferRecord
StepExecutor::MakeTransferRecord(OpIndex transfer)
{
    const PlannedTransfer planned = GetTransfer(transfer);
    const PlannedOp& op = m_plan.ops[planned.op];
    TransferTimes times{UNKNOWN_TIME, UNKNOWN_TIME};
    if (planned.sends)
    {
        times = GetTimes(transfer);
        m_moves.erase(transfer);
    }
    return {m_resources[planned.resource].GetChannel(),
            m_ops[planned.op].completed,
            op.profileOp,
            op.tensor,
            times.ready,
            times.firstTurn,
            m_host.GetNow(),
            planned.part};
}

void
StepExecutor::RecordChunk(OpIndex op, uint32_t resource, uint64_t bytes, double start) const
{
    if (m_recorder)
    {
        const OpIndex listed = GetListedOp(op);
        m_recorder.Tell(ChunkRecord{m_worker,
                                    m_ops[listed].completed,
                                    m_plan.ops[listed].profileOp,
                                    m_plan.ops[listed].parse,
                                    m_resources[resource],
                                    bytes,
                                    start,
                                    m_host.GetNow()});
    }
}

void
StepExecutor::RecordTaken(OpIndex op) const
{
    if (m_recorder)
    {
        m_recorder.Tell(GradientRecord{m_worker,
                                       m_ops[op].completed,
                                       m_plan.ops[op].profileOp,
                                       m_host.GetNow()});
    }
}

std::string
MakeStallReport(double now, const std::vector<std::string>& blocked)
{
    constexpr std::size_t SHOWN = 10;
    std::ostringstream text;
    text << "the run stalled at " << now << " s: ops wait and nothing can happen any more";
    for (std::size_t i = 0; i < std::min(SHOWN, blocked.size()); ++i)
    {
        text << "\n  " << blocked[i];
    }
    if (blocked.size() > SHOWN)
    {
        text << "\n  and " << blocked.size() - SHOWN << " more";
    }
    return text.str();
}

} // namespace ns3::dml
