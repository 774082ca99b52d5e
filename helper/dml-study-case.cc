/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-case.h"

#include "dml-observer-list.h"
#include "dml-packet-engine.h"
#include "dml-result-csv.h"
#include "dml-trace-file.h"

#include "ns3/boolean.h"
#include "ns3/dml-bdp-estimator.h"
#include "ns3/dml-error.h"
#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-grant-rule.h"
#include "ns3/dml-link-meter.h"
#include "ns3/dml-one-worker-profile.h"
#include "ns3/dml-profile-reader.h"
#include "ns3/dml-round-robin-policy.h"
#include "ns3/dml-scenario-check.h"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>

namespace ns3
{
namespace dml
{

namespace
{

/// Wall-clock and CPU time since it was made.
class Stopwatch
{
  public:
    double GetWallSeconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

    double GetCpuSeconds() const
    {
        return ProcessSeconds() - m_cpu;
    }

  private:
    static double ProcessSeconds()
    {
        rusage usage = {};
        getrusage(RUSAGE_SELF, &usage);
        const auto seconds = [](const timeval& t) { return t.tv_sec + 1e-6 * t.tv_usec; };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    }

    std::chrono::steady_clock::time_point m_start{std::chrono::steady_clock::now()}; //!< wall
    double m_cpu{ProcessSeconds()}; //!< CPU seconds at the start
};

Placement
PlaceTensors(const Scenario& scenario, const Profile& profile)
{
    const PlacementSpec& placement = scenario.job.placement;
    const uint32_t servers = scenario.job.parameterServers;
    return placement.rule == "greedy" ? PlaceGreedy(profile.tensors, servers)
           : placement.rule == "round-robin"
               ? PlaceRoundRobin(profile.tensors, servers)
               : PlaceExplicit(profile.tensors, servers, placement.table);
}

std::string
PolicyTypeId(const std::string& policy)
{
    return policy == "fifo"             ? "ns3::dml::FifoPolicy"
           : policy == "frame-by-frame" ? "ns3::dml::RoundRobinPolicy"
                                        : "ns3::dml::Http2WindowPolicy";
}

StepSampler
MakeSampler(const Scenario& scenario, uint32_t samples, uint32_t worker, uint32_t replication)
{
    const SamplingSpec& sampling = scenario.job.sampling;
    if (sampling.rule == "explicit")
    {
        return StepSampler(sampling.lists[worker]);
    }
    const auto rule =
        sampling.rule == "random" ? StepSampler::Rule::RANDOM : StepSampler::Rule::IN_ORDER;
    return StepSampler(rule, samples, scenario.seed, replication, worker);
}

std::vector<double>
MakeStartOffsets(const PreparedScenario& prepared, uint32_t workers, uint32_t replication)
{
    const StartSpec& start = prepared.scenario.job.start;
    if (start.rule == "staggered")
    {
        return DrawStartOffsets(workers,
                                prepared.oneWorker.step,
                                prepared.scenario.seed,
                                replication);
    }
    std::vector<double> offsets(workers, 0);
    for (uint32_t i = 0; start.rule == "explicit" && i < workers; ++i)
    {
        offsets[i] = start.offsets[i].GetSeconds();
    }
    return offsets;
}

FairShareNetwork
MakeFairShareNetwork(const PreparedScenario& prepared, uint32_t workers)
{
    const FairShareSpec& spec = prepared.scenario.fairShare;
    FairShareNetwork network;
    network.links = MakeStarFlowNetwork(workers,
                                        prepared.scenario.job.parameterServers,
                                        prepared.goodput,
                                        prepared.goodput,
                                        spec.oneWayDelay.GetSeconds());
    const bool equal = spec.sharing == "equal" ||
                       (spec.sharing == "auto" && prepared.scenario.job.parameterServers == 1);
    network.rule = equal ? SharingRule::EQUAL : SharingRule::MAX_MIN;
    return network;
}

/// @return the run as the fair-share engine takes it: `bdp` has a WIN that does not change
TrainingRun
SettleWindows(const PreparedScenario& prepared, TrainingRun run)
{
    if (prepared.scenario.transfer.grant == "bdp")
    {
        run.window = BdpEstimator::MAX_WINDOW;
        run.windows = ConnectionWindows();
    }
    return run;
}

/// @return the windows of `transfer.window.connections`; of workers that do not run, none
ConnectionWindows
MakeStepWindows(const Scenario& scenario, uint32_t workers)
{
    ConnectionWindows windows(workers, scenario.job.parameterServers, scenario.transfer.window);
    for (const auto& spec : scenario.transfer.connections)
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
MakeRunWithoutWorkers(const PreparedScenario& prepared)
{
    const Scenario& scenario = prepared.scenario;
    TrainingRun run;
    run.plan = prepared.plan;
    run.workers = 0;
    run.steps = scenario.job.steps;
    run.policy.SetTypeId(PolicyTypeId(scenario.transfer.policy));
    if (scenario.transfer.rejoin == "start")
    {
        run.policy.Set("RejoinAtStart", BooleanValue(true));
    }
    const TransferSpec& transfer = scenario.transfer;
    run.windowRule = StreamWindowModel::RuleFromString(transfer.windowRule);
    run.window = transfer.windowMax > 0
                     ? transfer.window + (transfer.windowMax - transfer.window) / 2
                     : transfer.window;
    const bool ahead = transfer.grant == "capped" || transfer.grant == "bdp";
    run.lookahead = ahead ? GRANT_LOOKAHEAD : 0;
    run.serverCores = scenario.fairShare.serverCores;
    return run;
}

OneWorkerMeans
RunOneWorker(const PreparedScenario& prepared)
{
    const uint32_t samples = prepared.profile->GetSampleCount();
    TrainingRun run = MakeRunWithoutWorkers(prepared);
    run.workers = 1;
    run.steps = samples;
    run.samplers.emplace_back(StepSampler::Rule::IN_ORDER, samples, 1, 0, 0);
    run.startOffsets = {0};
    OneWorkerProfile means;
    FairShareEngine(SettleWindows(prepared, run), MakeFairShareNetwork(prepared, 1), &means).Run();
    return means.GetMeans();
}

/// @throws InputError if the step cannot be split among nodes
void
CheckSplit(const PreparedScenario& prepared)
{
    try
    {
        RestrictStepPlan(*prepared.plan, {Site::Kind::WORKER, 0});
    }
    catch (const InputError& error)
    {
        throw ScenarioError(prepared.scenario,
                            "job.profile",
                            std::string("a profile in which ") + error.what(),
                            "other dependencies, or --engine=fair-share");
    }
}

/// @throws InputError if flow control cuts a step into so many turns that a run would never end
void
CheckTurns(const PreparedScenario& prepared)
{
    constexpr double MOST_TURNS = 1e6;
    const TransferSpec& transfer = prepared.scenario.transfer;
    const bool frames = transfer.policy == "frame-by-frame";
    if (!frames && (transfer.policy == "fifo" || transfer.windowRule == "two-turns"))
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
    const uint64_t portion = frames ? RoundRobinPolicy::DEFAULT_QUANTUM
                                    : window + MakeRunWithoutWorkers(prepared).lookahead;
    double turns = 0;
    for (const auto& op : prepared.plan->ops)
    {
        turns += static_cast<double>(op.bytes) / static_cast<double>(portion);
    }
    if (turns > MOST_TURNS && frames)
    {
        throw ScenarioError(prepared.scenario,
                            "transfer.policy",
                            "'frame-by-frame', which cuts a step into " +
                                std::to_string(static_cast<uint64_t>(turns)) + " turns",
                            "a profile of which it makes a million turns at most, 16384 B each");
    }
    if (turns > MOST_TURNS)
    {
        throw ScenarioError(prepared.scenario,
                            "transfer.window",
                            std::to_string(transfer.window) + " B, which cuts a step into " +
                                std::to_string(static_cast<uint64_t>(turns)) + " turns",
                            "a window that gives a million turns at most");
    }
}

void
RunFairShare(const PreparedScenario& prepared,
             const TrainingRun& run,
             RunObserver& observer,
             const std::function<void(double)>& progress,
             ReplicationSummary& summary)
{
    FairShareEngine engine(SettleWindows(prepared, run),
                           MakeFairShareNetwork(prepared, run.workers),
                           &observer);
    const Stopwatch watch;
    engine.Run(progress);
    summary.wallSeconds = watch.GetWallSeconds();
    summary.cpuSeconds = watch.GetCpuSeconds();
    summary.events = engine.GetCompletedChunks();
    summary.simulatedBytes = engine.GetServedBytes();
}

void
RunPacket(const PreparedScenario& prepared,
          const TrainingRun& run,
          const std::string& pcapPrefix,
          RunObserver& observer,
          const std::function<void(double)>& progress,
          ReplicationSummary& summary)
{
    PacketEngine engine(run, prepared.scenario.network, prepared.scenario.transfer, &observer);
    if (!pcapPrefix.empty())
    {
        engine.EnablePcap(pcapPrefix);
    }
    const Stopwatch watch;
    const PacketRunTotals totals = engine.Run(progress);
    summary.wallSeconds = watch.GetWallSeconds();
    summary.cpuSeconds = watch.GetCpuSeconds();
    summary.events = totals.events;
    summary.drops = totals.drops;
    summary.retransmissions = totals.tcp.retransmissions;
    summary.timeouts = totals.tcp.timeouts;
    summary.recoveries = totals.tcp.recoveries;
    uint64_t perStep = 0;
    for (const auto& op : prepared.plan->ops)
    {
        perStep += op.dispatch == Dispatch::SEND ? op.bytes : 0;
    }
    summary.simulatedBytes = perStep * run.steps * run.workers;
}

} // namespace

const char*
GetEngineName(EngineKind engine)
{
    return engine == EngineKind::FAIR_SHARE ? FAIR_SHARE_ENGINE : PACKET_ENGINE;
}

PreparedScenario
PrepareScenario(const Scenario& scenario, bool packet)
{
    PreparedScenario prepared;
    prepared.scenario = scenario;
    prepared.profile = std::make_shared<Profile>(ReadProfile(scenario.job.profile));
    CheckAgainstProfile(scenario, *prepared.profile);
    const OverheadSpec& overhead = scenario.overhead;
    prepared.plan = std::make_shared<StepPlan>(
        MakeStepPlan(*prepared.profile,
                     PlaceTensors(scenario, *prepared.profile),
                     scenario.job.parameterServers,
                     {overhead.alpha, overhead.beta, overhead.parallel}));
    if (packet)
    {
        CheckForPacketEngine(scenario, *prepared.profile);
        CheckSplit(prepared);
        const TransferSpec& transfer = scenario.transfer;
        const std::string rule = WindowRuleOf(transfer.grant);
        if (transfer.windowRule != rule && transfer.policy == "http2-window")
        {
            throw ScenarioError(scenario,
                                "transfer.window_rule",
                                "'" + transfer.windowRule + "'",
                                rule + " for the packet engine (it follows from transfer.grant " +
                                    transfer.grant + "), or none; --engine=fair-share takes both");
        }
    }
    CheckTurns(prepared);
    prepared.format = GetWireFormat(scenario.network.mtu, scenario.network.tcp.timestamps);
    prepared.goodput = GetGoodput(scenario.network.rate, prepared.format);
    prepared.oneWorker = RunOneWorker(prepared);
    return prepared;
}

TrainingRun
MakeTrainingRun(const PreparedScenario& prepared, uint32_t workers, uint32_t replication)
{
    TrainingRun run = MakeRunWithoutWorkers(prepared);
    run.workers = workers;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        run.samplers.push_back(MakeSampler(prepared.scenario,
                                           prepared.profile->GetSampleCount(),
                                           worker,
                                           replication));
    }
    run.startOffsets = MakeStartOffsets(prepared, workers, replication);
    const TransferSpec& transfer = prepared.scenario.transfer;
    if (transfer.windowMax > 0)
    {
        run.windows = ConnectionWindows(workers,
                                        prepared.scenario.job.parameterServers,
                                        transfer.window,
                                        transfer.windowMax,
                                        prepared.scenario.seed,
                                        replication);
    }
    if (!transfer.connections.empty())
    {
        run.windows = MakeStepWindows(prepared.scenario, workers);
    }
    return run;
}

CaseResult
RunStudyCase(const PreparedScenario& prepared,
             const StudyCase& studyCase,
             const std::string& folder,
             const std::function<void(double)>& progress)
{
    const Scenario& scenario = prepared.scenario;
    const Profile& profile = *prepared.profile;
    const bool packet = studyCase.engine == EngineKind::PACKET;
    const uint32_t servers = scenario.job.parameterServers;
    const std::string engine = GetEngineName(studyCase.engine);

    ThroughputMeter throughput(studyCase.workers,
                               profile.batchSize,
                               scenario.job.warmup,
                               scenario.job.steps);
    // the packet engine counts bytes on the wire
    LinkMeter links(servers, packet ? scenario.network.rate.GetBitRate() / 8.0 : prepared.goodput);
    CsvResults files(folder, profile, {scenario.output.ops, !scenario.variant.empty(), false});
    CaseSummary name;
    name.variant = scenario.variant;
    files.BeginRun({studyCase.workers, engine, studyCase.replication, name.GetVariantName()});
    TimelineCollector timeline(scenario.job.warmup);
    ObserverList observers{&throughput, &links, &files};
    std::unique_ptr<TraceFile> trace;
    if (studyCase.detailed)
    {
        observers.Add(&timeline);
        if (scenario.output.trace)
        {
            trace = std::make_unique<TraceFile>(folder + "/trace.json",
                                                profile,
                                                TraceFile::Options{20, 1, true});
            trace->BeginRun(engine, studyCase.workers, servers);
            observers.Add(trace.get());
        }
    }

    CaseResult result;
    ReplicationSummary& summary = result.summary;
    const TrainingRun run = MakeTrainingRun(prepared, studyCase.workers, studyCase.replication);
    if (packet)
    {
        const std::string pcap =
            scenario.output.pcap && studyCase.replication == 0
                ? folder + "/" +
                      (scenario.variant.empty() ? ""
                                                : "V" + std::to_string(studyCase.variant) + "-") +
                      "W" + std::to_string(studyCase.workers)
                : "";
        RunPacket(prepared, run, pcap, observers, progress, summary);
    }
    else
    {
        RunFairShare(prepared, run, observers, progress, summary);
    }

    summary.replication = studyCase.replication;
    summary.seed = scenario.seed;
    summary.throughput = throughput.GetResult();
    summary.ops = static_cast<uint64_t>(profile.graph.GetSize()) * run.steps * run.workers;
    for (uint32_t server = 0; server < servers; ++server)
    {
        const auto& window = summary.throughput;
        summary.downlink.push_back(
            links.GetMeanUtilisation(Direction::DOWNLINK, server, window.t0, window.t1));
        summary.uplink.push_back(
            links.GetMeanUtilisation(Direction::UPLINK, server, window.t0, window.t1));
    }
    files.WriteLinks(links);
    files.Close();
    if (studyCase.detailed)
    {
        result.utilisation = UtilisationSeries::From(engine, links, summary.throughput);
        result.timeline = TimelineSeries::From(engine, studyCase.workers, timeline);
        if (trace)
        {
            trace->Close();
        }
    }
    return result;
}

} // namespace dml
} // namespace ns3
