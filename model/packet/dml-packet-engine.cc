/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-engine.h"

#include "dml-packet-run.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dml-aggregation-switches.h"
#include "ns3/dml-error.h"
#include "ns3/dml-rank-assignment.h"
#include "ns3/dml-rank-run.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return the network of one job
std::shared_ptr<const ClusterNetwork>
MakeNetwork(const TrainingRun& run, const NetworkSpec& spec)
{
    auto network =
        std::make_shared<ClusterNetwork>(BuildNetwork(spec, {{run.workers, run.plan->servers}}));
    if (run.plan->aggregators > 0)
    {
        network->SetAggregation(0, FindAggregationTree(*network, 0, ""));
    }
    return network;
}

/// @return the run with the names that its aggregators have in the network
TrainingRun
NameAggregators(TrainingRun run, const ClusterNetwork& network)
{
    run.aggregators.clear();
    for (uint32_t i = 0; i < network.GetJobs().front().aggregators; ++i)
    {
        run.aggregators.push_back(network.GetAggregatorName(0, i));
    }
    return run;
}

} // namespace

PacketEngine::PacketEngine(std::vector<TrainingRun> jobs,
                           const NetworkSpec& spec,
                           std::shared_ptr<const ClusterNetwork> network,
                           const TransferSpec& transfer,
                           RunObserver* observer)
    : m_settings{std::move(jobs), spec, std::move(network), transfer, observer}
{
    const auto& sizes = m_settings.network->GetJobs();
    const auto fits = [](const TrainingRun& run, const JobSize& size) {
        return run.workers == size.workers && run.plan->servers == size.servers &&
               run.plan->aggregators == size.aggregators;
    };
    if (!std::equal(m_settings.jobs.begin(),
                    m_settings.jobs.end(),
                    sizes.begin(),
                    sizes.end(),
                    fits))
    {
        throw InputError("network: found the hosts of other jobs; accepted: those of all workers, "
                         "servers and aggregators of the jobs that run");
    }
}

PacketEngine::PacketEngine(const TrainingRun& run,
                           const NetworkSpec& spec,
                           const TransferSpec& transfer,
                           RunObserver* observer)
    : PacketEngine(MakeNetwork(run, spec), run, spec, transfer, observer)
{
}

PacketEngine::PacketEngine(const std::shared_ptr<const ClusterNetwork>& network,
                           const TrainingRun& run,
                           const NetworkSpec& spec,
                           const TransferSpec& transfer,
                           RunObserver* observer)
    : PacketEngine(std::vector<TrainingRun>{NameAggregators(run, *network)},
                   spec,
                   network,
                   transfer,
                   observer)
{
}

PacketRunTotals
PacketEngine::Run(const std::function<void(double)>& progress)
{
    RngSeedManager::SetSeed(m_settings.seed);
    RngSeedManager::SetRun(m_settings.replication + 1); // the first run of ns-3 is 1
    RankAssignment assignment;
    std::unique_ptr<RankRun> ranks;
    if (m_world)
    {
        assignment = RankAssignment(*m_settings.network, m_world->GetRanks());
        ranks =
            std::make_unique<RankRun>(*m_world, assignment, m_settings.network->GetNodes().size());
    }
    return PacketRun(m_settings, ranks.get()).Run(progress);
}

void
SimulateLoneFlow(const TcpSpec& tcp, uint32_t mtu, uint64_t bytes)
{
    constexpr uint16_t LISTENING = 5000;
    NetworkSpec star;
    star.mtu = mtu;
    star.tcp = tcp;
    star.queue.bytes = 0;
    Cluster cluster(tcp, std::make_shared<ClusterNetwork>(BuildNetwork(star, {{1, 1}})));
    cluster.Create();
    const InetSocketAddress address(cluster.GetAddress("ps0").GetIpv4(), LISTENING);
    const std::string protocol = "ns3::dml::ConfiguredTcpFactory";
    PacketSinkHelper(protocol, address).Install(cluster.GetNode("ps0"));
    BulkSendHelper sender(protocol, address);
    sender.SetAttribute("MaxBytes", UintegerValue(bytes));
    sender.Install(cluster.GetNode("worker0"));
    Simulator::Stop(Hours(1)); // all timers have expired
    Simulator::Run();
}

} // namespace ns3::dml
