/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-endpoints.h"

#include "dml-parameter-server.h"
#include "dml-training-worker.h"

#include "ns3/boolean.h"
#include "ns3/dml-batch-size-manager.h"
#include "ns3/dml-channel-label.h"
#include "ns3/dml-cluster-network.h"
#include "ns3/dml-grpc-transport.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-tcp-transport.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return the endpoints of a job, servers first
std::vector<Endpoint>
ListEndpoints(uint32_t servers, uint32_t workers)
{
    std::vector<Endpoint> endpoints;
    for (uint32_t server = 0; server < servers; ++server)
    {
        endpoints.push_back({Role::SERVER, server});
    }
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        endpoints.push_back({Role::WORKER, worker});
    }
    return endpoints;
}

std::string
NameHost(uint32_t job, const Endpoint& endpoint)
{
    return endpoint.role == Role::SERVER ? ServerName(job, endpoint.index)
                                         : WorkerName(job, endpoint.index);
}

} // namespace

JobEndpoints::JobEndpoints(const TrainingRun& run, uint32_t job, const TransferSpec& transfer)
    : m_run(run),
      m_job(job),
      m_transfer(transfer)
{
}

std::vector<JobEndpoints>
JobEndpoints::MakeAll(const std::vector<TrainingRun>& jobs, const TransferSpec& transfer)
{
    std::vector<JobEndpoints> endpoints;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        endpoints.emplace_back(jobs[job], job, transfer);
    }
    return endpoints;
}

std::vector<Endpoint>
JobEndpoints::List() const
{
    return ListEndpoints(m_run.plan->servers, m_run.workers);
}

std::vector<Endpoint>
JobEndpoints::ListPeers(const Endpoint& endpoint) const
{
    if (endpoint.role == Role::SERVER)
    {
        return ListEndpoints(0, m_run.workers);
    }
    auto peers = m_run.plan->ListPeers(endpoint.index, m_run.workers);
    const auto add = [&peers](const Endpoint& other) {
        if (std::find(peers.begin(), peers.end(), other) == peers.end())
        {
            peers.push_back(other);
        }
    };
    const bool central = HasBatchSizesOnWorker() || m_run.plan->negotiation;
    for (uint32_t worker = 0; central && worker < m_run.workers; ++worker)
    {
        // the first worker and each of the others talk about batch sizes, or gradients
        if ((worker == 0) != (endpoint.index == 0))
        {
            add({Role::WORKER, worker});
        }
    }
    for (const auto& membership : GetMemberships())
    {
        const auto members = ListMemberPeers(membership, endpoint.index, m_run.workers);
        std::for_each(members.begin(), members.end(), add);
    }
    std::sort(peers.begin(), peers.end(), [](const Endpoint& a, const Endpoint& b) {
        return a.role != b.role ? a.role == Role::SERVER : a.index < b.index;
    });
    return peers;
}

std::vector<Membership>
JobEndpoints::GetMemberships() const
{
    return m_run.elastic ? m_run.elastic->memberships : std::vector<Membership>();
}

bool
JobEndpoints::HasBatchSizesOnWorker() const
{
    return m_run.plan->servers == 0 && m_run.batchControl;
}

std::string
JobEndpoints::GetName(const Endpoint& endpoint) const
{
    return NameHost(m_job, endpoint);
}

std::map<std::string, uint16_t>
JobEndpoints::ListPorts(const ClusterNetwork& network)
{
    std::map<std::string, uint16_t> ports;
    std::map<uint32_t, uint16_t> residents;
    const auto& jobs = network.GetJobs();
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        for (const auto& endpoint : ListEndpoints(jobs[job].servers, jobs[job].workers))
        {
            const std::string name = NameHost(job, endpoint);
            ports[name] = StepApplication::PORT + residents[network.FindHost(name)]++;
        }
    }
    return ports;
}

