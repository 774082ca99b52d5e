/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-job.h"

#include "ns3/boolean.h"
#include "ns3/dml-cluster.h"
#include "ns3/dml-error.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/dml-ordered-policy.h"
#include "ns3/dml-setup-time.h"
#include "ns3/dml-training-worker.h"
#include "ns3/dml-transfer-joiner.h"
#include "ns3/dml-worker-launcher.h"
#include "ns3/ipv4.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

/// How long endpoints wait for one that starts later.
const Time PATIENCE = Minutes(1);

/// @return the addresses of a node that are not loopbacks
/// @throws InputError if it has none
std::vector<Ipv4Address>
ListAddresses(const Ptr<Node>& node)
{
    std::vector<Ipv4Address> addresses;
    const auto ipv4 = node->GetObject<Ipv4>();
    for (uint32_t i = 0; ipv4 && i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv4->GetNAddresses(i); ++j)
        {
            const auto address = ipv4->GetAddress(i, j).GetLocal();
            if (address != Ipv4Address::GetLoopback())
            {
                addresses.push_back(address);
            }
        }
    }
    if (addresses.empty())
    {
        throw InputError("node " + std::to_string(node->GetId()) +
                         (ipv4 ? " has no IPv4 address" : " has no internet stack") +
                         "; accepted: one to which InternetStackHelper and Ipv4AddressHelper have "
                         "given both");
    }
    return addresses;
}

std::string
NameRole(Role role)
{
    return role == Role::SERVER ? "parameter server" : "worker";
}

} // namespace

TrainingJob::TrainingJob(TrainingRun run, TransferSpec transfer, RunObserver* observer)
    : m_run(std::move(run)),
      m_transfer(std::move(transfer)),
      m_endpoints(std::make_unique<JobEndpoints>(m_run, 0, m_transfer)),
      m_joiner(observer ? std::make_unique<TransferJoiner>(*observer) : nullptr)
{
    if (m_run.plan->aggregators > 0)
    {
        throw InputError("a run in which switches add up, whose routing a script makes itself; "
                         "accepted: runs without, or PacketEngine for it");
    }
}

TrainingJob::~TrainingJob() = default;

void
TrainingJob::SetTimeOrigin(Time origin)
{
    if (!m_places.empty())
    {
        throw InputError("a time origin after endpoints were installed; accepted: before");
    }
    m_origin = origin;
}

int64_t
TrainingJob::AssignStreams(int64_t stream)
{
    if (!m_places.empty())
    {
        throw InputError("random streams after endpoints were installed; accepted: before");
    }
    int64_t used = 0;
    for (auto& sampler : m_run.samplers)
    {
        used += sampler.AssignStreams(stream + used);
    }
    for (auto& jitter : m_run.jitter)
    {
        used += jitter.AssignStreams(stream + used);
    }
    const Ptr<const OrderedPolicy> policy =
        DynamicCast<const OrderedPolicy>(m_run.policy.Create<TransferPolicy>());
    if (policy && policy->IsRandom())
    {
        m_run.policy.Set("Seed", UintegerValue(RngSeedManager::GetSeed()));
        m_run.policy.Set("Replication", UintegerValue(RngSeedManager::GetRun()));
        m_run.policy.Set("Stream", UintegerValue(stream + used));
        used += static_cast<int64_t>(m_run.workers) * m_run.plan->CountChannels();
    }
    return used;
}

uint32_t
TrainingJob::CountPlaces(Role role) const
{
    return std::count_if(m_places.begin(), m_places.end(), [role](const Place& place) {
        return place.endpoint.role == role;
    });
}

uint32_t
TrainingJob::CountAll(Role role) const
{
    return role == Role::SERVER ? m_run.plan->servers : m_run.workers;
}

void
TrainingJob::CheckOrigin() const
{
    const bool late = std::any_of(m_run.startOffsets.begin(),
                                  m_run.startOffsets.end(),
                                  [](double offset) { return offset > 0; });
    if (m_origin.IsZero() && (late || !m_run.crashes.empty()))
    {
        throw InputError(std::string("a run with ") + (late ? "start offsets" : "crashes") +
                         " and no time origin; accepted: SetTimeOrigin() before endpoints are "
                         "installed");
    }
}

