/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-prepared-job.h"

#include "dml-duration-check.h"
#include "dml-fair-share-cluster.h"
#include "dml-one-worker-run.h"
#include "dml-placed-profile.h"
#include "dml-plugin-factories.h"

#include "ns3/dml-all-reduce-protocol.h"
#include "ns3/dml-bdp-estimator.h"
#include "ns3/dml-error.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-in-network-all-reduce.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-run-graph-protocol.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-sync-policies.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return bytes beyond those that arrived for which receivers grant window ahead
uint64_t
GetLookahead(const TransferSpec& transfer)
{
    return transfer.grant == "capped" || transfer.grant == "bdp" ? GRANT_LOOKAHEAD : 0;
}

/// @param index of a job @return the network as its first worker has it when it is alone
OneWorkerNetwork
MakeOneWorkerNetwork(const Scenario& scenario,
                     uint32_t index,
                     double goodput,
                     const ClusterNetwork& cluster)
{
    const auto& given = scenario.fairShare.oneWayDelay;
    OneWorkerNetwork network{goodput, {}, !given};
    for (uint32_t server = 0; server < cluster.GetJobs()[index].servers; ++server)
    {
        network.delays.push_back(
            given ? CoordinatorDelays{given->GetSeconds(), given->GetSeconds()}
                  : FindDelays(cluster, WorkerName(index, 0), ServerName(index, server)));
    }
    network.delaysRequests = network.delaysRequests && !network.delays.empty();
    return network;
}

/// The run of one worker with the network for itself, by the fair-share engine.
OneWorkerMeans
FindOneWorkerMeans(const Scenario& scenario,
                   const PreparedJob& job,
                   const OneWorkerNetwork& network)
{
    const uint32_t samples = job.profile->GetSampleCount();
    TrainingRun run = job.run;
    run.workers = 1;
    run.steps = samples;
    run.samplers.emplace_back(StepSampler::Rule::IN_ORDER, samples, 1, 0, 0);
    run.startOffsets = {0};
    SetReferenceDevice(job.devices, run);
    OneWorkerProfile means;
    RunOneWorker(std::move(SettleWindows(scenario.transfer, {std::move(run)}).front()),
                 network,
                 &means);
    OneWorkerMeans found = means.GetMeans();
    for (const auto& [to, from] : network.delays)
    {
        found.downlinkDelay =
            std::max(found.downlinkDelay, from + (network.delaysRequests ? to : 0));
        found.uplinkDelay = std::max(found.uplinkDelay, to);
    }
    return found;
}

/// @throws InputError if the step cannot be split among nodes
void
CheckSplit(const Scenario& scenario, const StepPlan& plan)
{
    try
    {
        RestrictStepPlan(plan, SELF);
    }
    catch (const InputError& error)
    {
        throw ScenarioError(scenario,
                            "job.profile",
                            std::string("a profile in which ") + error.what(),
                            "other dependencies, or --engine=fair-share");
    }
}

/// @throws InputError if flow control cuts a step into so many turns that a run would never end
void
CheckTurns(const Scenario& scenario, const StepPlan& plan)
{
    constexpr double MOST_TURNS = 1e6;
    const TransferSpec& transfer = scenario.transfer;
    const bool frames = transfer.policy == "frame-by-frame";
    if (!frames && (!TakesWindowTurns(transfer) || transfer.windowRule == "two-turns"))
    {
        return;
    }
    uint64_t window = transfer.window;
    for (const auto& connection : transfer.connections)
    {
        for (const auto* steps : {&connection.downlink, &connection.uplink})
        {
            for (const uint64_t size : *steps)
            {
                window = std::min(window, size);
            }
        }
    }
    const uint64_t portion =
        frames ? RoundRobinPolicy::DEFAULT_QUANTUM : window + GetLookahead(transfer);
    double turns = 0;
    for (const auto& op : plan.ops)
    {
        turns += static_cast<double>(op.bytes) / static_cast<double>(portion);
    }
    if (turns > MOST_TURNS && frames)
    {
        throw ScenarioError(scenario,
                            "transfer.policy",
                            "'frame-by-frame', which cuts a step into " +
                                std::to_string(static_cast<uint64_t>(turns)) + " turns",
                            "a profile of which it makes a million turns at most, 16384 B each");
    }
    if (turns > MOST_TURNS)
    {
        throw ScenarioError(scenario,
                            "transfer.window",
                            std::to_string(transfer.window) + " B, which cuts a step into " +
                                std::to_string(static_cast<uint64_t>(turns)) + " turns",
                            "a window that gives a million turns at most");
    }
}

