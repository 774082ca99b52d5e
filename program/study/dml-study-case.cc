/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-case.h"

#include "dml-case-meters.h"
#include "dml-job-splitter.h"

#include "ns3/dml-fair-share-engine.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-link-meter.h"
#include "ns3/dml-observer-list.h"
#include "ns3/dml-packet-engine.h"
#include "ns3/dml-prepared-case.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-stop-options.h"
#include "ns3/dml-sync-policy.h"
#include "ns3/dml-timeline-writer.h"
#include "ns3/dml-trace-file.h"

#include <algorithm>
#include <chrono>
#include <sys/resource.h>
#include <utility>

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

/// @return by server of the first job, bytes/s: of payload, or on the wire as the packet engine
/// counts
std::vector<double>
GetServerCapacities(const PreparedScenario& prepared, const ClusterNetwork& network, bool headers)
{
    std::vector<double> capacities;
    for (uint32_t server = 0; server < network.GetJobs().front().servers; ++server)
    {
        const uint32_t link = network.GetHostLink(network.FindHost(ServerName(0, server)));
        const DataRate& rate = network.GetLinks()[link].rate;
        capacities.push_back(headers ? rate.GetBitRate() / 8.0 : GetGoodput(rate, prepared.format));
    }
    return capacities;
}

/**
 * @return whether StepWindow counts whole rounds. So it does whether the steps of a round overlap
 * the next ones (push-pull) or not: the messages that open a round reach the workers one after the
 * other, and a window that ended with the first of them would lose the rest of its last round.
 */
bool
GoInRounds(const JobSpec& job)
{
    return MakeSyncFactory(job.sync).Create<SyncPolicy>()->HasRounds();
}

/// @return gradients of a worker's step that may come too late; 1 if there are none
uint32_t
CountJointGradients(const StepPlan& plan)
{
    const auto joint = std::count_if(plan.ops.begin(), plan.ops.end(), [](const PlannedOp& op) {
        return op.joint;
    });
    return std::max<uint32_t>(1, joint);
}

/// @return whether all workers compute on the same device, with the same batch in their first step
bool
AreWorkersAlike(const TrainingRun& run)
{
    return std::all_of(run.compute.begin(), run.compute.end(), [&](const WorkerCompute& worker) {
        const WorkerCompute& first = run.compute.front();
        return worker.model == first.model && worker.speed == first.speed &&
               worker.batch == first.batch && worker.slots == first.slots;
    });
}

/// When the last step of a run ended.
class EndMeter : public RunListener<EndMeter>
{
  public:
    void On(const StepRecord& record)
    {
        m_end = std::max(m_end, record.end);
    }

    double GetEnd() const
    {
        return m_end;
    }

  private:
    double m_end{0}; //!< seconds from the start of the run
};

/**
 * @brief Who is told of the progress of a run, and may end it.
 */
struct RunControl
{
    std::function<void(double)> progress; //!< told the fraction done by the engine
    std::function<bool()> stop;           //!< asked after each step; empty: all steps are done
};

/// @return what the engines call; @p meters of a run that decides itself, or null
RunControl
MakeControl(const AutoMeters* meters, const std::function<void(double)>& progress)
{
    if (!meters)
    {
        return {progress, {}};
    }
    constexpr double LEAST_NEWS = 0.01;
    const auto stop = [meters, progress, told = 0.0]() mutable {
        const StopRule& rule = meters->GetRule();
        if (progress && rule.GetProgress() >= told + LEAST_NEWS)
        {
            told = rule.GetProgress();
            progress(told);
        }
        return rule.IsDone();
    };
    return {{}, stop};
}

void
RunFairShare(const PreparedScenario& prepared,
             const StudyCase& studyCase,
             PreparedCase work,
             RunObserver& observer,
             const RunControl& control,
             ReplicationSummary& summary)
{
    FairShareEngine engine(SettleWindows(prepared.scenario.transfer, std::move(work.runs)),
                           prepared.MakeFairShareNetwork(studyCase.workers, studyCase.replication),
                           &observer);
    engine.StopWhen(control.stop);
    const Stopwatch watch;
    engine.Run(control.progress);
    summary.wallSeconds = watch.GetWallSeconds();
    summary.cpuSeconds = watch.GetCpuSeconds();
    summary.events = engine.GetCompletedChunks();
    summary.simulatedBytes = engine.GetServedBytes();
}

