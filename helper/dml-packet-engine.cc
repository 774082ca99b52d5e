/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-packet-engine.h"

#include "dml-link-probe.h"
#include "dml-star-cluster-helper.h"
#include "dml-stream-tap.h"
#include "dml-transfer-joiner.h"

#include "ns3/dml-error.h"
#include "ns3/dml-parameter-server.h"
#include "ns3/dml-training-worker.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <memory>
#include <utility>
#include <vector>

namespace ns3
{
namespace dml
{

namespace
{

/// Length of the intervals over which link rates are averaged.
const Time PROBE_INTERVAL = MilliSeconds(10);

/// Everything that exists while a run is under way; takes the simulator down at the end.
class PacketRun
{
  public:
    PacketRun(const TrainingRun& run,
              const NetworkSpec& network,
              const TransferSpec& transfer,
              RunObserver* observer)
        : m_run(run),
          m_cluster(network),
          m_joiner(observer ? *observer : m_nobody),
          m_origin(PacketEngine::GetSetupTime(network, run.workers, run.plan->servers))
    {
        m_cluster.Create(run.workers, run.plan->servers);
        for (uint32_t i = 0; i < run.plan->servers; ++i)
        {
            AddServer(i, transfer);
        }
        for (uint32_t i = 0; i < run.workers; ++i)
        {
            AddWorker(i, transfer);
        }
        for (const auto& port : m_cluster.GetSwitchPorts())
        {
            port->GetQueue()->TraceConnectWithoutContext("Drop",
                                                         MakeCallback(&PacketRun::Dropped, this));
        }
    }

    ~PacketRun()
    {
        Simulator::Destroy();
    }

    PacketRun(const PacketRun&) = delete;
    PacketRun& operator=(const PacketRun&) = delete;

    void Tap(uint32_t server, StreamTap& tap) const
    {
        tap.Attach(m_cluster.GetServerDevice(server));
    }

    void EnablePcap(const std::string& prefix) const
    {
        m_cluster.EnablePcap(prefix);
    }

    PacketRunTotals Run(const std::function<void(double)>& progress)
    {
        m_progress = progress;
        Simulator::Run();
        for (const auto& probe : m_probes)
        {
            probe->Flush();
            m_totals.wireBytes += probe->GetBytes();
        }
        m_totals.events = Simulator::GetEventCount();
        m_totals.end = (Simulator::Now() - m_origin).GetSeconds();
        Check();
        return m_totals;
    }

  private:
    void AddServer(uint32_t index, const TransferSpec& transfer)
    {
        auto server = CreateObject<ParameterServer>();
        server->SetAttribute("Index", UintegerValue(index));
        server->SetAttribute("Cores", UintegerValue(m_run.serverCores));
        server->SetPeers(m_cluster.GetWorkerAddresses());
        std::vector<std::vector<uint64_t>> windows;
        for (uint32_t worker = 0; worker < m_run.workers && !m_run.windows.IsEmpty(); ++worker)
        {
            windows.push_back(m_run.windows.GetSteps(worker, index, false));
        }
        server->SetPeerWindows(windows);
        Add(server, m_cluster.GetServers().Get(index), transfer);
        for (const auto& [device, direction] :
             {std::pair{m_cluster.GetServerDevice(index), Direction::DOWNLINK},
              std::pair{m_cluster.GetServerPort(index), Direction::UPLINK}})
        {
            m_probes.push_back(std::make_unique<LinkProbe>(device,
                                                           direction,
                                                           index,
                                                           PROBE_INTERVAL,
                                                           m_origin,
                                                           &m_joiner));
        }
    }