/// @throws InputError if switches would add up so many chunks that a run would never end
void
CheckChunks(const Scenario& scenario, uint32_t index, const PreparedJob& job)
{
    constexpr uint64_t MOST_CHUNKS = 10000000;
    const auto protocol = DynamicCast<const AllReduceProtocol>(job.protocol);
    const auto algorithm =
        DynamicCast<const InNetworkAllReduce>(protocol ? protocol->GetAlgorithm() : nullptr);
    if (!algorithm)
    {
        return;
    }
    uint64_t largest = 0;
    for (const auto& collective : job.run.plan->collectives)
    {
        largest = std::max(largest, job.run.plan->ops[collective.op].bytes);
    }
    uint64_t workers = 1;
    for (const uint32_t size : scenario.job.workers)
    {
        workers = std::max<uint64_t>(workers, GetJobSizes(scenario, size)[index].workers);
    }
    const uint64_t buffers = job.run.plan->collectives.size();
    const uint64_t chunks = algorithm->CountChunks(largest);
    if (workers > 1 && chunks > MOST_CHUNKS / workers / std::max<uint64_t>(1, buffers))
    {
        throw ScenarioError(scenario,
                            JobKey(index) + ".all_reduce.chunk",
                            Plural(chunks, "chunk") + " of a buffer of " + Plural(largest, "byte") +
                                ", with " + Plural(buffers, "buffer") + " and " +
                                Plural(workers, "worker"),
                            "chunks so large that chunks of the largest buffer, times buffers, "
                            "times workers, are ten million at most");
    }
}

/// What the policy is told about the transfers of a step before the run.
void
DescribeTransfers(const TransferSpec& transfer,
                  const Profile& profile,
                  const std::vector<OpIndex>& pulls,
                  StepPlan& plan)
{
    const bool own = IsOwnPolicy(transfer.policy);
    const bool slices = IsSlicePolicy(transfer.policy) || own;
    if (slices || IsOrderPolicy(transfer.policy))
    {
        plan.ranks =
            RankTransfers(plan,
                          profile,
                          pulls,
                          slices ? RankedTransfers::PULLS_AND_PUSHES : RankedTransfers::PULLS);
    }
    if (transfer.policy == "prophet" || own)
    {
        plan.generated = PredictGradients(plan);
    }
}

/// Plan a job's step by its own protocol, where that is not the one that it has been planned by.
/// @throws InputError if the profile is not made for it
void
ApplyProtocol(const Scenario& scenario, uint32_t index, PreparedJob& job)
{
    const bool runGraph = job.protocol->GetInstanceTypeId() == RunGraphProtocol::GetTypeId();
    if (runGraph && !job.setting.joint)
    {
        return;
    }
    try
    {
        StepPlan plan = job.protocol->MakePlan(*job.profile, job.setting);
        if (job.run.plan &&
            plan.names == job.run.plan->names) // what is known of the transfers holds for these
        {
            plan.ranks = job.run.plan->ranks;
            plan.generated = job.run.plan->generated;
        }
        job.run.plan = std::make_shared<StepPlan>(std::move(plan));
    }
    catch (const InputError& error)
    {
        throw ScenarioError(scenario,
                            JobKey(index) + (runGraph ? ".sync" : ".protocol"),
                            (runGraph ? job.spec.sync.rule : job.spec.protocol) +
                                " for a profile in which " + error.what(),
                            runGraph ? "another profile, async or ssp"
                                     : "another profile, or run-graph");
    }
}

/// Plan the step by TensorFlow's protocol, for what is known of a job whatever its own one is.
/// @throws InputError if it cannot be run
void
PlanServers(const Scenario& scenario,
            uint32_t index,
            bool packet,
            const std::vector<OpIndex>& pulls,
            PreparedJob& job)
{
    StepPlan plan = CreateObject<RunGraphProtocol>()->MakePlan(*job.profile, job.setting);
    DescribeTransfers(scenario.transfer, *job.profile, pulls, plan);
    job.run.plan = std::make_shared<StepPlan>(std::move(plan));
    if (packet)
    {
        CheckForPacketEngine(scenario, index, *job.profile);
        CheckSplit(scenario, *job.run.plan);
    }
    CheckTurns(scenario, *job.run.plan);
}

} // namespace

