/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-script-recorder.h"

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/dml-engine-table.h"
#include "ns3/dml-error.h"
#include "ns3/dml-host-names.h"
#include "ns3/dml-html-report.h"
#include "ns3/dml-job-endpoints.h"
#include "ns3/dml-output-folder.h"
#include "ns3/dml-plot-summary.h"
#include "ns3/dml-plot-writer.h"
#include "ns3/dml-result-file.h"
#include "ns3/dml-run-notes.h"
#include "ns3/dml-scenario-keys.h"
#include "ns3/dml-study-plots.h"
#include "ns3/dml-summary-json.h"
#include "ns3/dml-sync-policies.h"
#include "ns3/dml-throughput-csv.h"
#include "ns3/ipv4.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr EngineKind ENGINE = EngineKind::PACKET;

/// Length of the intervals over which link rates are averaged, as in the packet engine.
const Time LINK_INTERVAL = MilliSeconds(10);

/// @return gradients of a worker's step that may come too late; 1 if there are none
uint32_t
CountDroppable(const StepPlan& plan)
{
    const auto joint = std::count_if(plan.ops.begin(), plan.ops.end(), [](const PlannedOp& op) {
        return op.joint;
    });
    return std::max<uint32_t>(1, joint);
}

/// @return bytes per second that a device sends
double
GetRate(const Ptr<NetDevice>& device)
{
    DataRateValue rate;
    device->GetAttribute("DataRate", rate);
    return rate.Get().GetBitRate() / 8.0;
}

void
CountBytes(IntervalCounter* counter, Ptr<const Packet> packet)
{
    counter->Count(packet->GetSize());
}

} // namespace

struct ScriptRecorder::Meters
{
    /// When the last step of a run ended.
    class LastStep : public RunListener<LastStep>
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

        /// @return seconds from the time origin
        double Get() const
        {
            return m_end;
        }

      private:
        double m_end{0}; //!< latest end of a step, or crash, s from the time origin
    };

    Meters(const CaseMeters::Options& measured,
           const std::vector<LinkCapacity>& capacities,
           const std::string& folder,
           const CsvResults::Options& files)
        : meters(measured),
          links(capacities),
          batches(measured.engine, measured.window.workers),
          shares(measured.window.workers, measured.servers),
          csv(folder, measured.profile, files)
    {
        for (RunObserver* observer : std::initializer_list<RunObserver*>{&meters,
                                                                         &crashes,
                                                                         &end,
                                                                         &links,
                                                                         &csv,
                                                                         &shares,
                                                                         &batches})
        {
            all.Add(observer);
        }
    }

    CaseMeters meters;                         //!< throughput, steps, order of transfers
    LinkMeter links;                           //!< what servers' links carry
    BatchCollector batches;                    //!< batch sizes of all workers, for a plot
    CrashMeter crashes;                        //!< what crashes of workers cost
    LastStep end;                              //!< of the run
    ShareMeter shares;                         //!< of the links
    CsvResults csv;                            //!< tables
    std::unique_ptr<TraceFile> trace;          //!< or null
    std::unique_ptr<TimelineWriter> timelines; //!< or null
    std::unique_ptr<VersionMeter> versions;    //!< or null
    ObserverList all;                          //!< all of them
};

ScriptRecorder::ScriptRecorder(const std::string& folder,
                               const Profile& profile,
                               const TrainingRun& run)
    : m_path(folder),
      m_folder(folder),
      m_profile(profile),
      m_run(run)
{
    const std::filesystem::path path = std::filesystem::path(folder).lexically_normal();
    m_name = (path.has_filename() ? path.filename() : path.parent_path().filename()).string();
    std::error_code none;
    if (std::filesystem::exists(folder + "/study.json", none) || IsUnfinished(folder))
    {
        throw InputError(folder + ": found a study of 'dml run'; accepted: another folder");
    }
    const std::string found = FindResult(folder);
    if (!found.empty() && !HoldsStudy(folder))
    {
        throw InputError(folder + ": found " + found +
                         ", which no script has written; accepted: another folder");
    }
    RemoveResults(folder);
}