Ptr<StepApplication>
TrainingJob::Install(Role role,
                     Ptr<Node> node,
                     const std::map<std::string, Ptr<const AttributeValue>>& attributes)
{
    CheckOrigin();
    const Endpoint endpoint{role, CountPlaces(role)};
    const std::string place = "node " + std::to_string(node->GetId());
    if (endpoint.index >= CountAll(role))
    {
        throw InputError(place + " would get one more " + NameRole(role) +
                         "; accepted: " + std::to_string(CountAll(role)) + ", as the run has");
    }
    const bool taken = std::any_of(m_places.begin(), m_places.end(), [&node](const Place& other) {
        return other.node == node;
    });
    if (taken)
    {
        throw InputError(place + " would get a second endpoint of a job; accepted: one. ns-3's "
                                 "routing does not lead back to a node itself; PacketEngine's does "
                                 "(network.colocate)");
    }
    const auto addresses = ListAddresses(node);
    const auto application = m_endpoints->Make(endpoint, m_origin, {m_joiner.get(), 0});
    Watch(application, role);
    for (const auto& [name, value] : attributes)
    {
        application->SetAttribute(name, *value);
    }
    Ipv4AddressValue local;
    application->GetAttribute("Local", local);
    if (local.Get().IsAny())
    {
        local.Set(addresses.front());
    }
    else if (std::find(addresses.begin(), addresses.end(), local.Get()) == addresses.end())
    {
        throw InputError(place +
                         " does not have the address that the attribute Local says; accepted: "
                         "one of the node's, but no loopback");
    }
    UintegerValue listening;
    application->GetAttribute("Port", listening);
    node->AddApplication(application);
    m_places.push_back(
        {endpoint, node, InetSocketAddress(local.Get(), listening.Get()), application});
    if (m_places.size() == CountAll(Role::SERVER) + CountAll(Role::WORKER))
    {
        Connect();
    }
    return application;
}

ApplicationContainer
TrainingJob::Install(const Cluster& cluster, const DataRate& rate)
{
    const auto& jobs = cluster.GetNetwork().GetJobs();
    if (!m_places.empty())
    {
        throw InputError("a job that has endpoints, to be installed on a network; accepted: one "
                         "without");
    }
    if (jobs.size() != 1 || jobs.front().workers != m_run.workers ||
        jobs.front().servers != m_run.plan->servers)
    {
        throw InputError("a network with the hosts of another job; accepted: those of " +
                         std::to_string(m_run.workers) + " workers and " +
                         std::to_string(m_run.plan->servers) + " parameter servers");
    }
    if (m_origin.IsZero())
    {
        m_origin = GetSetupTime(cluster.GetNetwork(), {*m_endpoints}, rate, m_transfer.sockets);
    }
    for (const auto& [endpoint, peer] : m_endpoints->ListPairs())
    {
        cluster.CheckRoute(m_endpoints->GetName(peer), m_endpoints->GetName(endpoint));
        cluster.CheckRoute(m_endpoints->GetName(endpoint), m_endpoints->GetName(peer));
    }
    ApplicationContainer applications;
    for (const auto& endpoint : m_endpoints->List())
    {
        const std::string host = m_endpoints->GetName(endpoint);
        const auto application = m_endpoints->Make(endpoint, m_origin, {m_joiner.get(), 0});
        m_endpoints->SetPeers(*application, endpoint, [&](const Endpoint& peer) {
            return cluster.FindPeer(peer, host, m_endpoints->GetName(peer));
        });
        Watch(application, endpoint.role);
        cluster.Install(application, host);
        m_places.push_back(
            {endpoint, cluster.GetNode(host), cluster.GetAddress(host), application});
        applications.Add(application);
    }
    AddLauncher();
    return applications;
}

void
TrainingJob::Watch(const Ptr<StepApplication>& application, Role role)
{
    application->SetFailureHandler([this] {
        if (!IsFinished()) // else nobody needs it any more
        {
            Simulator::Stop();
        }
    });
    application->SetAttribute("Patience", ns3::TimeValue(PATIENCE));
    if (role == Role::SERVER)
    {
        application->SetAttribute("LetLeave", BooleanValue(true));
    }
    if (role == Role::WORKER)
    {
        application->TraceConnectWithoutContext("Finished",
                                                MakeCallback(&TrainingJob::WorkerFinished, this));
    }
}

void
TrainingJob::Connect()
{
    const auto find = [this](const Endpoint& peer) {
        const auto place = std::find_if(m_places.begin(),
                                        m_places.end(),
                                        [&peer](const Place& one) { return one.endpoint == peer; });
        return PeerAddress{peer, place->address, ListAddresses(place->node)};
    };
    for (const auto& place : m_places)
    {
        m_endpoints->SetPeers(*place.application, place.endpoint, find);
    }
    AddLauncher();
}

void
TrainingJob::AddLauncher()
{
    if (!m_run.elastic)
    {
        return;
    }
    m_launcher = std::make_unique<WorkerLauncher>(m_run.elastic);
    for (const auto& place : m_places) // without servers
    {
        m_launcher->Add(DynamicCast<TrainingWorker>(place.application));
    }
}

void
TrainingJob::WorkerFinished([[maybe_unused]] uint32_t worker)
{
    ++m_finished;
    if (IsFinished() && m_done)
    {
        m_done();
    }
}

void
TrainingJob::Check() const
{
    if (IsFinished())
    {
        return;
    }
    for (const auto& place : m_places)
    {
        if (!place.application->GetError().empty())
        {
            throw RunError(place.application->GetError());
        }
    }
    if (m_places.empty())
    {
        throw RunError("no endpoint of the job is installed");
    }
    std::string text = "the simulation ended before the job, at " +
                       std::to_string(m_places.front().application->GetNow()) +
                       " s, which waits for";
    for (const auto& place : m_places)
    {
        for (const auto& op : place.application->GetBlockedOps())
        {
            text += "\n  " + op;
        }
    }
    throw RunError(text);
}

} // namespace ns3::dml
