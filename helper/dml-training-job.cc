/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-training-job.h"

#include "ns3/dml-error.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/dml-training-worker.h"
#include "ns3/dml-transfer-joiner.h"
#include "ns3/dml-worker-launcher.h"
#include "ns3/ipv4.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

namespace
{

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
    if (role == Role::WORKER)
    {
        application->TraceConnectWithoutContext("Finished",
                                                MakeCallback(&TrainingJob::WorkerFinished, this));
    }
    node->AddApplication(application);
    m_places.push_back(
        {endpoint, node, InetSocketAddress(local.Get(), listening.Get()), application});
    if (m_places.size() == CountAll(Role::SERVER) + CountAll(Role::WORKER))
    {
        Connect();
    }
    return application;
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
    for (const auto& place : m_places)
    {
        if (!place.application->GetError().empty())
        {
            throw RunError(place.application->GetError());
        }
    }
    if (IsFinished())
    {
        return;
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