ScriptRecorder::~ScriptRecorder() = default;

void
ScriptRecorder::CheckEarly(const char* what) const
{
    if (m_meters)
    {
        throw InputError(std::string(what) + " set after Watch() was called; accepted: before");
    }
}

void
ScriptRecorder::SetName(const std::string& name)
{
    m_name = name;
}

void
ScriptRecorder::SetWarmup(uint32_t steps)
{
    CheckEarly("the warm-up was");
    if (steps >= m_run.steps)
    {
        throw InputError("a warm-up of " + std::to_string(steps) + " steps; accepted: 0 to " +
                         std::to_string(m_run.steps - 1) + ", as each worker does " +
                         std::to_string(m_run.steps));
    }
    m_warmup = steps;
}

void
ScriptRecorder::SetOutput(const OutputSpec& output)
{
    CheckEarly("the output was");
    if (output.pcap || output.netanim || output.flows)
    {
        throw InputError(std::string("output: found ") +
                         (output.pcap ? "packet captures; accepted: EnablePcap() of ns-3's helpers"
                          : output.netanim ? "an animation; accepted: ns-3's AnimationInterface"
                                           : "FlowMonitor; accepted: ns-3's FlowMonitorHelper") +
                         " in the script");
    }
    m_output = output;
}

ScriptRecorder::ServerDevices
ScriptRecorder::FindServerDevices(const TrainingJob::Place& place,
                                  const NetDeviceContainer& devices)
{
    const auto ipv4 = place.node->GetObject<Ipv4>();
    const int32_t interface = ipv4->GetInterfaceForAddress(place.address.GetIpv4());
    const auto device = interface < 0 ? nullptr : ipv4->GetNetDevice(interface);
    if (std::find(devices.Begin(), devices.End(), device) == devices.End())
    {
        return {};
    }
    const auto channel = device->GetChannel();
    const auto other = channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0);
    return {device, other, GetRate(device), GetRate(other)};
}

void
ScriptRecorder::Watch(TrainingJob& job, const ClusterHelper& helper)
{
    CheckEarly("a second job was");
    const Cluster& cluster = helper.GetCluster();
    const ClusterNetwork& network = cluster.GetNetwork();
    std::vector<ServerDevices> servers;
    for (const auto& place : job.GetPlaces())
    {
        if (place.endpoint.role == Role::SERVER)
        {
            const DirectedLink out =
                network.GetHostUplink(network.FindHost(ServerName(0, place.endpoint.index)));
            servers.push_back({cluster.GetDevice(out),
                               cluster.GetDevice(out ^ 1),
                               network.GetRate(out).GetBitRate() / 8.0,
                               network.GetRate(out ^ 1).GetBitRate() / 8.0});
        }
    }
    m_mtu = network.GetSmallestMtu();
    Scenario scenario;
    scenario.network = helper.GetSpec();
    m_network = ScenarioToJson(scenario).at("network");
    m_connections = CountLinkConnections(network, {MakeJobShape(ListPlans(m_run), m_run.workers)});
    m_multipath = ListMultipathLinks(network, m_connections);
    if (network.GetMultipath().IsOn())
    {
        m_order = std::make_unique<ReorderCounter>();
        const auto hosts = helper.GetHosts();
        for (auto host = hosts.Begin(); host != hosts.End(); ++host)
        {
            m_order->Watch(*host);
        }
    }
    Begin(job, servers);
    m_links = std::make_unique<LinkCounters>(cluster);
}

