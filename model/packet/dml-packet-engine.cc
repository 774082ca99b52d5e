/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-engine.h"

#include "dml-packet-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-rank-assignment.h"
#include "ns3/dml-rank-run.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace ns3::dml
{

PacketEngine::PacketEngine(std::vector<TrainingRun> jobs,
                           const NetworkSpec& spec,
                           std::shared_ptr<const ClusterNetwork> network,
                           const TransferSpec& transfer,
                           RunObserver* observer)
    : m_jobs(std::move(jobs)),
      m_spec(spec),
      m_network(std::move(network)),
      m_transfer(transfer),
      m_observer(observer)
{
    const auto& sizes = m_network->GetJobs();
    const auto fits = [](const TrainingRun& run, const JobSize& size) {
        return run.workers == size.workers && run.plan->servers == size.servers;
    };
    if (!std::equal(m_jobs.begin(), m_jobs.end(), sizes.begin(), sizes.end(), fits))
    {
        throw InputError("network: found the hosts of other jobs; accepted: those of all workers "
                         "and servers of the jobs that run");
    }
}

PacketEngine::PacketEngine(TrainingRun run,
                           const NetworkSpec& spec,
                           const TransferSpec& transfer,
                           RunObserver* observer)
    : PacketEngine(
          std::vector<TrainingRun>{run},
          spec,
          std::make_shared<ClusterNetwork>(BuildNetwork(spec, {{run.workers, run.plan->servers}})),
          transfer,
          observer)
{
}

void
PacketEngine::Tap(uint32_t server, StreamTap& tap)
{
    m_taps.emplace_back(server, &tap);
}

void
PacketEngine::SetRandomness(uint32_t seed, uint32_t replication)
{
    m_seed = seed;
    m_replication = replication;
}

void
PacketEngine::EnableAnimation(const std::string& path)
{
    m_animation = path;
}

void
PacketEngine::EnableFlowMonitor(const std::string& path)
{
    m_flowMonitor = path;
}

void
PacketEngine::SampleConnections()
{
    m_sampling = true;
}

void
PacketEngine::EnableFastForward(double check)
{
    m_fastCheck = check;
}

void
PacketEngine::EnablePcap(const std::string& prefix)
{
    m_pcapPrefix = prefix;
}

void
PacketEngine::StopWhen(std::function<bool()> rule)
{
    m_stopRule = std::move(rule);
}

void
PacketEngine::SplitOver(RankWorld& world)
{
    m_world = &world;
}

PacketRunTotals
PacketEngine::Run(const std::function<void(double)>& progress)
{
    RngSeedManager::SetSeed(m_seed);
    RngSeedManager::SetRun(m_replication + 1); // the first run of ns-3 is 1
    RankAssignment assignment;
    std::unique_ptr<RankRun> ranks;
    if (m_world)
    {
        assignment = RankAssignment(*m_network, m_world->GetRanks());
        ranks = std::make_unique<RankRun>(*m_world, assignment, m_network->GetNodes().size());
    }
    PacketRun
        run(m_jobs, m_spec, m_network, m_transfer, m_seed, m_replication, m_observer, ranks.get());
    if (m_sampling)
    {
        run.SampleConnections();
    }
    if (m_fastCheck)
    {
        run.EnableFastForward(*m_fastCheck);
    }
    if (!m_pcapPrefix.empty())
    {
        run.EnablePcap(m_pcapPrefix);
    }
    if (!m_animation.empty())
    {
        run.EnableAnimation(m_animation);
    }
    if (!m_flowMonitor.empty())
    {
        run.EnableFlowMonitor(m_flowMonitor);
    }
    for (const auto& [server, tap] : m_taps)
    {
        run.Tap(server, *tap);
    }
    run.StopWhen(m_stopRule);
    return run.Run(progress);
}

} // namespace ns3::dml
