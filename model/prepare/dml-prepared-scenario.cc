/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-prepared-scenario.h"

#include "dml-fair-share-cluster.h"
#include "dml-process-faults.h"

#include "ns3/dml-aggregation-switches.h"
#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-error.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-rate-solver.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-scenario-checks.h"
#include "ns3/dml-topology-builder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Bytes that a node takes, with its link, its name and its places in routes.
constexpr double BYTES_PER_NODE = 400;
/// Bytes that a flow takes, with its routes.
constexpr double BYTES_PER_FLOW = 200;
/// Networks of a scenario are held as long as they take less.
constexpr double MOST_NETWORK_BYTES = 8e6;

/// @throws InputError if the packet engine's grant rule does not give the window rule
void
CheckWindowRule(const Scenario& scenario)
{
    const TransferSpec& transfer = scenario.transfer;
    const std::string rule = WindowRuleOf(transfer.grant);
    if (transfer.windowRule != rule && TakesWindowTurns(transfer))
    {
        throw ScenarioError(scenario,
                            "transfer.window_rule",
                            "'" + transfer.windowRule + "'",
                            rule + " for the packet engine (it follows from transfer.grant " +
                                transfer.grant + "), or none; --engine=fair-share takes both");
    }
}

/// @throws InputError if the sharing rule cannot express the network
void
CheckSharing(const PreparedScenario& prepared)
{
    const Scenario& scenario = prepared.scenario;
    const std::string& rule = scenario.fairShare.sharing;
    if (rule == "auto")
    {
        return; // which takes a rule that can
    }
    for (const uint32_t workers : ListUnlikeClusters(scenario))
    {
        try
        {
            FairShareNetwork network = prepared.MakeFairShareNetwork(workers, 0);
            PrepareFairShareNetwork(network);
            MakeBandwidthSharing(network, nullptr);
        }
        catch (const SharingError& error)
        {
            throw ScenarioError(scenario,
                                "fair_share.sharing",
                                "'" + rule + "' with " + error.found,
                                error.accepted);
        }
    }
}

/// Let switches add up for the jobs that want it.
/// @throws InputError if there are none
void
AddAggregation(const Scenario& scenario, ClusterNetwork& network)
{
    for (uint32_t index = 0; index < network.GetJobs().size(); ++index)
    {
        const auto protocol = DynamicCast<AllReduceProtocol>(MakeProtocol(GetJob(scenario, index)));
        const auto algorithm = protocol ? protocol->GetAlgorithm() : nullptr;
        if (!algorithm || algorithm->CountAggregators(network.GetJobs()[index].workers) == 0)
        {
            continue;
        }
        try
        {
            network.SetAggregation(index,
                                   FindAggregationTree(network, index, algorithm->GetRoot()));
        }
        catch (const KeyError& error)
        {
            throw InputError(LocateKey(scenario, JobKey(index) + "." + error.GetKey()) +
                             error.GetReason());
        }
    }
}

} // namespace

uint32_t
PreparedScenario::GetMostWorkers() const
{
    return *std::max_element(scenario.job.workers.begin(), scenario.job.workers.end());
}

template <typename Network, typename Make>
std::shared_ptr<const Network>
PreparedScenario::Share(ByWorkers<Network>& known, uint32_t workers, const Make& make) const
{
    const auto found = known.find(workers);
    if (found != known.end())
    {
        return found->second;
    }
    auto [made, bytes] = make();
    const auto network = std::make_shared<const Network>(std::move(made));
    if (m_networkBytes < MOST_NETWORK_BYTES)
    {
        m_networkBytes += bytes;
        known[workers] = network;
    }
    return network;
}

std::shared_ptr<const ClusterNetwork>
PreparedScenario::GetNetwork(uint32_t workers) const
{
    return Share(m_networks, workers, [&] {
        auto network = BuildNetwork(scenario.network, GetJobSizes(scenario, workers));
        AddAggregation(scenario, network);
        const double bytes = BYTES_PER_NODE * network.GetNodes().size();
        return std::pair{std::move(network), bytes};
    });
}

std::shared_ptr<const FairShareNetwork>
PreparedScenario::GetFairShareNetwork(uint32_t workers) const
{
    return Share(m_fairShareNetworks, workers, [&] {
        const auto cluster = GetNetwork(workers);
        auto network = dml::MakeFairShareNetwork(scenario, *cluster, ListShapes(*cluster));
        const double bytes = BYTES_PER_FLOW * network.links.flows.size();
        return std::pair{std::move(network), bytes};
    });
}

std::vector<JobShape>
PreparedScenario::ListShapes(const ClusterNetwork& network) const
{
    std::vector<JobShape> shapes;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        const JobSize& size = network.GetJobs()[job];
        shapes.push_back(jobs[job].HasServers()
                             ? JobShape{size}
                             : MakeJobShape(ListJobPlans(network, job), size.workers));
    }
    return shapes;
}

std::vector<std::shared_ptr<const StepPlan>>
PreparedScenario::ListJobPlans(const ClusterNetwork& cluster, uint32_t job) const
{
    TrainingRun run;
    const auto places = FindPlaces(cluster, job);
    run.plan = jobs[job].GetPlan(places);
    if (job == 0)
    {
        run.elastic =
            jobs[job].MakeElasticity(places,
                                     ListCrashes(scenario.processFaults, cluster.GetJobs()));
    }
    return ListPlans(run);
}

FairShareNetwork
PreparedScenario::MakeFairShareNetwork(uint32_t workers, uint32_t replication) const
{
    FairShareNetwork network = *GetFairShareNetwork(workers);
    SetReplication(replication, network);
    return network;
}

PreparedScenario
PrepareScenario(const Scenario& scenario, bool packet, ProfileCache* profiles)
{
    PreparedScenario prepared;
    prepared.scenario = scenario;
    const auto largest = prepared.GetNetwork(prepared.GetMostWorkers());
    prepared.mtu = largest->GetSmallestMtu();
    prepared.format = GetWireFormat(prepared.mtu,
                                    scenario.network.tcp.timestamps,
                                    GetMessageFraming(scenario.transfer));
    prepared.goodput = GetGoodput(scenario.network.rate, prepared.format);
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        prepared.jobs.push_back(
            PrepareJob(scenario, index, packet, prepared.goodput, *largest, profiles));
    }
    CheckSharing(prepared);
    if (packet)
    {
        CheckWindowRule(scenario);
    }
    return prepared;
}

} // namespace ns3::dml
