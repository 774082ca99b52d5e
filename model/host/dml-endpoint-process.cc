/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-capture.h"
#include "dml-host-layout.h"
#include "dml-host-libraries.h"
#include "dml-host-processes.h"
#include "dml-kernel-socket.h"
#include "dml-wall-clock-simulator.h"

#include "ns3/dml-address-plan.h"
#include "ns3/dml-cpu-time.h"
#include "ns3/dml-flow-probe.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <optional>
#include <sys/epoll.h>

namespace ns3::dml
{

namespace
{

/// How often records are sent.
const Time BEAT = MilliSeconds(200);

/// How often connections are looked at.
const Time CONNECTION_INTERVAL = MilliSeconds(100);

/// Length of the intervals over which received bytes are counted.
const Time FLOW_INTERVAL = MilliSeconds(10);

/// A worker or server in its process.
class EndpointProcess : private RunObserver
{
  public:
    /// @param run of this process @param member which of its endpoints
    EndpointProcess(const HostProcesses& run, const HostMember& member);

    /// @brief Run until the control pipe ends; what goes wrong is a message.
    void Run();

  private:
    /// A connection with a peer.
    struct PeerSocket
    {
        Ptr<KernelSocket> socket; //!< this end
        uint32_t peer{0};         //!< index of the other one
    };

    void Observe(const RunRecord& record) override;
    void Prepare();
    void Connected(Ptr<Socket> socket, uint32_t peer);
    void SampleConnections();
    void Finished(uint32_t worker);
    void Beat();
    void SendRecords();
    double GetNow() const;
    EndpointSummary Summarise() const;

