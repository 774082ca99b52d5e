/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-prepared-scenario.h"

#include "dml-batch-control-factory.h"
#include "dml-duration-check.h"
#include "dml-fair-share-cluster.h"
#include "dml-one-worker-run.h"
#include "dml-policy-factory.h"
#include "dml-process-faults.h"
#include "dml-trained-profile.h"
#include "dml-transfer-ranks.h"

#include "ns3/dml-aggregating-plan.h"
#include "ns3/dml-bdp-estimator.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-push-pull-plan.h"
#include "ns3/dml-rate-solver.h"
#include "ns3/dml-round-robin-policy.h"
#include "ns3/dml-scenario-check-network.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Workers that a job can have; the random streams of the next job's follow.
constexpr uint32_t STREAMS_PER_JOB = 100000;

/// @return bytes beyond those that arrived for which receivers grant window ahead
uint64_t
GetLookahead(const TransferSpec& transfer)
{
    return transfer.grant == "capped" || transfer.grant == "bdp" ? GRANT_LOOKAHEAD : 0;
}

/// @param worker number of the worker's random streams
StepSampler
MakeSampler(const PreparedJob& job,
            uint32_t seed,
            uint32_t replication,
            uint32_t worker,
            uint32_t stream)
{
    const SamplingSpec& sampling = job.spec.sampling;
    if (sampling.rule == "explicit")
    {
        return StepSampler(sampling.lists[worker]);
    }
    const auto rule =
        sampling.rule == "random" ? StepSampler::Rule::RANDOM : StepSampler::Rule::IN_ORDER;
    return StepSampler(rule, job.profile->GetSampleCount(), seed, replication, stream);
}

std::vector<double>
MakeStartOffsets(const PreparedJob& job,
                 uint32_t workers,
                 uint32_t seed,
                 uint32_t replication,
                 uint32_t stream)
{
    const StartSpec& start = job.spec.start;
    if (start.rule == "staggered")
    {
        return DrawStartOffsets(workers, job.oneWorker.step, seed, replication, stream);
    }
    std::vector<double> offsets(workers, 0);
    for (uint32_t i = 0; start.rule == "explicit" && i < workers; ++i)
    {
        offsets[i] = start.offsets[i].GetSeconds();
    }
    return offsets;
}

/// @return the windows of `transfer.window.connections`; of workers that do not run, none
ConnectionWindows
MakeStepWindows(const TransferSpec& transfer, uint32_t workers, uint32_t servers)
{
    ConnectionWindows windows(workers, servers, transfer.window);
    for (const auto& spec : transfer.connections)
    {
        for (const bool downlink : {true, false})
        {
            const auto& steps = downlink ? spec.downlink : spec.uplink;
            if (spec.worker < workers && !steps.empty())
            {
                windows.Set(spec.worker, spec.server, downlink, steps);
            }
        }
    }
    return windows;
}

/// Everything about a run that does not depend on its number of workers or replication.
TrainingRun
MakeRunWithoutWorkers(const Scenario& scenario, const PreparedJob& job, double goodput)
{
    const TransferSpec& transfer = scenario.transfer;
    TrainingRun run;
    run.plan = job.plan;
    run.workers = 0;
    run.steps = job.spec.steps;
    run.sync = MakeSyncFactory(job.spec.sync);
    run.batchSize = job.profile->batchSize;
    run.policy = MakePolicyFactory(transfer, scenario.seed, goodput);
    run.windowRule = transfer.flowControl ? StreamWindowModel::RuleFromString(transfer.windowRule)
                                          : StreamWindowModel::Rule::UNLIMITED;
    run.window = transfer.windowMax > 0
                     ? transfer.window + (transfer.windowMax - transfer.window) / 2
                     : transfer.window;
    run.lookahead = GetLookahead(transfer);
    run.serverCores = scenario.fairShare.serverCores;
    return run;
}

/// The run of one worker with the network for itself, by the fair-share engine.
OneWorkerMeans
FindOneWorkerMeans(const Scenario& scenario, const PreparedJob& job, double goodput)
{
    const uint32_t samples = job.profile->GetSampleCount();
    TrainingRun run = MakeRunWithoutWorkers(scenario, job, goodput);
    run.workers = 1;
    run.steps = samples;
    run.samplers.emplace_back(StepSampler::Rule::IN_ORDER, samples, 1, 0, 0);
    run.startOffsets = {0};
    SetReferenceDevice(job.devices, run);
    OneWorkerProfile means;
    RunOneWorker(std::move(SettleWindows(scenario.transfer, {run}).front()),
                 goodput,
                 scenario.fairShare.oneWayDelay.GetSeconds(),
                 &means);
    return means.GetMeans();
}