Ptr<StepApplication>
JobEndpoints::Make(const Endpoint& endpoint, Time origin, JobRecorder recorder) const
{
    const auto application = endpoint.role == Role::SERVER ? MakeServer(endpoint.index)
                                                           : MakeWorker(endpoint.index, origin);
    application->SetPeerWindows(GetWindows(endpoint, ListPeers(endpoint)));
    application->SetPlan(m_run.plan, m_run.workers);
    application->SetRecorder(recorder);
    application->SetAttribute("Policy", ObjectFactoryValue(m_run.policy));
    application->SetAttribute("Transport", ObjectFactoryValue(MakeTransport()));
    application->SetAttribute("TimeOrigin", TimeValue(origin));
    return application;
}

void
JobEndpoints::SetPeers(StepApplication& application,
                       const Endpoint& endpoint,
                       const FindPeer& find) const
{
    std::vector<PeerAddress> addresses;
    for (const auto& peer : ListPeers(endpoint))
    {
        addresses.push_back(find(peer));
    }
    application.SetPeers(std::move(addresses));
}

Ptr<StepApplication>
JobEndpoints::MakeServer(uint32_t index) const
{
    auto server = CreateObject<ParameterServer>();
    server->SetAttribute("Index", UintegerValue(index));
    server->SetAttribute("Cores", UintegerValue(m_run.serverCores));
    if (const auto sync = MakeSyncPolicy(m_run))
    {
        server->SetAttribute("Sync", PointerValue(sync));
    }
    server->SetAttribute("Elastic", BooleanValue(!m_run.crashes.empty()));
    for (const double at : m_run.restores)
    {
        server->AddRestore(at);
    }
    if (index == 0)
    {
        server->SetBatchSizeControl(CreateBatchSizeControl(m_run));
        server->SetShedding(CreateWorkShedding(m_run));
    }
    if (index < m_run.serverSpeeds.size())
    {
        server->SetDeviceSpeed(m_run.serverSpeeds[index]);
    }
    return server;
}

Ptr<StepApplication>
JobEndpoints::MakeWorker(uint32_t index, Time origin) const
{
    auto worker = CreateObject<TrainingWorker>();
    worker->SetAttribute("Index", UintegerValue(index));
    worker->SetAttribute(
        "Steps",
        UintegerValue(m_job == 0 ? m_run.steps : std::numeric_limits<uint32_t>::max()));
    worker->SetAttribute("FirstStep", TimeValue(origin + Seconds(m_run.startOffsets[index])));
    worker->SetSettings(MakeWorkerSettings(m_run, index));
    if (index == 0 && HasBatchSizesOnWorker())
    {
        worker->SetBatchSizeControl(CreateBatchSizeControl(m_run));
    }
    for (const auto& crash : m_run.crashes)
    {
        if (crash.worker == index)
        {
            worker->AddCrash(crash);
        }
    }
    return worker;
}

ObjectFactory
JobEndpoints::MakeTransport() const
{
    ObjectFactory factory;
    if (m_transfer.transport == "tcp")
    {
        factory.SetTypeId(TcpTransport::GetTypeId());
        factory.Set("Sockets", UintegerValue(m_transfer.sockets));
        return factory;
    }
    factory.SetTypeId(GrpcTransport::GetTypeId());
    factory.Set("Window", UintegerValue(m_run.window));
    factory.Set("GrantRule", StringValue(m_transfer.grant));
    return factory;
}

std::vector<std::vector<uint64_t>>
JobEndpoints::GetWindows(const Endpoint& endpoint, const std::vector<Endpoint>& peers) const
{
    std::vector<std::vector<uint64_t>> windows;
    for (std::size_t i = 0; i < peers.size() && !m_run.windows.IsEmpty(); ++i)
    {
        const TransferChannel channel{peers[i], endpoint};
        const Direction direction = GetDirection(channel);
        windows.push_back(direction == Direction::PEER
                              ? std::vector<uint64_t>{m_run.window}
                              : m_run.windows.GetSteps(GetWorker(channel),
                                                       GetServer(channel),
                                                       direction == Direction::DOWNLINK));
    }
    return windows;
}

} // namespace ns3::dml