void
ScriptRecorder::Watch(TrainingJob& job, const NetDeviceContainer& devices)
{
    CheckEarly("a second job was");
    m_links = std::make_unique<LinkCounters>(devices); // which checks them
    std::vector<ServerDevices> servers;
    for (const auto& place : job.GetPlaces())
    {
        if (place.endpoint.role == Role::SERVER)
        {
            servers.push_back(FindServerDevices(place, devices));
        }
        const auto ipv4 = place.node->GetObject<Ipv4>();
        const int32_t interface = ipv4->GetInterfaceForAddress(place.address.GetIpv4());
        const uint32_t mtu = interface < 0 ? m_mtu : ipv4->GetMtu(interface);
        m_mtu = place.endpoint == job.GetPlaces().front().endpoint ? mtu : std::min(m_mtu, mtu);
    }
    Begin(job, servers);
}

void
ScriptRecorder::Begin(TrainingJob& job, const std::vector<ServerDevices>& servers)
{
    const TrainingRun& run = job.GetRun();
    if (run.workers != m_run.workers || run.plan != m_run.plan || run.steps != m_run.steps)
    {
        throw InputError("results of another run than that of the job; accepted: the same "
                         "TrainingRun for both");
    }
    if (job.GetPlaces().size() != run.workers + run.plan->servers)
    {
        throw InputError("a job with " + std::to_string(job.GetPlaces().size()) + " of " +
                         std::to_string(run.workers + run.plan->servers) +
                         " endpoints, to be measured; accepted: one with all endpoints installed");
    }
    m_job = &job;
    const auto sync = MakeSyncPolicy(run);
    const StepWindow::Options window{run.workers,
                                     m_warmup,
                                     run.steps,
                                     sync && sync->HasRounds(),
                                     CountDroppable(*run.plan)};
    std::vector<LinkCapacity> capacities;
    for (const auto& server : servers)
    {
        capacities.emplace_back(server.capacity, server.capacityIn);
    }
    const std::string& engine = GetEngineName(ENGINE);
    m_meters = std::make_unique<Meters>(CaseMeters::Options{m_profile,
                                                            engine,
                                                            window,
                                                            m_warmup,
                                                            run.plan->servers,
                                                            m_output.gradients,
                                                            true},
                                        capacities,
                                        m_path,
                                        CsvResults::Options{m_output.ops,
                                                            false,
                                                            true,
                                                            m_output.shares,
                                                            m_output.transfers,
                                                            m_output.links,
                                                            m_output.gradients,
                                                            m_output.connections,
                                                            m_output.versions});
    m_meters->csv.BeginRun({run.workers, engine, 0, "", {}});
    if (m_output.trace)
    {
        TraceFile::Options options;
        options.waits = sync && MakesWorkersWait(*sync);
        options.messages = m_output.messages;
        m_meters->trace = std::make_unique<TraceFile>(m_path + "/trace.json", m_profile, options);
        m_meters->trace->BeginRun(engine, run.workers, run.plan->servers);
        m_meters->all.Add(m_meters->trace.get());
    }
    if (m_output.timeline > 0)
    {
        MakeInnerFolder(m_path + "/timelines");
        m_meters->timelines = std::make_unique<TimelineWriter>(
            m_path + "/timelines/W" + std::to_string(run.workers) + "-" + engine,
            m_profile,
            run.plan->servers,
            m_output.timeline);
        m_meters->all.Add(m_meters->timelines.get());
    }
    if (m_output.versions)
    {
        m_meters->versions = std::make_unique<VersionMeter>(
            m_profile,
            run.plan->servers > 0 ? ParameterCopies::ON_SERVERS : ParameterCopies::ON_WORKERS,
            m_meters->crashes.GetServerCrashes(),
            [this](const AppliedGradient& gradient) { m_meters->csv.WriteVersion(gradient); });
        m_meters->all.Add(m_meters->versions.get());
    }
    RunSummary unfinished = MakeSummary();
    unfinished.missingRuns = 1;
    WriteSummaries(unfinished);
    AddProbes(job, servers);
}

