/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-update-barrier.h"

#include "dml-step-executor.h"

namespace ns3
{
namespace dml
{

UpdateBarrier::UpdateBarrier(std::size_t ops)
    : m_arrived(ops, 0)
{
}

void
UpdateBarrier::Join(StepExecutor& executor)
{
    m_executors.push_back(&executor);
}

void
UpdateBarrier::Arrive(OpIndex op)
{
    if (++m_arrived[op] == m_executors.size())
    {
        m_arrived[op] = 0;
        m_executors.front()->RunJointOp(op);
    }
}

void
UpdateBarrier::Done(OpIndex op)
{
    for (StepExecutor* executor : m_executors)
    {
        executor->JointOpDone(op);
    }
}

} // namespace dml
} // namespace ns3