    const HostProcesses& m_run;           //!< of which it is a part
    const HostMember& m_member;           //!< which one
    const JobEndpoints& m_endpoints;      //!< of its job
    HostMessageWriter m_writer;           //!< to whoever has started it
    Ptr<StepApplication> m_application;   //!< worker or server
    std::vector<StampedRecord> m_records; //!< not sent yet
    std::unique_ptr<FlowProbe> m_flows;   //!< what it receives
    std::vector<PeerSocket> m_sockets;    //!< of the application
};

EndpointProcess::EndpointProcess(const HostProcesses& run, const HostMember& member)
    : m_run(run),
      m_member(member),
      m_endpoints(run.endpoints[member.job]),
      m_writer(member.writes.Get())
{
}

void
EndpointProcess::Run()
{
    try
    {
        Prepare();
        Simulator::Run();
    }
    catch (const std::exception& error)
    {
        m_writer.Send({HostMessageKind::FAILED, 0, error.what()});
    }
    if (m_flows)
    {
        m_flows->Flush();
    }
    SendRecords();
    m_writer.Send({HostMessageKind::SUMMARY, GetNow(), PackItems(std::vector{Summarise()})});
    m_writer.Finish();
}

void
EndpointProcess::Prepare()
{
    Simulator::Destroy();
    Simulator::SetImplementation(CreateObject<WallClockSimulator>());
    auto& simulator = WallClockSimulator::Get();
    simulator.SetOrigin(m_run.clock);
    simulator.Watch(m_run.control[0].Get(), EPOLLIN, [](uint32_t) { Simulator::Stop(); });

    const HostRunSpec& spec = m_run.spec;
    const TrainingRun& job = spec.jobs[m_member.job];
    const AddressPlan plan(spec.network);
    const auto find = [&](const Endpoint& endpoint) {
        const std::string host = m_endpoints.GetName(endpoint);
        return InetSocketAddress(m_run.places->GetAddress(spec.network.FindHost(host)),
                                 plan.GetPort(host));
    };
    const InetSocketAddress own = find(m_member.endpoint);
    const auto node = CreateObject<Node>();
    node->AggregateObject(CreateObject<KernelSocketFactory>(
        m_run.places->GetCongestion(m_member.job),
        m_run.places->sharesAddresses ? own.GetIpv4() : Ipv4Address::GetAny()));
    auto grpc = ChooseGrpcLibrary(spec.grpc, spec.transfer, job.policy);
    RunObserver& observer = *this; // the base is private, so only a member can convert
    const JobRecorder recorder{&observer, m_member.job};
    m_application = m_endpoints.Make(m_member.endpoint, m_run.setup, recorder);
    m_endpoints.SetPeers(*m_application, m_member.endpoint, [&](const Endpoint& peer) {
        const std::string here = m_endpoints.GetName(m_member.endpoint);
        const std::string there = m_endpoints.GetName(peer);
        return PeerAddress{peer,
                           find(peer),
                           {},
                           plan.GetClientPorts(here, there),
                           plan.GetClientPorts(there, here)};
    });
    m_application->SetAttribute("Port", UintegerValue(own.GetPort()));
    if (grpc)
    {
        grpc->windows = spec.connections;
        m_application->SetAttribute("Transport",
                                    ObjectFactoryValue(MakeGrpcLibraryTransport(*grpc)));
    }
    if (!m_run.boards.empty())
    {
        const uint32_t rank = job.plan->GetRank(m_member.endpoint.index);
        m_application->SetCollectiveService(
            MakeGlooCollectives({rank,
                                 job.workers,
                                 HostLayout::ToText(own.GetIpv4()),
                                 m_run.boards[m_member.job].get(),
                                 [this](const std::string& text) {
                                     m_writer.Send({HostMessageKind::FAILED, GetNow(), text});
                                 }}));
    }
    m_application->SetFailureHandler([this] {
        m_writer.Send({HostMessageKind::FAILED, GetNow(), m_application->GetError()});
    });
    m_application->TraceConnectWithoutContext("Connection",
                                              MakeCallback(&EndpointProcess::Connected, this));
    m_flows = std::make_unique<FlowProbe>(m_application,
                                          m_member.endpoint,
                                          m_endpoints.ListPeers(m_member.endpoint),
                                          FLOW_INTERVAL,
                                          m_run.setup,
                                          recorder);
    if (m_member.job == 0)
    {
        m_application->TraceConnectWithoutContext("Finished",
                                                  MakeCallback(&EndpointProcess::Finished, this));
    }
    node->AddApplication(m_application);
    Simulator::Schedule(BEAT, &EndpointProcess::Beat, this);
    if (m_run.spec.connections)
    {
        Simulator::Schedule(m_run.setup, &EndpointProcess::SampleConnections, this);
    }
}

double
EndpointProcess::GetNow() const
{
    return m_application ? m_application->GetNow() : 0;
}

void
EndpointProcess::Observe(const RunRecord& record)
{
    m_records.push_back({GetNow(), record});
}

void
EndpointProcess::Connected(Ptr<Socket> socket, uint32_t peer)
{
    m_sockets.push_back({DynamicCast<KernelSocket>(socket), peer});
}

void
EndpointProcess::SampleConnections()
{
    const auto peers = m_endpoints.ListPeers(m_member.endpoint);
    std::vector<uint32_t> connections(peers.size());
    for (const auto& [socket, peer] : m_sockets)
    {
        if (!socket->IsAccepted())
        {
            continue; // what it has opened carries what it receives
        }
        const TcpState state = socket->GetState();
        const ConnectionRecord record{{m_member.endpoint, peers[peer]},
                                      connections[peer]++,
                                      GetNow(),
                                      state.congestionWindow,
                                      state.roundTrip,
                                      state.retransmissions,
                                      m_application->GetStreamWindow(peer)};
        Observe({m_member.job, record});
    }
    Simulator::Schedule(CONNECTION_INTERVAL, &EndpointProcess::SampleConnections, this);
}

void
EndpointProcess::Finished([[maybe_unused]] uint32_t worker)
{
    SendRecords();
    m_writer.Send({HostMessageKind::FINISHED, GetNow(), {}});
}

void
EndpointProcess::Beat()
{
    SendRecords();
    Simulator::Schedule(BEAT, &EndpointProcess::Beat, this);
}

void
EndpointProcess::SendRecords()
{
    m_writer.Send({HostMessageKind::RECORDS, GetNow(), PackItems(m_records)});
    m_records.clear();
}

EndpointSummary
EndpointProcess::Summarise() const
{
    EndpointSummary summary;
    summary.cpuSeconds = ReadCpuSeconds(RUSAGE_SELF);
    for (const auto& [socket, peer] : m_sockets)
    {
        summary.retransmissions += socket->GetState().retransmissions;
    }
    const auto simulator = DynamicCast<WallClockSimulator>(Simulator::GetImplementation());
    if (simulator)
    {
        const TimerLateness& lateness = simulator->GetLateness();
        summary.timers = lateness.timers;
        summary.lateSeconds = lateness.total.GetSeconds();
        summary.latestSeconds = lateness.largest.GetSeconds();
    }
    return summary;
}

} // namespace

void
RunEndpoint(const HostProcesses& run, const HostMember& member)
{
    const std::string name = run.GetName(member);
    run.places->Enter(run.spec.network.FindHost(name));
    std::optional<HostCapture> capture;
    if (!run.spec.captures.empty())
    {
        capture.emplace(run.spec.captures + "-" + name + ".pcap",
                        run.clock + run.setup.GetNanoSeconds());
    }
    EndpointProcess(run, member).Run();
}

} // namespace ns3::dml