/// @return whether a file in a run's folder is a step in the form of TensorFlow's timelines
bool
IsTimeline(const std::filesystem::path& path)
{
    const std::string name = path.filename().string();
    const std::string end = TimelineWriter::SUFFIX;
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// @return path of a run's captures up to what tells them apart, such as "DIR/V2-W4"
std::string
GetCapturePrefix(const Scenario& scenario, const StudyCase& studyCase, const std::string& folder)
{
    const std::string variant =
        scenario.variant.empty() ? "" : "V" + std::to_string(studyCase.variant) + "-";
    return folder + "/" + variant + "W" + std::to_string(studyCase.workers);
}

void
EnableCaptures(const OutputSpec& output, const std::string& prefix, PacketEngine& engine)
{
    if (output.pcap)
    {
        engine.EnablePcap(prefix);
    }
    if (output.netanim)
    {
        engine.EnableAnimation(prefix + "-netanim.xml");
    }
    if (output.flows)
    {
        engine.EnableFlowMonitor(prefix + "-flows.xml");
    }
}

/// @return the engine for a case, set up
PacketEngine
MakePacketEngine(const PreparedScenario& prepared,
                 const StudyCase& studyCase,
                 PreparedCase work,
                 const std::string& folder,
                 RunObserver* observer,
                 RankWorld* world)
{
    const Scenario& scenario = prepared.scenario;
    PacketEngine engine(std::move(work.runs),
                        scenario.network,
                        work.network,
                        scenario.transfer,
                        observer);
    engine.SetRandomness(scenario.seed, studyCase.replication);
    if (studyCase.replication == 0)
    {
        EnableCaptures(scenario.output, GetCapturePrefix(scenario, studyCase, folder), engine);
    }
    if (world)
    {
        engine.SplitOver(*world);
    }
    return engine;
}

void
RunPacket(const PreparedScenario& prepared,
          const StudyCase& studyCase,
          PreparedCase work,
          const std::string& folder,
          CsvResults& files,
          RunObserver& observer,
          const RunControl& control,
          RankWorld* world,
          ReplicationSummary& summary)
{
    PacketEngine engine =
        MakePacketEngine(prepared, studyCase, std::move(work), folder, &observer, world);
    engine.StopWhen(control.stop);
    const Stopwatch watch;
    const PacketRunTotals totals = engine.Run(control.progress);
    files.WriteNetwork(totals.links);
    summary.wallSeconds = watch.GetWallSeconds();
    summary.cpuSeconds = world ? totals.cpuSeconds : watch.GetCpuSeconds();
    summary.events = totals.events;
    summary.drops = totals.drops;
    summary.retransmissions = totals.tcp.retransmissions;
    summary.timeouts = totals.tcp.timeouts;
    summary.recoveries = totals.tcp.recoveries;
}

/// @return payload of the transfers of one step
uint64_t
GetStepBytes(const StepPlan& plan)
{
    uint64_t bytes = 0;
    for (const auto& op : plan.ops)
    {
        bytes += op.dispatch == Dispatch::SEND ? op.bytes : 0;
    }
    return bytes;
}

} // namespace

CsvResults::Options
MakeCsvOptions(const Scenario& scenario, bool header)
{
    return {scenario.output.ops,
            !scenario.variant.empty(),
            header,
            scenario.output.shares,
            scenario.output.transfers,
            scenario.output.links,
            scenario.output.gradients};
}

bool
IsCapture(const std::filesystem::path& path)
{
    return path.extension() == ".pcap" || path.extension() == ".xml" || IsTimeline(path);
}

std::filesystem::path
GetCapturePath(const std::filesystem::path& path)
{
    return IsTimeline(path) ? "timelines" / path.filename() : path.filename();
}

void
JoinStudyCase(const PreparedScenario& prepared,
              const StudyCase& studyCase,
              const std::string& folder,
              RankWorld& world)
{
    auto work = PrepareCase(prepared, studyCase.workers, studyCase.replication);
    MakePacketEngine(prepared, studyCase, std::move(work), folder, nullptr, &world).Run();
}

