/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-run.h"

#include "dml-setup-time.h"

#include "ns3/dml-background-flow.h"
#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-model-clock.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace ns3::dml
{

namespace
{

/// Length of the intervals over which link rates are averaged.
const Time PROBE_INTERVAL = MilliSeconds(10);

/// First random stream of losses.
constexpr int64_t FAULT_STREAMS = 2000000;

/// Trace sink: a device has put a packet on its link.
void
CountPacket(IntervalCounter* probe, Ptr<const Packet> packet)
{
    probe->Count(packet->GetSize());
}

} // namespace

PacketRun::PacketRun(const PacketRunSettings& settings, RankRun* ranks)
    : m_settings(settings),
      m_jobs(settings.jobs),
      m_spec(settings.spec),
      m_ranks(ranks),
      m_cluster(m_spec.tcp, settings.network),
      m_endpoints(JobEndpoints::MakeAll(m_jobs, settings.transfer)),
      m_joiner(settings.observer ? *settings.observer : m_nobody),
      m_origin(GetSetupTime(m_cluster.GetNetwork(),
                            m_endpoints,
                            m_spec.rate,
                            settings.transfer.sockets)),
      m_faults(m_cluster, m_origin, FAULT_STREAMS),
      m_background(m_cluster, m_origin),
      m_tcp(GetEffects())
{
    CreateCluster();
    WatchOrder();
    m_told = ranks ? static_cast<RunObserver*>(&ranks->GetRecords()) : &m_joiner;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        AddJob(job);
    }
    AddLauncher();
    m_counters = std::make_unique<LinkCounters>(m_cluster, GetEffects());
    BeginStage();
    m_faults.Add(m_spec.faults);
    for (std::size_t i = 0; i < m_spec.background.size(); ++i)
    {
        const BackgroundSpec& flow = m_spec.background[i];
        m_cluster.CheckRoute(flow, i);
        BeginStage();
        m_background.Add(flow, MakeBackgroundFlow(flow, i, settings.seed, settings.replication));
    }
}

PacketRun::~PacketRun()
{
    Simulator::Destroy();
}

void
PacketRun::CreateCluster()
{
    m_cluster.SetCongestion(ChooseCongestion(m_spec, m_jobs));
    if (!m_ranks)
    {
        m_cluster.Create();
        return;
    }
    m_cluster.Create(m_ranks->GetAssignment(), m_ranks->GetWorld().GetRank());
    m_ranks->AddBoundary(m_cluster);
}

void
PacketRun::WatchOrder()
{
    const ClusterNetwork& network = m_cluster.GetNetwork();
    if (!network.GetMultipath().IsOn())
    {
        return;
    }
    m_reordering = std::make_unique<ReorderCounter>(GetEffects());
    for (uint32_t node = 0; node < network.GetNodes().size(); ++node)
    {
        if (!network.GetNodes()[node].isSwitch && m_cluster.IsHere(node))
        {
            m_reordering->Watch(m_cluster.GetNode(node));
        }
    }
}

void
PacketRun::BeginStage()
{
    if (m_ranks)
    {
        m_ranks->BeginStage();
    }
}

void
PacketRun::Watch()
{
    if (m_settings.sampling)
    {
        SampleConnections();
    }
    if (m_settings.fastCheck)
    {
        EnableFastForward();
    }
    if (!m_settings.pcapPrefix.empty())
    {
        m_cluster.EnablePcap(m_settings.pcapPrefix);
    }
    if (!m_settings.animation.empty())
    {
        m_animation = MakePacketAnimation(m_cluster, m_settings.animation);
    }
    if (!m_settings.flowMonitor.empty())
    {
        m_flows.InstallAll();
    }
    for (const auto& [server, tap] : m_settings.taps)
    {
        tap->Attach(m_cluster.GetDevice(GetServerLink(0, server)));
    }
}

void
PacketRun::SampleConnections()
{
    auto application = m_applications.begin();
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        for (const auto& endpoint : m_endpoints[job].List())
        {
            BeginStage();
            if (const auto here = *application++)
            {
                m_connectionProbes.push_back(
                    std::make_unique<ConnectionProbe>(here,
                                                      endpoint,
                                                      m_endpoints[job].ListPeers(endpoint),
                                                      m_origin,
                                                      JobRecorder{m_told, job}));
            }
        }
    }
}

PacketRunTotals
PacketRun::Run(const std::function<void(double)>& progress)
{
    Watch();
    m_progress = progress;
    const std::clock_t start = std::clock();
    if (m_ranks)
    {
        m_ranks->Run(m_jobs[0].workers, [this](int64_t steps) { ReportProgress(steps); });
    }
    else
    {
        Simulator::Run();
    }
    Flush();
    for (const auto& probe : m_probes)
    {
        m_totals.wireBytes += probe->GetTotal();
    }
    const Time end = m_ranks ? TimeStep(m_ranks->GetEnd().time) : ModelClock::Now();
    m_totals.tcp = m_tcp.GetCounts();
    m_totals.reordering = m_reordering ? m_reordering->Get() : Reordering{};
    m_totals.events = m_ranks ? m_ranks->CountEvents() : Simulator::GetEventCount();
    m_totals.end = (end - m_origin).GetSeconds();
    m_totals.links = m_counters->GetTotals(end - m_origin);
    m_totals.cpuSeconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (m_fast)
    {
        m_totals.skipped = m_fast->GetTotals();
    }
    RunOutcome outcome = GetOutcome();
    if (m_ranks)
    {
        Collect(outcome);
    }
    for (const auto& link : m_totals.links)
    {
        m_totals.drops += link.dropped;
        m_totals.lost += link.lost;
    }
    if (!m_settings.flowMonitor.empty())
    {
        m_flows.GetMonitor()->CheckForLostPackets();
        m_flows.SerializeToXmlFile(m_settings.flowMonitor, false, false);
    }
    m_animation.reset();
    Check(outcome);
    return m_totals;
}

