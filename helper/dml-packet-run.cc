/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-run.h"

#include "dml-fair-share-cluster.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/dml-job-observer.h"
#include "ns3/dml-parameter-server.h"
#include "ns3/dml-training-worker.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ns3
{
namespace dml
{

namespace
{

/// Length of the intervals over which link rates are averaged.
const Time PROBE_INTERVAL = MilliSeconds(10);

/// First random stream of losses.
constexpr int64_t FAULT_STREAMS = 2000000;

std::vector<JobSize>
SizesOf(const std::vector<TrainingRun>& jobs)
{
    std::vector<JobSize> sizes;
    for (const auto& job : jobs)
    {
        sizes.push_back({job.workers, job.plan->servers});
    }
    return sizes;
}

/// What a server announces to each worker: for gradients.
std::vector<std::vector<uint64_t>>
WindowsOfServer(const TrainingRun& run, uint32_t server)
{
    std::vector<std::vector<uint64_t>> windows;
    for (uint32_t worker = 0; worker < run.workers && !run.windows.IsEmpty(); ++worker)
    {
        windows.push_back(run.windows.GetSteps(worker, server, false));
    }
    return windows;
}

/// What a worker announces to each server: for parameters.
std::vector<std::vector<uint64_t>>
WindowsOfWorker(const TrainingRun& run, uint32_t worker)
{
    std::vector<std::vector<uint64_t>> windows;
    for (uint32_t server = 0; server < run.plan->servers && !run.windows.IsEmpty(); ++server)
    {
        windows.push_back(run.windows.GetSteps(worker, server, true));
    }
    return windows;
}

} // namespace

PacketRun::PacketRun(const std::vector<TrainingRun>& jobs,
                     const NetworkSpec& network,
                     const TransferSpec& transfer,
                     uint32_t seed,
                     uint32_t replication,
                     RunObserver* observer)
    : m_jobs(jobs),
      m_cluster(network, SizesOf(jobs)),
      m_joiner(observer ? *observer : m_nobody),
      m_origin(GetSetupTime(network)),
      m_faults(m_cluster, m_origin, FAULT_STREAMS),
      m_background(m_cluster, m_origin)
{
    m_cluster.Create();
    uint32_t workers = 0;
    uint32_t servers = 0;
    for (uint32_t job = 0; job < jobs.size(); ++job)
    {
        m_observers.push_back(std::make_unique<JobObserver>(workers, servers, &m_joiner));
        AddJob(job, transfer);
        workers += jobs[job].workers;
        servers += jobs[job].plan->servers;
    }
    m_counters = std::make_unique<LinkCounters>(m_cluster);
    m_faults.Add(network.faults);
    for (std::size_t i = 0; i < network.background.size(); ++i)
    {
        const BackgroundSpec& flow = network.background[i];
        m_cluster.CheckRoute(flow.from, flow.to);
        m_cluster.CheckRoute(flow.to, flow.from);
        m_background.Add(flow, MakeBackgroundFlow(flow, i, seed, replication));
    }
}

PacketRun::~PacketRun()
{
    Simulator::Destroy();
}

void
PacketRun::Tap(uint32_t server, StreamTap& tap) const
{
    tap.Attach(m_cluster.GetDevice(GetServerLink(0, server)));
}

void
PacketRun::EnablePcap(const std::string& prefix) const
{
    m_cluster.EnablePcap(prefix);
}

void
PacketRun::EnableAnimation(const std::string& path)
{
    m_recorder.EnableAnimation(m_cluster, path);
}

void
PacketRun::EnableFlowMonitor(const std::string& path)
{
    m_recorder.EnableFlowMonitor(path);
}

void
PacketRun::StopWhen(const std::function<bool()>& rule)
{
    m_stopRule = rule;
}

PacketRunTotals
PacketRun::Run(const std::function<void(double)>& progress)
{
    m_progress = progress;
    Simulator::Run();
    for (const auto& probe : m_probes)
    {
        probe->Flush();
        m_totals.wireBytes += probe->GetBytes();
    }
    for (const auto& probe : m_flowProbes)
    {
        probe->Flush();
    }
    m_totals.tcp = m_tcp.GetCounts();
    m_totals.events = Simulator::GetEventCount();
    m_totals.end = (Simulator::Now() - m_origin).GetSeconds();
    m_totals.links = m_counters->GetTotals(Simulator::Now() - m_origin);
    for (const auto& link : m_totals.links)
    {
        m_totals.drops += link.dropped;
        m_totals.lost += link.lost;
    }
    m_recorder.Close();
    Check();
    return m_totals;
}

Time
PacketRun::GetSetupTime(const NetworkSpec& spec) const
{
    const ClusterNetwork& network = m_cluster.GetNetwork();
    Time delay;
    uint64_t rate = spec.rate.GetBitRate();
    double pairs = 0;
    for (uint32_t job = 0; job < m_jobs.size(); ++job)
    {
        for (uint32_t server = 0; server < m_jobs[job].plan->servers; ++server)
        {
            for (uint32_t worker = 0; worker < m_jobs[job].workers; ++worker)
            {
                Time path;
                for (const DirectedLink link :
                     network.FindRoute(network.FindHost(ServerName(job, server)),
                                       network.FindHost(WorkerName(job, worker))))
                {
                    path += network.GetLinks()[link / 2].delay;
                    rate = std::min(rate, network.GetLinks()[link / 2].rate.GetBitRate());
                }
                delay = Max(delay, path);
                ++pairs;
            }
        }
    }
    // A handshake is two round trips. All of them may queue on one link: SYN, ACK and preface,
    // some 300 bytes for each of the two connections of a pair.
    const double bits = 8.0 * 2 * 300 * pairs;
    return MilliSeconds(100) + 4 * delay + Seconds(2 * bits / rate);
}

void
PacketRun::AddJob(uint32_t job, const TransferSpec& transfer)
{
    const TrainingRun& run = m_jobs[job];
    std::vector<InetSocketAddress> workers;
    std::vector<InetSocketAddress> servers;
    for (uint32_t i = 0; i < run.workers; ++i)
    {
        workers.push_back(m_cluster.GetAddress(WorkerName(job, i)));
    }
    for (uint32_t i = 0; i < run.plan->servers; ++i)
    {
        servers.push_back(m_cluster.GetAddress(ServerName(job, i)));
        for (uint32_t worker = 0; worker < run.workers; ++worker)
        {
            m_cluster.CheckRoute(ServerName(job, i), WorkerName(job, worker));
            m_cluster.CheckRoute(WorkerName(job, worker), ServerName(job, i));
        }
    }
    for (uint32_t i = 0; i < run.plan->servers; ++i)
    {
        auto server = CreateObject<ParameterServer>();
        server->SetAttribute("Index", UintegerValue(i));
        server->SetAttribute("Cores", UintegerValue(run.serverCores));
        if (const auto sync = MakeSyncPolicy(run))
        {
            server->SetAttribute("Sync", PointerValue(sync));
        }
        server->SetAttribute("Elastic", BooleanValue(!run.crashes.empty()));
        if (i == 0)
        {
            server->SetBatchSizeControl(CreateBatchSizeControl(run));
            server->SetShedding(CreateWorkShedding(run));
        }
        if (i < run.serverSpeeds.size())
        {
            server->SetDeviceSpeed(run.serverSpeeds[i]);
        }
        server->SetPeers(workers);
        server->SetPeerWindows(WindowsOfServer(run, i));
        AddFlowProbe(job, server, Direction::UPLINK, i);
        Add(job, server, ServerName(job, i), transfer);
        AddProbes(job, i);
    }
    for (uint32_t i = 0; i < run.workers; ++i)
    {
        auto worker = CreateObject<TrainingWorker>();
        worker->SetAttribute("Index", UintegerValue(i));
        worker->SetAttribute(
            "Steps",
            UintegerValue(job == 0 ? run.steps : std::numeric_limits<uint32_t>::max()));
        worker->SetAttribute("FirstStep", TimeValue(m_origin + Seconds(run.startOffsets[i])));
        worker->SetSampler(run.samplers[i]);
        worker->SetCompute(i < run.compute.size() ? run.compute[i] : WorkerCompute(),
                           run.batchSize);
        if (const auto control = CreateBatchSizeControl(run))
        {
            worker->SetBatchSizes(control->IsBlocking()
                                      ? TrainingWorker::BatchSizes::ASKED_FIRST
                                      : TrainingWorker::BatchSizes::ASKED_AHEAD);
        }
        if (const auto shedding = CreateWorkShedding(run))
        {
            worker->SetShedding(*shedding);
        }
        for (const auto& crash : run.crashes)
        {
            if (crash.worker == i)
            {
                worker->AddCrash(crash);
            }
        }
        worker->SetPeers(servers);
        worker->SetPeerWindows(WindowsOfWorker(run, i));
        if (job == 0)
        {
            worker->TraceConnectWithoutContext("StepDone",
                                               MakeCallback(&PacketRun::StepDone, this));
            worker->TraceConnectWithoutContext("Finished",
                                               MakeCallback(&PacketRun::WorkerFinished, this));
        }
        AddFlowProbe(job, worker, Direction::DOWNLINK, i);
        Add(job, worker, WorkerName(job, i), transfer);
    }
}

DirectedLink
PacketRun::GetServerLink(uint32_t job, uint32_t server) const
{
    const ClusterNetwork& network = m_cluster.GetNetwork();
    return network.GetHostUplink(network.FindHost(ServerName(job, server)));
}

void
PacketRun::AddProbes(uint32_t job, uint32_t server)
{
    const DirectedLink out = GetServerLink(job, server);
    for (const auto& [link, direction] :
         {std::pair{out, Direction::DOWNLINK}, std::pair{out ^ 1, Direction::UPLINK}})
    {
        m_probes.push_back(std::make_unique<LinkProbe>(m_cluster.GetDevice(link),
                                                       direction,
                                                       server,
                                                       PROBE_INTERVAL,
                                                       m_origin,
                                                       m_observers[job].get()));
    }
}

void
PacketRun::AddFlowProbe(uint32_t job,
                        Ptr<StepApplication> application,
                        Direction direction,
                        uint32_t index)
{
    m_flowProbes.push_back(std::make_unique<FlowProbe>(application,
                                                       direction,
                                                       index,
                                                       PROBE_INTERVAL,
                                                       m_origin,
                                                       *m_observers[job]));
}

void
PacketRun::Add(uint32_t job,
               Ptr<StepApplication> application,
               const std::string& host,
               const TransferSpec& transfer)
{
    const TrainingRun& run = m_jobs[job];
    application->SetPlan(run.plan);
    application->SetObserver(m_observers[job].get());
    application->SetAttribute("Policy", ObjectFactoryValue(run.policy));
    application->SetAttribute("Window", UintegerValue(run.window));
    application->SetAttribute("GrantRule", StringValue(transfer.grant));
    application->SetAttribute("TimeOrigin", TimeValue(m_origin));
    m_tcp.Watch(application);
    m_cluster.Install(application, host);
    m_applications.push_back(application);
}

void
PacketRun::StepDone(uint32_t, uint32_t, Time, Time)
{
    const uint64_t steps = static_cast<uint64_t>(m_jobs[0].steps) * m_jobs[0].workers;
    ++m_stepsDone;
    if (m_progress)
    {
        m_progress(static_cast<double>(m_stepsDone) / steps);
    }
    if (!m_stopped && m_stopRule && m_stopRule())
    {
        m_stopped = true;
        Simulator::Stop();
    }
}

void
PacketRun::WorkerFinished(uint32_t)
{
    if (++m_finished == m_jobs[0].workers)
    {
        Simulator::Stop();
    }
}

void
PacketRun::Check() const
{
    std::vector<std::string> blocked;
    for (const auto& application : m_applications)
    {
        if (!application->GetError().empty())
        {
            throw RunError(application->GetError());
        }
        const auto ops = application->GetBlockedOps();
        blocked.insert(blocked.end(), ops.begin(), ops.end());
    }
    if (!m_stopped && m_finished < m_jobs[0].workers)
    {
        throw RunError(MakeStallReport(m_totals.end, blocked));
    }
}

} // namespace dml
} // namespace ns3