void
ScriptRecorder::AddProbes(TrainingJob& job, const std::vector<ServerDevices>& servers)
{
    const JobEndpoints endpoints(job.GetRun(), 0, job.GetTransfer());
    const JobRecorder recorder{this, 0};
    for (const auto& place : job.GetPlaces())
    {
        const auto peers = endpoints.ListPeers(place.endpoint);
        m_flows.push_back(std::make_unique<FlowProbe>(place.application,
                                                      place.endpoint,
                                                      peers,
                                                      LINK_INTERVAL,
                                                      job.GetTimeOrigin(),
                                                      recorder));
        m_tcp.Watch(place.application);
        if (m_order)
        {
            m_order->Watch(place.application);
        }
        if (m_output.connections)
        {
            m_samples.push_back(std::make_unique<ConnectionProbe>(place.application,
                                                                  place.endpoint,
                                                                  peers,
                                                                  job.GetTimeOrigin(),
                                                                  recorder));
        }
    }
    for (uint32_t server = 0; server < servers.size(); ++server)
    {
        AddServerProbe(servers[server].out, server, AccessLink::Way::OUT);
        AddServerProbe(servers[server].in, server, AccessLink::Way::IN);
    }
}

void
ScriptRecorder::AddServerProbe(const Ptr<NetDevice>& device, uint32_t server, AccessLink::Way way)
{
    if (!device)
    {
        return;
    }
    const AccessLink access{{Role::SERVER, server}, way};
    const auto report = [this, access](double from, double to, uint64_t bytes) {
        JobRecorder{this, 0}.Tell(LinkRecord{access, from, to, bytes / LINK_INTERVAL.GetSeconds()});
    };
    m_counters.push_back(
        std::make_unique<IntervalCounter>(LINK_INTERVAL, m_job->GetTimeOrigin(), nullptr, report));
    device->TraceConnectWithoutContext("PhyTxEnd",
                                       MakeBoundCallback(&CountBytes, m_counters.back().get()));
}

void
ScriptRecorder::Observe(const RunRecord& record)
{
    if (m_meters)
    {
        m_meters->all.Observe(record);
    }
}

CaseResult
ScriptRecorder::Summarise()
{
    const auto flush = [](const auto& probes) {
        for (const auto& probe : probes)
        {
            probe->Flush();
        }
    };
    flush(m_counters);
    flush(m_flows);
    CaseResult result;
    ReplicationSummary& summary = result.summary;
    summary.seed = RngSeedManager::GetSeed();
    m_meters->meters.Summarise(summary);
    const Throughput& window = summary.throughput;
    const uint64_t steps = m_meters->meters.GetThroughput().GetStepCount();
    const StepPlan& plan = *m_run.plan;
    summary.simulatedBytes = plan.CountSentBytes() * steps;
    const bool counts = !plan.collectives.empty() && !plan.negotiation;
    summary.ops = (m_profile.graph.GetSize() + (counts ? 2 * plan.CountSent() : 0)) * steps;
    summary.shares = m_meters->shares.Summarise(window.t0, window.t1);
    summary.crashes = m_meters->crashes.GetLosses();
    summary.end = m_meters->end.Get();
    summary.workersAlike = m_run.compute.empty();
    for (uint32_t server = 0; server < m_meters->links.GetServers(); ++server)
    {
        for (const auto& [direction, list] : {std::pair{Direction::DOWNLINK, &summary.downlink},
                                              std::pair{Direction::UPLINK, &summary.uplink}})
        {
            list->push_back(
                m_meters->links.GetMeanUtilisation(direction, server, window.t0, window.t1));
        }
    }
    const auto totals = m_links->GetTotals(Simulator::Now() - m_job->GetTimeOrigin());
    summary.drops = 0;
    for (const auto& link : totals)
    {
        *summary.drops += link.dropped;
    }
    const TcpCounts& tcp = m_tcp.GetCounts();
    summary.retransmissions = tcp.retransmissions;
    summary.timeouts = tcp.timeouts;
    summary.recoveries = tcp.recoveries;
    if (m_order && m_order->Get().packets > 0)
    {
        summary.reordering = m_order->Get();
    }
    summary.events = Simulator::GetEventCount();
    summary.wallSeconds = m_watch.GetWallSeconds();
    summary.cpuSeconds = m_watch.GetCpuSeconds();

    CsvResults& csv = m_meters->csv;
    csv.WriteNetwork(totals, m_connections);
    csv.WriteLinks(m_meters->links);
    csv.WriteGradients(m_meters->meters.GetTransfers());
    csv.WriteShares(m_meters->shares, window.t0, window.t1);
    csv.Close();
    if (m_meters->trace)
    {
        m_meters->trace->Close();
    }
    const std::string& engine = GetEngineName(ENGINE);
    result.utilisation = UtilisationSeries::From(engine, m_meters->links, window);
    m_meters->meters.Draw(engine, result);
    if (m_meters->batches.Varies())
    {
        result.batches = m_meters->batches.GetSeries();
    }
    return result;
}

