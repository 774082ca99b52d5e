/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-parameter-server.h"

#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/uinteger.h"

#include <charconv>

namespace ns3
{
namespace dml
{

NS_LOG_COMPONENT_DEFINE("DmlParameterServer");
NS_OBJECT_ENSURE_REGISTERED(ParameterServer);

TypeId
ParameterServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::ParameterServer")
            .SetParent<StepApplication>()
            .SetGroupName("Dml")
            .AddConstructor<ParameterServer>()
            .AddAttribute("Index",
                          "Number of this parameter server, from 0.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ParameterServer::m_index),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Cores",
                          "Cores that all workers share for parsing and updates; zero gives each "
                          "worker a core of its own.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ParameterServer::m_cores),
                          MakeUintegerChecker<uint32_t>());
    return tid;
}

ParameterServer::ParameterServer() = default;

ParameterServer::~ParameterServer() = default;

void
ParameterServer::DoDispose()
{
    StepApplication::DoDispose();
    m_executors.clear(); // after the connections, which refer to them
}

std::vector<std::string>
ParameterServer::GetBlockedOps() const
{
    std::vector<std::string> lines;
    for (const auto& executor : m_executors)
    {
        for (const auto& op : executor->GetBlockedOps())
        {
            lines.push_back("parameter server " + std::to_string(m_index) + " for worker " +
                            std::to_string(executor->GetWorker()) + ": " + op);
        }
    }
    return lines;
}

Site
ParameterServer::GetSite() const
{
    return {Site::Kind::SERVER, m_index};
}

std::string
ParameterServer::GetDeviceName() const
{
    return DeviceName("ps", m_index);
}

std::string
ParameterServer::GetPeerDeviceName(uint32_t peer) const
{
    return DeviceName("worker", peer);
}

uint32_t
ParameterServer::GetPeerOf(uint32_t executor, [[maybe_unused]] OpIndex op) const
{
    return executor;
}

StepExecutor&
ParameterServer::GetExecutorOf(uint32_t peer)
{
    return *m_executors[peer];
}

StepExecutor&
ParameterServer::GetExecutor(uint32_t number)
{
    return *m_executors[number];
}

uint32_t
ParameterServer::GetSendLink([[maybe_unused]] uint32_t peer) const
{
    return GetPlan().GetDownlink(m_index);
}

void
ParameterServer::MakeExecutors()
{
    m_runGraphs.assign(GetPeers(), {});
    m_barrier = std::make_unique<UpdateBarrier>(GetPlan().ops.size());
    const auto shared = MakeDevices(m_cores);
    for (uint32_t worker = 0; worker < GetPeers(); ++worker)
    {
        auto devices = MakeDevices();
        for (std::size_t i = 0; m_cores > 0 && i < devices.size(); ++i)
        {
            if (GetPlan().resources[i].kind == ResourceKind::SERVER)
            {
                devices[i] = shared[i];
            }
        }
        m_executors.push_back(MakeExecutor(worker, worker, devices));
        m_executors.back()->SetBarrier(*m_barrier);
        m_barrier->Join(*m_executors.back());
    }
}

void
ParameterServer::HandleRunGraph(uint32_t peer, int32_t stream, const RunGraphRequest& request)
{
    NS_LOG_FUNCTION(this << peer << request.stepId);
    StepExecutor& executor = *m_executors[peer];
    const std::string& handle = request.graphHandle;
    const std::size_t samples =
        GetPlan().ops.empty() ? 0 : GetPlan().seconds.size() / GetPlan().ops.size();
    uint32_t sample = 0;
    const auto [end, error] = std::from_chars(handle.data(), handle.data() + handle.size(), sample);
    if (error != std::errc() || end != handle.data() + handle.size() || sample >= samples ||
        !executor.CanBegin(request.stepId))
    {
        Fail("worker " + std::to_string(peer) + " asked for step " +
             std::to_string(request.stepId) + " of graph '" + handle + "', which cannot be run now");
        return;
    }
    m_runGraphs[peer][request.stepId % 2] = stream;
    AnnounceWindow(peer, request.stepId);
    executor.BeginStep(request.stepId, sample);
}

void
ParameterServer::StepCompleted(StepExecutor& executor, uint32_t step)
{
    AnswerRunGraph(executor.GetNumber(), m_runGraphs[executor.GetNumber()][step % 2]);
}

} // namespace dml
} // namespace ns3
