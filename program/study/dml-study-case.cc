/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-study-case.h"

#include "dml-engine-runner.h"
#include "dml-job-splitter.h"

#include "ns3/dml-case-meters.h"
#include "ns3/dml-collapse-meter.h"
#include "ns3/dml-crash-meter.h"
#include "ns3/dml-job-plugins.h"
#include "ns3/dml-link-meter.h"
#include "ns3/dml-match-case.h"
#include "ns3/dml-plural.h"
#include "ns3/dml-process-faults.h"
#include "ns3/dml-scenario-check.h"
#include "ns3/dml-share-meter.h"
#include "ns3/dml-stop-options.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-sync-policy.h"
#include "ns3/dml-timeline-writer.h"
#include "ns3/dml-trace-file.h"
#include "ns3/dml-value-text.h"

#include <algorithm>
#include <fmt/core.h>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace ns3::dml
{

namespace
{

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

/// @param headers whether links carry them too
/// @return by server of the first job
std::vector<LinkCapacity>
GetServerCapacities(const PreparedScenario& prepared, const ClusterNetwork& network, bool headers)
{
    const auto capacity = [&](const DataRate& rate) {
        return headers ? rate.GetBitRate() / 8.0 : GetGoodput(rate, prepared.format);
    };
    std::vector<LinkCapacity> capacities;
    for (uint32_t server = 0; server < network.GetJobs().front().servers; ++server)
    {
        const DirectedLink out = network.FindUplink(ServerName(0, server));
        capacities.emplace_back(capacity(network.GetRate(out)), capacity(network.GetRate(out ^ 1)));
    }
    return capacities;
}

/// @return one way without queues between two hosts, s
double
GetDelay(const ClusterNetwork& network, const std::string& from, const std::string& to)
{
    double delay = 0;
    for (const DirectedLink direction : network.FindRoute(from, to))
    {
        delay += network.GetLinks()[direction / 2].delay.GetSeconds();
    }
    return delay;
}

/// @return what the slowest connection of the first job may count on: its part of the slowest link,
/// if all share that, or a window for each of the longest round trips
CollapseMeter::Path
FindSlowestPath(const PreparedScenario& prepared, const ClusterNetwork& network, uint32_t workers)
{
    const NetworkSpec& spec = prepared.scenario.network;
    double rate = std::numeric_limits<double>::infinity();
    for (const auto& link : network.GetLinks())
    {
        for (const DataRate& each : link.rates)
        {
            rate = std::min(rate, GetGoodput(each, prepared.format));
        }
    }
    double connections = 0;
    for (const auto& job : network.GetJobs())
    {
        connections += job.workers * std::max<uint32_t>(1, job.servers);
    }
    const uint32_t servers = prepared.scenario.job.parameterServers;
    double delay = 0;
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        const std::string peer =
            servers > 0 ? ServerName(0, worker % servers) : WorkerName(0, (worker + 1) % workers);
        delay = std::max(delay, GetDelay(network, WorkerName(0, worker), peer));
    }
    CollapseMeter::Path path;
    path.roundTrip = 2 * delay;
    path.timeout = spec.tcp.minRto.GetSeconds();
    path.bytesPerSecond = rate / connections;
    const double window = std::min({static_cast<double>(spec.tcp.sendBuffer),
                                    static_cast<double>(spec.tcp.receiveBuffer),
                                    static_cast<double>(prepared.scenario.transfer.window)});
    if (path.roundTrip > 0 && window > 0)
    {
        path.bytesPerSecond = std::min(path.bytesPerSecond, window / path.roundTrip);
    }
    return path;
}

/// @return bytes of each tensor
std::vector<uint64_t>
ListSizes(const Profile& profile)
{
    std::vector<uint64_t> sizes;
    for (const auto& tensor : profile.tensors)
    {
        sizes.push_back(tensor.bytes);
    }
    return sizes;
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

/// When the last step of a run ended.
class EndMeter : public RunListener<EndMeter>
{
  public:
    void On(const StepRecord& record)
    {
        m_end = std::max(m_end, record.end);
    }

    void On(const CrashRecord& record)
    {
        m_end = std::max(m_end, record.time);
    }

    /// @return seconds from the start of the run
    double GetEnd() const
    {
        return m_end;
    }

  private:
    double m_end{0}; //!< so far
};

/// All that is measured of a run, and written: the same for all engines.
class CaseRecorder
{
  public:
    /**
     * @param prepared the run's scenario; must outlive this
     * @param studyCase the run; must outlive this
     * @param network of its hosts
     * @param folder existing folder for its part of the result files
     */
    CaseRecorder(const PreparedScenario& prepared,
                 const StudyCase& studyCase,
                 const ClusterNetwork& network,
                 const std::string& folder)
        : m_prepared(prepared),
          m_case(studyCase),
          m_engine(GetEngine(studyCase.engine)),
          m_links(GetServerCapacities(prepared, network, m_engine.Has(EngineTrait::SENDS_HEADERS))),
          m_files(folder, *prepared.GetJob().profile, MakeCsvOptions(prepared.scenario, false)),
          m_batches(m_engine.name, studyCase.workers),
          m_crashes(ListServerCrashes(prepared.scenario.processFaults,
                                      network.GetJobs(),
                                      prepared.scenario.job.checkpoint),
                    ListFirstCrashes(prepared.scenario.processFaults, network.GetJobs())),
          m_shares(studyCase.workers, prepared.scenario.job.parameterServers),
          m_collapse(ListSizes(*prepared.GetJob().profile),
                     m_engine.Has(EngineTrait::SIMULATES_PACKETS)
                         ? FindSlowestPath(prepared, network, studyCase.workers)
                         : CollapseMeter::Path()),
          m_splitter(network.GetJobs().size(), m_observers)
    {
        MakeMeters();
        m_files.BeginRun({studyCase.workers,
                          m_engine.name,
                          studyCase.replication,
                          NameVariant(prepared.scenario.variant),
                          ListAggregators()});
        for (RunObserver* observer :
             std::initializer_list<RunObserver*>{&m_crashes, &m_end, &m_links, &m_files})
        {
            m_observers.Add(observer);
        }
        if (m_engine.Has(EngineTrait::MEASURES_SHARES))
        {
            m_observers.Add(&m_shares);
        }
        if (IsMatched())
        {
            m_observers.Add(&m_matched);
        }
        if (m_engine.Has(EngineTrait::SIMULATES_PACKETS))
        {
            m_observers.Add(&m_collapse);
        }
        if (studyCase.detailed)
        {
            m_observers.Add(&m_batches);
            MakeTrace(folder);
        }
        MakeTimelines(folder);
        MakeVersions();
    }

    CaseRecorder(const CaseRecorder&) = delete;
    CaseRecorder& operator=(const CaseRecorder&) = delete;

    /// @return who is told of the run
    RunObserver& GetObserver()
    {
        return m_splitter;
    }

    /// @return the files, for rows of an engine's own
    CsvResults& GetFiles()
    {
        return m_files;
    }

    /// @param progress told how far it is @return what the engine tells of its progress, and
    /// asks whether to go on
    RunControl MakeControl(const TaskProgress& progress) const
    {
        if (!m_deciding)
        {
            return {progress.fraction, {}, progress.state};
        }
        constexpr double LEAST_NEWS = 0.01;
        const auto stop =
            [meters = m_deciding.get(), fraction = progress.fraction, told = 0.0]() mutable {
                const StopRule& rule = meters->GetRule();
                if (fraction && rule.GetProgress() >= told + LEAST_NEWS)
                {
                    told = rule.GetProgress();
                    fraction(told);
                }
                return rule.IsDone();
            };
        return {{}, stop, progress.state};
    }

    /// After the run: write what is left, and close the files.
    /// @param result has what the engine knows; gets all else
    void Finish(CaseResult& result)
    {
        const CaseMeters& meters = m_deciding ? m_deciding->GetMeters() : *m_fixed;
        Summarise(meters, result.summary);
        SummariseLinks(result.summary);
        WriteRest(meters, result.summary.throughput);
        if (m_case.detailed)
        {
            Draw(meters, result);
        }
    }

  private:
    /// @return whether the fair-share engine is to predict the steps of this one
    bool IsMatched() const
    {
        return !m_engine.Has(EngineTrait::QUICK) && m_prepared.scenario.fairShare.matched.draws > 0;
    }

    void MakeMeters()
    {
        const JobSpec& job = m_prepared.scenario.job;
        const StepWindow::Options window{m_case.workers,
                                         job.warmup,
                                         job.steps,
                                         GoInRounds(job),
                                         CountJointGradients(*m_prepared.GetJob().run.plan)};
        const CaseMeters::Options measured{*m_prepared.GetJob().profile,
                                           m_engine.name,
                                           window,
                                           job.warmup,
                                           job.parameterServers,
                                           m_prepared.scenario.output.gradients,
                                           m_case.detailed};
        if (job.autoSteps.on)
        {
            m_deciding =
                std::make_unique<AutoMeters>(measured, MakeStopOptions(m_prepared, window));
        }
        else
        {
            m_fixed = std::make_unique<CaseMeters>(measured);
        }
        m_observers.Add(m_fixed.get());
        m_observers.Add(m_deciding.get());
    }

    void MakeTrace(const std::string& folder)
    {
        if (!m_prepared.scenario.output.trace || m_case.variant > 0)
        {
            return;
        }
        const uint32_t servers = m_prepared.scenario.job.parameterServers;
        const uint32_t before = static_cast<uint32_t>(m_case.engine); // engines in the merged file
        TraceFile::Options options;
        options.firstPid += before * (m_case.workers + servers);
        options.part = true;
        options.messages = m_prepared.scenario.output.messages;
        options.waits =
            MakesWorkersWait(*MakeSyncFactory(m_prepared.scenario.job.sync).Create<SyncPolicy>());
        m_trace = std::make_unique<TraceFile>(folder + "/trace.json",
                                              *m_prepared.GetJob().profile,
                                              options);
        m_trace->BeginRun(m_engine.name, m_case.workers, servers, ListAggregators());
        m_observers.Add(m_trace.get());
    }

    /// @return names of the switches that add up for the job that is studied
    std::vector<std::string> ListAggregators() const
    {
        const auto network = m_prepared.GetNetwork(m_case.workers);
        std::vector<std::string> names;
        for (uint32_t i = 0; i < network->GetJobs().front().aggregators; ++i)
        {
            names.push_back(network->GetAggregatorName(0, i));
        }
        return names;
    }

    void MakeTimelines(const std::string& folder)
    {
        const Scenario& scenario = m_prepared.scenario;
        if (scenario.output.timeline == 0 || m_case.replication > 0)
        {
            return;
        }
        m_timelines = std::make_unique<TimelineWriter>(GetCapturePrefix(scenario, m_case, folder) +
                                                           "-" + m_engine.name,
                                                       *m_prepared.GetJob().profile,
                                                       scenario.job.parameterServers,
                                                       scenario.output.timeline);
        m_observers.Add(m_timelines.get());
    }

    void MakeVersions()
    {
        if (!m_prepared.scenario.output.versions)
        {
            return;
        }
        m_versions = std::make_unique<VersionMeter>(
            *m_prepared.GetJob().profile,
            m_prepared.scenario.job.parameterServers > 0 ? ParameterCopies::ON_SERVERS
                                                         : ParameterCopies::ON_WORKERS,
            m_crashes.GetServerCrashes(),
            [this](const AppliedGradient& gradient) { m_files.WriteVersion(gradient); });
        m_observers.Add(m_versions.get());
    }

    void Summarise(const CaseMeters& meters, ReplicationSummary& summary) const
    {
        const Scenario& scenario = m_prepared.scenario;
        summary.replication = m_case.replication;
        summary.seed = scenario.seed;
        meters.Summarise(summary);
        uint64_t steps = meters.GetThroughput().GetStepCount();
        uint64_t transferred = static_cast<uint64_t>(scenario.job.steps) * m_case.workers;
        if (m_deciding)
        {
            steps = m_deciding->GetRule().GetStepCount();
            transferred = steps;
            summary.stop = m_deciding->GetRule().GetSummary();
        }
        if (!m_engine.Has(EngineTrait::COUNTS_PAYLOAD))
        {
            summary.simulatedBytes =
                m_prepared.GetJob().GetPlan(m_case.workers)->CountSentBytes() * transferred;
        }
        summary.shares = m_shares.Summarise(summary.throughput.t0, summary.throughput.t1);
        if (IsMatched())
        {
            summary.matched = m_matched.Match(
                m_prepared,
                m_case.workers,
                m_case.replication,
                m_deciding ? std::optional(m_deciding->GetRule().GetStart()) : std::nullopt);
        }
        summary.crashes = m_crashes.GetLosses();
        summary.serverLosses = m_crashes.GetServerLosses();
        summary.end = m_end.GetEnd();
        summary.collapse = DescribeCollapse(summary);
        // a message of a collective is an op at both of its ends; of buckets made while the job
        // runs it is not known how many there were
        const auto plan = m_prepared.GetJob().GetPlan(m_case.workers);
        const bool counts = !plan->collectives.empty() && !plan->negotiation;
        const uint64_t moves = counts ? 2 * plan->CountSent() : 0;
        summary.ops = (m_prepared.GetJob().profile->graph.GetSize() + moves) * steps;
        if (summary.host && summary.host->IsDisturbed())
        {
            summary.throughput.samplesPerSecond.reset();
            summary.throughput.reason = "disturbed: something else took " +
                                        FormatValue(summary.host->otherCpu) +
                                        " cores of this machine";
        }
    }

    /// @param summary has what the engine counted @return how TCP collapsed, or nothing
    std::string DescribeCollapse(const ReplicationSummary& summary) const
    {
        const Scenario& scenario = m_prepared.scenario;
        if (!m_engine.Has(EngineTrait::SIMULATES_PACKETS) || !scenario.network.faults.empty() ||
            !scenario.processFaults.empty())
        {
            return ""; // what is down sends nothing, and a faulty link loses packets that no queue
                       // drops
        }
        std::string text;
        const uint64_t timeouts = summary.timeouts.value_or(0);
        if (timeouts > 0 && summary.drops.value_or(0) == 0)
        {
            text = Plural(timeouts, "timeout") + " of TCP without a lost packet";
        }
        if (const auto worst = m_collapse.GetWorst())
        {
            const auto aggregators = ListAggregators();
            const auto name = [&aggregators](const Endpoint& end) {
                return end.role == Role::AGGREGATOR ? aggregators.at(end.index)
                                                    : (end.role == Role::SERVER ? "ps" : "worker") +
                                                          std::to_string(end.index);
            };
            text += fmt::format("{}the connection from {} to {} went at {:.2g} % of what its links "
                                "and window allow, in {} s of transfers",
                                text.empty() ? "" : "; ",
                                name(worst->channel.from),
                                name(worst->channel.to),
                                100 * worst->goodput,
                                FormatValue(worst->seconds));
        }
        return text;
    }

    void SummariseLinks(ReplicationSummary& summary) const
    {
        const Throughput& window = summary.throughput;
        for (uint32_t server = 0; server < m_prepared.scenario.job.parameterServers; ++server)
        {
            summary.downlink.push_back(
                m_links.GetMeanUtilisation(Direction::DOWNLINK, server, window.t0, window.t1));
            summary.uplink.push_back(
                m_links.GetMeanUtilisation(Direction::UPLINK, server, window.t0, window.t1));
        }
        for (uint32_t job = 1; job < m_prepared.jobs.size(); ++job)
        {
            summary.otherJobs.push_back(m_splitter.GetStepRate(job, window.t0, window.t1) *
                                        m_prepared.jobs[job].devices.batch);
        }
    }

    void WriteRest(const CaseMeters& meters, const Throughput& window)
    {
        m_files.WriteLinks(m_links);
        m_files.WriteGradients(meters.GetTransfers());
        m_files.WriteShares(m_shares, window.t0, window.t1);
        m_files.Close();
        if (m_trace)
        {
            m_trace->Close();
        }
    }

    void Draw(const CaseMeters& meters, CaseResult& result) const
    {
        result.utilisation =
            UtilisationSeries::From(m_engine.name, m_links, result.summary.throughput);
        meters.Draw(m_engine.name, result);
        if (m_batches.Varies())
        {
            result.batches = m_batches.GetSeries();
        }
    }

    const PreparedScenario& m_prepared;          //!< the scenario
    const StudyCase& m_case;                     //!< the run
    const EngineInfo& m_engine;                  //!< its engine
    std::unique_ptr<CaseMeters> m_fixed;         //!< of a run that does all its steps
    std::unique_ptr<AutoMeters> m_deciding;      //!< of one that decides itself
    LinkMeter m_links;                           //!< of the servers
    CsvResults m_files;                          //!< its part of them
    BatchCollector m_batches;                    //!< of a detailed run
    CrashMeter m_crashes;                        //!< of workers
    EndMeter m_end;                              //!< of the run
    MatchRecorder m_matched;                     //!< told of other engines' runs
    ShareMeter m_shares;                         //!< told of nothing where they follow from a rule
    CollapseMeter m_collapse;                    //!< likewise of packets only
    std::unique_ptr<TraceFile> m_trace;          //!< or null
    std::unique_ptr<TimelineWriter> m_timelines; //!< or null
    std::unique_ptr<VersionMeter> m_versions;    //!< or null
    ObserverList m_observers;                    //!< all of them
    JobSplitter m_splitter;                      //!< tells them of the first job
};

/// @return what the engine of a case is to do
EngineRun
PrepareRun(const PreparedScenario& prepared,
           const StudyCase& studyCase,
           const std::string& folder,
           RankWorld* world)
{
    return {prepared,
            studyCase,
            PrepareCase(prepared, studyCase.workers, studyCase.replication),
            folder,
            nullptr,
            world};
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
            scenario.output.gradients,
            scenario.output.connections,
            scenario.output.versions};
}

std::string
GetCapturePrefix(const Scenario& scenario, const StudyCase& studyCase, const std::string& folder)
{
    const std::string variant =
        scenario.variant.empty() ? "" : "V" + std::to_string(studyCase.variant) + "-";
    return folder + "/" + variant + "W" + std::to_string(studyCase.workers);
}

void
JoinStudyCase(const PreparedScenario& prepared,
              const StudyCase& studyCase,
              const std::string& folder,
              RankWorld& world)
{
    GetEngineRunner(studyCase.engine).Join(PrepareRun(prepared, studyCase, folder, &world));
}

CaseResult
RunStudyCase(const PreparedScenario& prepared,
             const StudyCase& studyCase,
             const std::string& folder,
             const TaskProgress& progress,
             RankWorld* world)
{
    EngineRun run = PrepareRun(prepared, studyCase, folder, world);
    const auto network = run.work.network;
    CaseRecorder recorder(prepared, studyCase, *network, folder);
    run.files = &recorder.GetFiles();
    CaseResult result;
    result.summary.workersAlike = AreWorkersAlike(run.work.runs.front());
    GetEngineRunner(studyCase.engine)
        .Run(std::move(run),
             recorder.GetObserver(),
             recorder.MakeControl(progress),
             result.summary);
    recorder.Finish(result);
    return result;
}

} // namespace ns3::dml