RunSummary
ScriptRecorder::MakeSummary() const
{
    RunSummary summary;
    summary.program = GetVersion();
    summary.name = m_name;
    summary.model = m_profile.model;
    summary.batch = m_profile.batchSize;
    summary.scenario = {{"name", m_name},
                        {"seed", RngSeedManager::GetSeed()},
                        {"script",
                         {{"run", RngSeedManager::GetRun()},
                          {"workers", m_run.workers},
                          {"parameter_servers", m_run.plan->servers},
                          {"steps", m_run.steps},
                          {"warmup", m_warmup}}}};
    if (!m_network.is_null())
    {
        summary.scenario["network"] = m_network;
    }
    CaseSummary item;
    item.model = m_profile.model;
    item.batch = m_profile.batchSize;
    for (const auto& tensor : m_profile.tensors)
    {
        item.tensors.push_back(tensor.name);
    }
    for (const auto& device : m_profile.devices)
    {
        item.devices.push_back(device.name);
    }
    item.mtu = m_mtu;
    item.workers = m_run.workers;
    item.parameterServers = m_run.plan->servers;
    const auto sync = MakeSyncPolicy(m_run);
    item.workersWait = sync && MakesWorkersWait(*sync);
    summary.cases.push_back(std::move(item));
    return summary;
}

void
ScriptRecorder::WriteSummaries(const RunSummary& summary) const
{
    WriteSummary(m_path + "/summary.json", summary);
    ResultFile::Replace(m_path + "/throughput.csv",
                        [&summary](ResultFile& file) { WriteThroughputCsv(file, summary); });
}

void
ScriptRecorder::Draw(const CaseResult& result, RunSummary& summary) const
{
    const auto name = [](const char* plot) { return std::string(plot); };
    std::vector<PlotScript> plots{PlotThroughput(summary, "", "throughput")};
    const std::string title = m_name + ", W = " + std::to_string(m_run.workers);
    AddRunPlots(title, m_profile, {{ENGINE, result}}, name, plots);
    AddConnectionPlot(title, m_multipath, name, plots);
    AddStepPlots(summary, plots);
    const auto warnings = PlotWriter(m_path).Write(plots);
    summary.notes.insert(summary.notes.end(), warnings.begin(), warnings.end());
    ResultFile::Replace(m_path + "/report.html", FormatHtmlReport(summary, m_path, ""));
}

void
ScriptRecorder::Write()
{
    if (!m_meters)
    {
        throw InputError("results of no job; accepted: Watch() before Simulator::Run()");
    }
    m_job->Check();
    const CaseResult result = Summarise();
    RunSummary summary = MakeSummary();
    summary.wallSeconds = m_watch.GetWallSeconds();
    summary.cases.front().engines[ENGINE].Add(result.summary);
    for (const auto& notes : {MakeLossNotes(summary), MakeReorderNotes(summary)})
    {
        summary.notes.insert(summary.notes.end(), notes.begin(), notes.end());
    }
    if (m_output.plots)
    {
        Draw(result, summary);
    }
    WriteSummaries(summary);
}

} // namespace ns3::dml