void
PacketRun::Flush()
{
    uint32_t place = 0;
    const auto next = [&] {
        if (m_ranks)
        {
            m_ranks->GetRecords().SetRemainder(place++);
        }
    };
    for (const auto& probe : m_probes)
    {
        next();
        probe->Flush();
    }
    for (const auto& probe : m_flowProbes)
    {
        next();
        if (probe)
        {
            probe->Flush();
        }
    }
}

void
PacketRun::AddJob(uint32_t job)
{
    const JobEndpoints& endpoints = m_endpoints[job];
    for (const auto& [endpoint, peer] : endpoints.ListPairs())
    {
        m_cluster.CheckRoute(endpoints.GetName(peer), endpoints.GetName(endpoint));
        m_cluster.CheckRoute(endpoints.GetName(endpoint), endpoints.GetName(peer));
    }
    for (const auto& endpoint : endpoints.List())
    {
        AddEndpoint(job, endpoint);
        if (endpoint.role == Role::SERVER)
        {
            AddProbes(job, endpoint.index);
        }
    }
}

void
PacketRun::AddLauncher()
{
    if (!m_jobs.front().elastic)
    {
        return;
    }
    m_launcher = std::make_unique<WorkerLauncher>(m_jobs.front().elastic);
    for (uint32_t worker = 0; worker < m_jobs.front().workers; ++worker)
    {
        m_launcher->Add(DynamicCast<TrainingWorker>(m_applications[worker]));
    }
}

void
PacketRun::AddEndpoint(uint32_t job, const Endpoint& endpoint)
{
    const JobEndpoints& endpoints = m_endpoints[job];
    const std::string host = endpoints.GetName(endpoint);
    Ptr<StepApplication> application;
    if (m_cluster.IsHere(host))
    {
        application = endpoints.Make(endpoint, m_origin, {m_told, job});
        endpoints.SetPeers(*application, endpoint, [&](const Endpoint& peer) {
            return m_cluster.FindPeer(peer, host, endpoints.GetName(peer));
        });
    }
    m_flowProbes.push_back(application ? std::make_unique<FlowProbe>(application,
                                                                     endpoint,
                                                                     endpoints.ListPeers(endpoint),
                                                                     PROBE_INTERVAL,
                                                                     m_origin,
                                                                     JobRecorder{m_told, job},
                                                                     GetEffects())
                                       : nullptr);
    BeginStage();
    m_applications.push_back(application);
    if (!application)
    {
        return;
    }
    if (job == 0 && endpoint.role == Role::WORKER)
    {
        application->TraceConnectWithoutContext("StepDone",
                                                MakeCallback(&PacketRun::StepDone, this));
        application->TraceConnectWithoutContext("Finished",
                                                MakeCallback(&PacketRun::WorkerFinished, this));
    }
    if (m_ranks)
    {
        application->SetFailureHandler([this] { m_ranks->Failed(); });
    }
    m_tcp.Watch(application);
    m_cluster.Install(application, host, job);
    if (m_reordering)
    {
        m_reordering->Watch(application);
    }
}

DirectedLink
PacketRun::GetServerLink(uint32_t job, uint32_t server) const
{
    return m_cluster.GetNetwork().FindUplink(ServerName(job, server));
}

void
PacketRun::AddProbes(uint32_t job, uint32_t server)
{
    const JobRecorder recorder{m_told, job};
    const DirectedLink out = GetServerLink(job, server);
    for (const auto& [link, way] :
         {std::pair{out, AccessLink::Way::OUT}, std::pair{out ^ 1, AccessLink::Way::IN}})
    {
        const AccessLink access{{Role::SERVER, server}, way};
        const auto report = [recorder, access](double from, double to, uint64_t bytes) {
            recorder.Tell(LinkRecord{access, from, to, bytes / PROBE_INTERVAL.GetSeconds()});
        };
        m_probes.push_back(
            std::make_unique<IntervalCounter>(PROBE_INTERVAL, m_origin, GetEffects(), report));
        m_cluster.GetDevice(link)->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeBoundCallback(&CountPacket, m_probes.back().get()));
        m_skippedBytes[link] = {m_probes.back().get()};
    }
}

void
PacketRun::StepDone(uint32_t, uint32_t, Time, Time)
{
    if (m_ranks)
    {
        m_ranks->StepDone();
        return;
    }
    ReportProgress(++m_stepsDone);
    if (!m_stopped && m_settings.stopRule && m_settings.stopRule())
    {
        m_stopped = true;
        Simulator::Stop();
    }
}

void
PacketRun::ReportProgress(uint64_t steps) const
{
    if (m_progress)
    {
        const uint64_t all = static_cast<uint64_t>(m_jobs[0].steps) * m_jobs[0].workers;
        m_progress(static_cast<double>(steps) / all);
    }
}

void
PacketRun::WorkerFinished(uint32_t)
{
    ++m_finished;
    if (m_ranks)
    {
        m_ranks->WorkerFinished();
    }
    else if (m_finished == m_jobs[0].workers)
    {
        Simulator::Stop();
    }
}

} // namespace ns3::dml
