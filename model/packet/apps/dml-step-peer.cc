/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-peer.h"

#include "ns3/dml-model-clock.h"

namespace ns3::dml
{

StepApplication::Peer::Peer(StepApplication& application, uint32_t index)
    : m_application(application),
      m_index(index),
      m_transport(application.m_transport.Create<Transport>())
{
    TransportEnds ends;
    ends.self = GetDeviceName(application.GetEndpoint());
    ends.peer = application.GetPeerDeviceName(index);
    ends.address = application.m_addresses[index].address;
    ends.ops = application.m_plan->CountTransferNumbers();
    // of the network, whose round trips it measures
    ends.clock = [&application] {
        return application.GetNow() - ModelClock::GetSkipped().GetSeconds();
    };
    if (!application.m_peerWindows.empty())
    {
        ends.windows = application.m_peerWindows[index];
    }
    m_transport->Begin(ends, *this);
}

StepApplication::Peer::~Peer() = default;

OpIndex
StepApplication::Peer::FindTransfer(const std::string& name, int64_t step)
{
    const auto listed = m_application.m_opByName.find(name);
    const OpIndex transfer = listed == m_application.m_opByName.end()
                                 ? m_application.m_plan->FindSent(name)
                                 : listed->second;
    const bool found =
        transfer != NO_INDEX && m_application.GetExecutorOf(m_index).CanBeRequested(transfer, step);
    return found ? transfer : NO_INDEX;
}

void
StepApplication::Peer::TransferRequested(OpIndex transfer)
{
    m_application.GetExecutorOf(m_index).TransferRequested(transfer);
}

OpIndex
StepApplication::Peer::TurnServed()
{
    const uint32_t channel = m_application.GetSendChannel(m_index);
    StepExecutor& executor = m_application.GetExecutorOf(m_index);
    const OpIndex op = executor.GetOpenTransfer(channel);
    return executor.TurnEnded(channel, false) && executor.WantsAcknowledgements(channel) ? op
                                                                                         : NO_INDEX;
}

void
StepApplication::Peer::TransferAcknowledged(OpIndex transfer)
{
    m_application.GetExecutorOf(m_index).TransferAcknowledged(transfer);
}

void
StepApplication::Peer::WindowOpened()
{
    const uint32_t channel = m_application.GetSendChannel(m_index);
    if (channel != NO_INDEX) // else it is sent answers of graphs only
    {
        m_application.GetExecutorOf(m_index).TryNextTurn(channel);
    }
}

void
StepApplication::Peer::TransferArrived(OpIndex transfer)
{
    m_application.GetExecutorOf(m_index).TransferArrived(transfer);
}

void
StepApplication::Peer::GraphRequested(int32_t call, const RunGraphRequest& request)
{
    m_application.HandleRunGraph(m_index, call, request);
}

void
StepApplication::Peer::GraphDone(uint32_t step, const std::string& graph, const NamedValues& values)
{
    m_application.HandleRunGraphDone(m_index, step, graph, values);
}

void
StepApplication::Peer::Failed(const std::string& text)
{
    m_application.Fail(text);
}

} // namespace ns3::dml