CaseResult
RunStudyCase(const PreparedScenario& prepared,
             const StudyCase& studyCase,
             const std::string& folder,
             const std::function<void(double)>& progress,
             RankWorld* world)
{
    const Scenario& scenario = prepared.scenario;
    const Profile& profile = *prepared.GetJob().profile;
    const bool packet = studyCase.engine == EngineKind::PACKET;
    const uint32_t servers = scenario.job.parameterServers;
    const EngineInfo& traits = GetEngine(studyCase.engine);
    const std::string& engine = traits.name;
    PreparedCase work = PrepareCase(prepared, studyCase.workers, studyCase.replication);
    const auto network = work.network;

    const StepWindow::Options window{studyCase.workers,
                                     scenario.job.warmup,
                                     scenario.job.steps,
                                     GoInRounds(scenario.job),
                                     CountJointGradients(*prepared.GetJob().run.plan)};
    const CaseMeters::Options measured{profile,
                                       engine,
                                       window,
                                       scenario.job.warmup,
                                       servers,
                                       scenario.output.gradients,
                                       studyCase.detailed};
    std::unique_ptr<CaseMeters> fixed;    // of a run that does all its steps
    std::unique_ptr<AutoMeters> deciding; // of one that decides itself
    if (scenario.job.autoSteps.on)
    {
        deciding = std::make_unique<AutoMeters>(measured, MakeStopOptions(prepared, window));
    }
    else
    {
        fixed = std::make_unique<CaseMeters>(measured);
    }
    LinkMeter links(
        GetServerCapacities(prepared, *network, traits.Has(EngineTrait::SENDS_HEADERS)));
    CsvResults files(folder, profile, MakeCsvOptions(scenario, false));
    files.BeginRun(
        {studyCase.workers, engine, studyCase.replication, NameVariant(scenario.variant)});
    BatchCollector batches(engine, studyCase.workers);
    CrashMeter crashes;
    EndMeter end;
    ObserverList observers{fixed.get(), deciding.get(), &crashes, &end, &links, &files};
    ShareMeter shares(studyCase.workers, servers);
    if (traits.Has(EngineTrait::MEASURES_SHARES))
    {
        observers.Add(&shares);
    }
    std::unique_ptr<TraceFile> trace;
    if (studyCase.detailed)
    {
        observers.Add(&batches);
        if (scenario.output.trace && studyCase.variant == 0)
        {
            // processes are numbered through in the merged file
            TraceFile::Options options;
            options.firstPid +=
                static_cast<uint32_t>(studyCase.engine) * (studyCase.workers + servers);
            options.part = true;
            trace = std::make_unique<TraceFile>(folder + "/trace.json", profile, options);
            trace->BeginRun(engine, studyCase.workers, servers);
            observers.Add(trace.get());
        }
    }

    std::unique_ptr<TimelineWriter> timelines;
    if (scenario.output.timeline > 0 && studyCase.replication == 0)
    {
        timelines = std::make_unique<TimelineWriter>(GetCapturePrefix(scenario, studyCase, folder) +
                                                         "-" + engine,
                                                     profile,
                                                     servers,
                                                     scenario.output.timeline);
        observers.Add(timelines.get());
    }

    JobSplitter splitter(network->GetJobs().size(), observers);
    CaseResult result;
    ReplicationSummary& summary = result.summary;
    summary.workersAlike = AreWorkersAlike(work.runs.front());
    const RunControl control = MakeControl(deciding.get(), progress);
    if (packet)
    {
        RunPacket(prepared,
                  studyCase,
                  std::move(work),
                  folder,
                  files,
                  splitter,
                  control,
                  world,
                  summary);
    }
    else
    {
        RunFairShare(prepared, studyCase, std::move(work), splitter, control, summary);
    }
    const CaseMeters& meters = deciding ? deciding->GetMeters() : *fixed;

    summary.replication = studyCase.replication;
    summary.seed = scenario.seed;
    meters.Summarise(summary);
    uint64_t steps = meters.GetThroughput().GetStepCount();
    uint64_t transferred = static_cast<uint64_t>(scenario.job.steps) * studyCase.workers;
    if (deciding)
    {
        steps = deciding->GetRule().GetStepCount();
        transferred = steps;
        summary.stop = deciding->GetRule().GetSummary();
    }
    if (!traits.Has(EngineTrait::COUNTS_PAYLOAD))
    {
        summary.simulatedBytes = GetStepBytes(*prepared.GetJob().run.plan) * transferred;
    }
    summary.shares = shares.Summarise(summary.throughput.t0, summary.throughput.t1);
    summary.crashes = crashes.GetLosses();
    summary.end = end.GetEnd();
    summary.ops = profile.graph.GetSize() * steps;
    for (uint32_t server = 0; server < servers; ++server)
    {
        const auto& window = summary.throughput;
        summary.downlink.push_back(
            links.GetMeanUtilisation(Direction::DOWNLINK, server, window.t0, window.t1));
        summary.uplink.push_back(
            links.GetMeanUtilisation(Direction::UPLINK, server, window.t0, window.t1));
    }
    for (uint32_t job = 1; job < prepared.jobs.size(); ++job)
    {
        const auto& window = summary.throughput;
        summary.otherJobs.push_back(splitter.GetStepRate(job, window.t0, window.t1) *
                                    prepared.jobs[job].devices.batch);
    }
    files.WriteLinks(links);
    files.WriteGradients(meters.GetTransfers());
    files.WriteShares(shares, summary.throughput.t0, summary.throughput.t1);
    files.Close();
    if (studyCase.detailed)
    {
        result.utilisation = UtilisationSeries::From(engine, links, summary.throughput);
        meters.Draw(engine, result);
        if (batches.Varies())
        {
            result.batches = batches.GetSeries();
        }
        if (trace)
        {
            trace->Close();
        }
    }
    return result;
}

} // namespace dml
} // namespace ns3