/// @throws InputError if the step cannot be split among nodes
void
CheckSplit(const Scenario& scenario, const StepPlan& plan)
{
    try
    {
        RestrictStepPlan(plan, {Site::Kind::WORKER, 0});
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

/// @return the MTU of every TCP connection: the smallest of the links of any run
uint32_t
FindSmallestMtu(const Scenario& scenario)
{
    const auto& sweep = scenario.job.workers;
    const uint32_t most = *std::max_element(sweep.begin(), sweep.end());
    return BuildNetwork(scenario.network, GetJobSizes(scenario, most)).GetSmallestMtu();
}

/// What the policy is told about the transfers of a step before the run.
void
DescribeTransfers(const TransferSpec& transfer,
                  const Profile& profile,
                  const std::vector<OpIndex>& pulls,
                  StepPlan& plan)
{
    const bool slices = IsSlicePolicy(transfer.policy);
    if (slices || IsOrderPolicy(transfer.policy))
    {
        plan.ranks =
            RankTransfers(plan,
                          profile,
                          pulls,
                          slices ? RankedTransfers::PULLS_AND_PUSHES : RankedTransfers::PULLS);
    }
    if (transfer.policy == "prophet")
    {
        plan.generated = PredictGradients(plan);
    }
}

/// The plan with the step protocol and the synchronisation of a job.
/// @throws InputError if the profile is not made for it
std::shared_ptr<const StepPlan>
ChooseProtocol(const Scenario& scenario, uint32_t index, const PreparedJob& job)
{
    const bool pushPull = job.spec.protocol == "push-pull";
    const bool joint = MakeSyncFactory(job.spec.sync).Create<SyncPolicy>()->Aggregates();
    if (!pushPull && !joint)
    {
        return job.plan;
    }
    try
    {
        return std::make_shared<StepPlan>(pushPull ? MakePushPullPlan(*job.plan)
                                                   : MakeAggregatingPlan(*job.plan));
    }
    catch (const InputError& error)
    {
        throw ScenarioError(scenario,
                            JobKey(index) + (pushPull ? ".protocol" : ".sync"),
                            (pushPull ? "push-pull" : job.spec.sync.rule) +
                                " for a profile in which " + error.what(),
                            pushPull ? "another profile, or run-graph"
                                     : "another profile, async or ssp");
    }
}

PreparedJob
PrepareJob(const Scenario& scenario,
           uint32_t index,
           bool packet,
           double goodput,
           ProfileCache* profiles)
{
    PreparedJob job;
    job.spec = GetJob(scenario, index);
    TrainedProfile trained = MakeTrainedProfile(scenario, index, goodput, profiles);
    job.profile = std::make_shared<Profile>(std::move(trained.profile));
    job.devices = PrepareDevices(scenario, index, *job.profile);
    const OverheadSpec& overhead = scenario.overhead;
    StepPlan plan = MakeStepPlan(*job.profile,
                                 trained.placement,
                                 job.spec.parameterServers,
                                 {overhead.alpha, overhead.beta, overhead.parallel});
    DescribeTransfers(scenario.transfer, *job.profile, trained.pulls, plan);
    job.plan = std::make_shared<StepPlan>(std::move(plan));
    if (packet)
    {
        CheckForPacketEngine(scenario, index, *job.profile);
        CheckSplit(scenario, *job.plan);
    }
    CheckTurns(scenario, *job.plan);
    CheckDurations(scenario, index, *job.plan, job.devices);
    job.oneWorker = FindOneWorkerMeans(scenario, job, goodput); // whose phases do not overlap
    job.plan = ChooseProtocol(scenario, index, job);
    return job;
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
            FairShareNetwork network =
                MakeFairShareNetwork(scenario, GetJobSizes(scenario, workers), 0);
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

} // namespace

PreparedScenario
PrepareScenario(const Scenario& scenario, bool packet, ProfileCache* profiles)
{
    PreparedScenario prepared;
    prepared.scenario = scenario;
    prepared.mtu = FindSmallestMtu(scenario);
    prepared.format = GetWireFormat(prepared.mtu, scenario.network.tcp.timestamps);
    prepared.goodput = GetGoodput(scenario.network.rate, prepared.format);
    for (uint32_t index = 0; index <= scenario.otherJobs.size(); ++index)
    {
        prepared.jobs.push_back(PrepareJob(scenario, index, packet, prepared.goodput, profiles));
    }
    CheckSharing(prepared);
    if (packet)
    {
        CheckWindowRule(scenario);
    }
    return prepared;
}

std::vector<TrainingRun>
MakeTrainingRuns(const PreparedScenario& prepared, uint32_t workers, uint32_t replication)
{
    const uint32_t seed = prepared.scenario.seed;
    const TransferSpec& transfer = prepared.scenario.transfer;
    std::vector<TrainingRun> runs;
    for (const auto& size : GetJobSizes(prepared.scenario, workers))
    {
        const uint32_t stream = STREAMS_PER_JOB * runs.size();
        const PreparedJob& job = prepared.jobs[runs.size()];
        TrainingRun run = MakeRunWithoutWorkers(prepared.scenario, job, prepared.goodput);
        run.workers = size.workers;
        run.batchControl = MakeBatchSizeControl(job.spec.batchControl, seed, replication);
        run.shedding = MakeWorkShedding(job.spec.shedding);
        if (transfer.policy == "shuffled")
        {
            run.policy.Set("Replication", UintegerValue(replication));
        }
        for (uint32_t worker = 0; worker < size.workers; ++worker)
        {
            run.samplers.push_back(MakeSampler(job, seed, replication, worker, stream + worker));
        }
        run.startOffsets = MakeStartOffsets(job, size.workers, seed, replication, stream);
        SetDevices(job.devices, size.servers, seed, replication, stream, run);
        if (transfer.windowMax > 0)
        {
            run.windows = ConnectionWindows(size.workers,
                                            size.servers,
                                            transfer.window,
                                            transfer.windowMax,
                                            seed,
                                            replication,
                                            stream);
        }
        if (runs.empty() && !transfer.connections.empty())
        {
            run.windows = MakeStepWindows(transfer, size.workers, size.servers);
        }
        runs.push_back(std::move(run));
    }
    ApplyProcessFaults(prepared.scenario.processFaults, runs);
    return runs;
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

} // namespace dml
} // namespace ns3
