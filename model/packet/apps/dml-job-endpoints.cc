/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-job-endpoints.h"

#include "dml-parameter-server.h"
#include "dml-switch-aggregator.h"
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

/// @return whether the first worker chooses the batch sizes of all
bool
HasBatchSizesOnWorker(const TrainingRun& run)
{
    return run.plan->servers == 0 && run.batchControl;
}

Ptr<StepApplication>
MakeServer(const TrainingRun& run, uint32_t index)
{
    auto server = CreateObject<ParameterServer>();
    server->SetAttribute("Index", UintegerValue(index));
    server->SetAttribute("Cores", UintegerValue(run.serverCores));
    if (const auto sync = MakeSyncPolicy(run))
    {
        server->SetAttribute("Sync", PointerValue(sync));
    }
    server->SetAttribute("Elastic", BooleanValue(!run.crashes.empty()));
    for (const double at : run.restores)
    {
        server->AddRestore(at);
    }
    if (index == 0)
    {
        server->SetBatchSizeControl(CreateBatchSizeControl(run));
        server->SetShedding(CreateWorkShedding(run));
    }
    if (index < run.serverSpeeds.size())
    {
        server->SetDeviceSpeed(run.serverSpeeds[index]);
    }
    return server;
}

Ptr<StepApplication>
MakeWorker(const TrainingRun& run, uint32_t job, uint32_t index, Time origin)
{
    auto worker = CreateObject<TrainingWorker>();
    worker->SetAttribute("Index", UintegerValue(index));
    worker->SetAttribute(
        "Steps",
        UintegerValue(job == 0 ? run.steps : std::numeric_limits<uint32_t>::max()));
    worker->SetAttribute("FirstStep", TimeValue(origin + Seconds(run.startOffsets[index])));
    worker->SetSettings(MakeWorkerSettings(run, index));
    if (index == 0 && HasBatchSizesOnWorker(run))
    {
        worker->SetBatchSizeControl(CreateBatchSizeControl(run));
    }
    for (const auto& crash : run.crashes)
    {
        if (crash.worker == index)
        {
            worker->AddCrash(crash);
        }
    }
    return worker;
}

Ptr<StepApplication>
MakeAggregator(const TrainingRun& run, uint32_t job, uint32_t index)
{
    auto aggregator = CreateObject<SwitchAggregator>();
    aggregator->SetAttribute("Index", UintegerValue(index));
    aggregator->SetAttribute(
        "Steps",
        UintegerValue(job == 0 ? run.steps : std::numeric_limits<uint32_t>::max()));
    return aggregator;
}

/// @return the application of an endpoint, which knows nothing of others
Ptr<StepApplication>
MakeApplication(const TrainingRun& run, uint32_t job, const Endpoint& endpoint, Time origin)
{
    switch (endpoint.role)
    {
    case Role::SERVER:
        return MakeServer(run, endpoint.index);
    case Role::AGGREGATOR:
        return MakeAggregator(run, job, endpoint.index);
    case Role::WORKER:
        break;
    }
    return MakeWorker(run, job, endpoint.index, origin);
}

ObjectFactory
MakeTransport(const TrainingRun& run, const TransferSpec& transfer)
{
    ObjectFactory factory;
    if (transfer.transport == "tcp")
    {
        factory.SetTypeId(TcpTransport::GetTypeId());
        factory.Set("Sockets", UintegerValue(transfer.sockets));
        return factory;
    }
    factory.SetTypeId(GrpcTransport::GetTypeId());
    factory.Set("Window", UintegerValue(run.window));
    factory.Set("GrantRule", StringValue(transfer.grant));
    return factory;
}