    void AddWorker(uint32_t index, const TransferSpec& transfer)
    {
        auto worker = CreateObject<TrainingWorker>();
        worker->SetAttribute("Index", UintegerValue(index));
        worker->SetAttribute("Steps", UintegerValue(m_run.steps));
        worker->SetAttribute("FirstStep", TimeValue(m_origin + Seconds(m_run.startOffsets[index])));
        worker->SetSampler(m_run.samplers[index]);
        worker->SetPeers(m_cluster.GetServerAddresses());
        std::vector<std::vector<uint64_t>> windows;
        for (uint32_t i = 0; i < m_run.plan->servers && !m_run.windows.IsEmpty(); ++i)
        {
            windows.push_back(m_run.windows.GetSteps(index, i, true));
        }
        worker->SetPeerWindows(windows);
        worker->TraceConnectWithoutContext("StepDone", MakeCallback(&PacketRun::StepDone, this));
        Add(worker, m_cluster.GetWorkers().Get(index), transfer);
    }

    void Add(Ptr<StepApplication> application, Ptr<Node> node, const TransferSpec& transfer)
    {
        application->SetPlan(m_run.plan);
        application->SetObserver(&m_joiner);
        application->SetAttribute("Policy", ObjectFactoryValue(m_run.policy));
        application->SetAttribute("Window", UintegerValue(m_run.window));
        application->SetAttribute("GrantRule", StringValue(transfer.grant));
        application->SetAttribute("TimeOrigin", TimeValue(m_origin));
        m_cluster.Install(application, node);
        m_applications.push_back(application);
    }

    void StepDone(uint32_t, uint32_t, Time, Time)
    {
        const uint64_t steps = static_cast<uint64_t>(m_run.steps) * m_run.workers;
        ++m_stepsDone;
        if (m_progress)
        {
            m_progress(static_cast<double>(m_stepsDone) / steps);
        }
        if (m_stepsDone == steps)
        {
            Simulator::Stop();
        }
    }

    void Dropped(Ptr<const Packet>)
    {
        ++m_totals.drops;
    }

    /// Throw if the run did not end well.
    void Check() const
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
        if (m_stepsDone < static_cast<uint64_t>(m_run.steps) * m_run.workers)
        {
            throw RunError(MakeStallReport(m_totals.end, blocked));
        }
    }

    const TrainingRun& m_run;                         //!< what to run
    StarClusterHelper m_cluster;                      //!< nodes and links
    RunObserver m_nobody;                             //!< stands in for no observer
    TransferJoiner m_joiner;                          //!< what the applications report to
    Time m_origin;                                    //!< from which records count
    std::vector<Ptr<StepApplication>> m_applications; //!< servers, then workers
    std::vector<std::unique_ptr<LinkProbe>> m_probes; //!< of the servers' links
    std::function<void(double)> m_progress;           //!< may be empty
    uint64_t m_stepsDone{0};                          //!< of all workers
    PacketRunTotals m_totals;                         //!< what it cost
};

} // namespace

PacketEngine::PacketEngine(TrainingRun run,
                           const NetworkSpec& network,
                           const TransferSpec& transfer,
                           RunObserver* observer)
    : m_run(std::move(run)),
      m_network(network),
      m_transfer(transfer),
      m_observer(observer)
{
}

Time
PacketEngine::GetSetupTime(const NetworkSpec& network, uint32_t workers, uint32_t servers)
{
    // A handshake is two trips over two links. All of them may queue on one server's link: SYN, ACK
    // and preface, some 300 bytes for each of the two connections of a pair.
    const double pairs = static_cast<double>(workers) * servers;
    const double bits = 8.0 * 2 * 300 * pairs;
    return MilliSeconds(100) + 8 * network.delay + Seconds(2 * bits / network.rate.GetBitRate());
}

void
PacketEngine::Tap(uint32_t server, StreamTap& tap)
{
    m_taps.emplace_back(server, &tap);
}

void
PacketEngine::EnablePcap(const std::string& prefix)
{
    m_pcapPrefix = prefix;
}

PacketRunTotals
PacketEngine::Run(const std::function<void(double)>& progress)
{
    PacketRun run(m_run, m_network, m_transfer, m_observer);
    if (!m_pcapPrefix.empty())
    {
        run.EnablePcap(m_pcapPrefix);
    }
    for (const auto& [server, tap] : m_taps)
    {
        run.Tap(server, *tap);
    }
    return run.Run(progress);
}

} // namespace dml
} // namespace ns3
