/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-engine.h"

#include "dml-host-abilities.h"
#include "dml-host-checks.h"
#include "dml-network-places.h"

#include <utility>

namespace ns3::dml
{

HostEngine::HostEngine(std::vector<TrainingRun> jobs,
                       const NetworkSpec& spec,
                       std::shared_ptr<const ClusterNetwork> network,
                       const TransferSpec& transfer,
                       const HostGrpcSpec& grpc,
                       RunObserver* observer)
    : m_jobs(std::move(jobs)),
      m_spec(spec),
      m_network(std::move(network)),
      m_transfer(transfer),
      m_grpc(grpc),
      m_observer(observer)
{
}

void
HostEngine::Check(const ClusterNetwork& network, const NetworkSpec& spec)
{
    CheckHostNetwork(network, spec, GetHostAbilities());
}

void
HostEngine::UseGloo()
{
    m_gloo = true;
}

void
HostEngine::SampleConnections()
{
    m_connections = true;
}

void
HostEngine::StopWhen(std::function<bool()> rule)
{
    m_stopRule = std::move(rule);
}

HostRunTotals
HostEngine::Run(const std::function<void(double)>& progress)
{
    const auto make = [this] { return std::make_unique<NetworkPlaces>(*m_network, m_spec); };
    HostRun run(m_jobs, *m_network, m_transfer, m_grpc, make, m_observer);
    run.StopWhen(m_stopRule);
    if (m_connections)
    {
        run.SampleConnections();
    }
    if (m_gloo)
    {
        run.UseGloo();
    }
    return run.Run(progress);
}

} // namespace ns3::dml