/// @return the windows of the peers, as StepApplication::SetPeerWindows() takes them
std::vector<std::vector<uint64_t>>
GetWindows(const TrainingRun& run, const Endpoint& endpoint, const std::vector<Endpoint>& peers)
{
    std::vector<std::vector<uint64_t>> windows;
    for (std::size_t i = 0; i < peers.size() && !run.windows.IsEmpty(); ++i)
    {
        const TransferChannel channel{peers[i], endpoint};
        const Direction direction = GetDirection(channel);
        windows.push_back(direction == Direction::PEER
                              ? std::vector<uint64_t>{run.window}
                              : run.windows.GetSteps(GetWorker(channel),
                                                     GetServer(channel),
                                                     direction == Direction::DOWNLINK));
    }
    return windows;
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
    auto endpoints = ListEndpoints(m_run.plan->servers, m_run.workers);
    for (uint32_t aggregator = 0; aggregator < m_run.plan->aggregators; ++aggregator)
    {
        endpoints.push_back({Role::AGGREGATOR, aggregator});
    }
    return endpoints;
}

std::vector<Endpoint>
JobEndpoints::ListPeers(const Endpoint& endpoint) const
{
    if (endpoint.role == Role::SERVER)
    {
        return ListEndpoints(0, m_run.workers);
    }
    if (endpoint.role == Role::AGGREGATOR)
    {
        return m_run.plan->aggregation->ListPeers(GetParticipantNumber(endpoint, m_run.workers),
                                                  m_run.workers);
    }
    auto peers = m_run.plan->ListPeers(endpoint.index, m_run.workers);
    const auto add = [&peers](const Endpoint& other) {
        if (std::find(peers.begin(), peers.end(), other) == peers.end())
        {
            peers.push_back(other);
        }
    };
    const bool central = HasBatchSizesOnWorker(m_run) || m_run.plan->negotiation;
    for (uint32_t worker = 0; central && worker < m_run.workers; ++worker)
    {
        // the first worker and each of the others talk about batch sizes, or gradients
        if ((worker == 0) != (endpoint.index == 0))
        {
            add({Role::WORKER, worker});
        }
    }
    if (m_run.elastic)
    {
        for (const auto& membership : m_run.elastic->memberships)
        {
            const auto members = ListMemberPeers(membership, endpoint.index, m_run.workers);
            std::for_each(members.begin(), members.end(), add);
        }
    }
    std::sort(peers.begin(), peers.end(), [](const Endpoint& a, const Endpoint& b) {
        const auto place = [](const Endpoint& endpoint) {
            return std::pair(endpoint.role != Role::SERVER, endpoint.role == Role::AGGREGATOR);
        };
        return std::pair(place(a), a.index) < std::pair(place(b), b.index);
    });
    return peers;
}

std::vector<std::pair<Endpoint, Endpoint>>
JobEndpoints::ListPairs() const
{
    std::vector<std::pair<Endpoint, Endpoint>> pairs;
    for (const auto& endpoint : List())
    {
        if (endpoint.role != Role::SERVER) // which are the workers' peers
        {
            for (const auto& peer : ListPeers(endpoint))
            {
                pairs.emplace_back(endpoint, peer);
            }
        }
    }
    return pairs;
}

std::string
JobEndpoints::GetName(const Endpoint& endpoint) const
{
    switch (endpoint.role)
    {
    case Role::SERVER:
        return ServerName(m_job, endpoint.index);
    case Role::AGGREGATOR:
        return m_run.aggregators.at(endpoint.index);
    case Role::WORKER:
        break;
    }
    return WorkerName(m_job, endpoint.index);
}

Ptr<StepApplication>
JobEndpoints::Make(const Endpoint& endpoint, Time origin, JobRecorder recorder) const
{
    const auto application = MakeApplication(m_run, m_job, endpoint, origin);
    application->SetPeerWindows(GetWindows(m_run, endpoint, ListPeers(endpoint)));
    application->SetPlan(endpoint.role == Role::AGGREGATOR ? m_run.plan->aggregation : m_run.plan,
                         m_run.workers);
    application->SetRecorder(recorder);
    application->SetAttribute("Policy", ObjectFactoryValue(m_run.policy));
    application->SetAttribute("Transport", ObjectFactoryValue(MakeTransport(m_run, m_transfer)));
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

} // namespace ns3::dml