TrainingRun
MakeJobRun(const Scenario& scenario, const JobSpec& job, double goodput)
{
    const TransferSpec& transfer = scenario.transfer;
    TrainingRun run;
    run.workers = 0;
    run.steps = job.steps;
    run.sync = MakeSyncFactory(job.sync);
    run.policy = MakePolicyFactory(transfer, scenario.seed, goodput);
    run.windowRule = transfer.flowControl ? StreamWindowModel::RuleFromString(transfer.windowRule)
                                          : StreamWindowModel::Rule::UNLIMITED;
    run.window = transfer.windowMax > 0
                     ? transfer.window + (transfer.windowMax - transfer.window) / 2
                     : transfer.window;
    run.lookahead = GetLookahead(transfer);
    run.serverCores = scenario.fairShare.serverCores;
    run.tcp = job.tcp;
    return run;
}

PreparedJob
PrepareJob(const Scenario& scenario,
           uint32_t index,
           bool packet,
           double goodput,
           const ClusterNetwork& cluster,
           ProfileCache* profiles)
{
    PreparedJob job;
    job.spec = GetJob(scenario, index);
    PlacedProfile trained = MakePlacedProfile(scenario, index, goodput, profiles);
    job.profile = std::make_shared<Profile>(std::move(trained.profile));
    job.devices = PrepareDevices(scenario, index, *job.profile);
    const OverheadSpec& overhead = scenario.overhead;
    job.protocol = MakeProtocol(job.spec);
    job.setting = {std::move(trained.placement),
                   job.spec.parameterServers,
                   {overhead.alpha,
                    overhead.beta,
                    overhead.parallel,
                    ParseCost{overhead.GetServerAlpha(), overhead.GetServerBeta()}}};
    job.run = MakeJobRun(scenario, job.spec, goodput);
    if (job.HasServers())
    {
        PlanServers(scenario, index, packet, trained.pulls, job);
    }
    else
    {
        job.run.sync.SetTypeId(AsynchronousSync::GetTypeId()); // there is nobody to wait at
        job.setting.order = trained.pulls.empty() ? std::move(trained.order)
                                                  : RankTensors(*job.profile, trained.pulls);
        ApplyProtocol(scenario, index, job);
        CheckChunks(scenario, index, job);
    }
    CheckDurations(scenario, index, *job.run.plan, job.devices);
    job.oneWorker = FindOneWorkerMeans(
        scenario,
        job,
        MakeOneWorkerNetwork(scenario, index, goodput, cluster)); // whose phases do not overlap
    if (job.HasServers())
    {
        job.setting.joint = job.run.sync.Create<SyncPolicy>()->Aggregates();
        ApplyProtocol(scenario, index, job);
    }
    return job;
}

std::shared_ptr<const StepPlan>
PreparedJob::GetPlan(const CollectivePlaces& places, const std::vector<uint32_t>& members) const
{
    if (HasServers())
    {
        return run.plan;
    }
    ProtocolSetting own = setting;
    own.racks = places.racks;
    own.tree = places.tree;
    own.members = members;
    return std::make_shared<StepPlan>(protocol->MakePlan(*profile, own));
}

std::shared_ptr<const Elasticity>
PreparedJob::MakeElasticity(const CollectivePlaces& places,
                            const std::vector<WorkerCrash>& crashes) const
{
    if (HasServers() || spec.allReduce.rebuild.IsZero() || crashes.empty())
    {
        return nullptr;
    }
    auto elasticity = std::make_shared<Elasticity>();
    elasticity->rebuild = spec.allReduce.rebuild.GetSeconds();
    for (const auto& members : ListMemberSets(crashes, places.racks.size()))
    {
        elasticity->memberships.push_back({members, GetPlan(places, members)});
    }
    return elasticity;
}

std::vector<TrainingRun>
SettleWindows(const TransferSpec& transfer, std::vector<TrainingRun> runs)
{
    for (auto& run : runs)
    {
        if (transfer.grant == "bdp")
        {
            run.window = BdpEstimator::MAX_WINDOW;
            run.windows = ConnectionWindows();
        }
    }
    return runs;
}

} // namespace ns3::dml
