/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-switch-aggregator.h"

#include "ns3/uinteger.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(SwitchAggregator);

TypeId
SwitchAggregator::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::SwitchAggregator")
                            .SetParent<StepApplication>()
                            .SetGroupName("Dml")
                            .AddConstructor<SwitchAggregator>()
                            .AddAttribute("Index",
                                          "Number of this aggregator, from 0.",
                                          UintegerValue(0),
                                          MakeUintegerAccessor(&SwitchAggregator::m_index),
                                          MakeUintegerChecker<uint32_t>())
                            .AddAttribute("Steps",
                                          "Number of training steps of the workers.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&SwitchAggregator::m_steps),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
SwitchAggregator::DoDispose()
{
    StepApplication::DoDispose();
    m_executor.reset(); // after the connections, which refer to it
}

std::vector<std::string>
SwitchAggregator::GetBlockedOps() const
{
    const std::string name = "aggregator " + std::to_string(m_index) + ": ";
    if (!m_executor)
    {
        return {name + "has not started"};
    }
    if (m_connected < GetPeersInUse())
    {
        return {name + "connected to " + std::to_string(m_connected) + " of " +
                std::to_string(GetPeersInUse()) + " peers"};
    }
    std::vector<std::string> lines;
    for (const auto& op : m_executor->GetBlockedOps())
    {
        lines.push_back(name + op);
    }
    return lines;
}

Endpoint
SwitchAggregator::GetEndpoint() const
{
    return {Role::AGGREGATOR, m_index};
}

StepExecutor&
SwitchAggregator::GetExecutorOf([[maybe_unused]] uint32_t peer)
{
    return *m_executor;
}

StepExecutor&
SwitchAggregator::GetExecutor([[maybe_unused]] uint32_t number) const
{
    return *m_executor;
}

void
SwitchAggregator::MakeExecutors()
{
    m_executor = MakeExecutor(0, GetParticipantNumber(GetEndpoint(), GetWorkers()), MakeDevices());
}

void
SwitchAggregator::HandleConnected([[maybe_unused]] uint32_t peer)
{
    if (++m_connected == GetPeersInUse())
    {
        BeginStep();
    }
}

void
SwitchAggregator::StepCompleted([[maybe_unused]] StepExecutor& executor,
                                [[maybe_unused]] uint32_t step)
{
    BeginStep();
}

void
SwitchAggregator::BeginStep()
{
    if (const uint32_t step = m_executor->GetNextStep(); step < m_steps)
    {
        m_executor->BeginStep(step, 0);
    }
}

} // namespace ns3::dml
