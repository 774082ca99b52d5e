/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-endpoint-process.h"

#include "dml-grpc-library.h"
#include "dml-kernel-socket-factory.h"
#include "dml-kernel-socket.h"
#include "dml-tcp-state.h"
#include "dml-wall-clock-simulator.h"

#include "ns3/dml-cpu-time.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <sys/epoll.h>
#include <utility>

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

} // namespace

EndpointProcess::EndpointProcess(const EndpointTask& task)
    : m_task(task),
      m_writer(task.messages)
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
    simulator.SetOrigin(m_task.clock);
    simulator.Watch(m_task.control, EPOLLIN, [](uint32_t) { Simulator::Stop(); });

    const std::string host = m_task.endpoints->GetName(m_task.endpoint);
    const auto find = [this](const std::string& name) { return m_task.addresses.at(name); };
    const auto factory = CreateObject<KernelSocketFactory>();
    factory->SetAttribute("CongestionControl", StringValue(m_task.congestion));
    if (m_task.binds)
    {
        factory->SetAttribute("Address", Ipv4AddressValue(find(host).GetIpv4()));
    }
    const auto node = CreateObject<Node>();
    node->AggregateObject(factory);
    RunObserver& observer = *this; // the base is private, so only a member can convert
    m_application = m_task.endpoints->Make(m_task.endpoint, m_task.setup, {&observer, m_task.job});
    m_task.endpoints->SetPeers(*m_application, m_task.endpoint, [&](const Endpoint& peer) {
        return PeerAddress{peer, find(m_task.endpoints->GetName(peer))};
    });
    m_application->SetAttribute("Port", UintegerValue(find(host).GetPort()));
    if (m_task.grpc)
    {
        m_application->SetAttribute("Transport",
                                    ObjectFactoryValue(MakeGrpcLibraryTransport(*m_task.grpc)));
    }
    if (m_task.gloo)
    {
        std::ostringstream address;
        address << find(host).GetIpv4();
        m_application->SetCollectiveService(
            MakeGlooCollectives({m_task.rank,
                                 m_task.workers,
                                 address.str(),
                                 m_task.gloo,
                                 [this](const std::string& text) {
                                     m_writer.Send({HostMessageKind::FAILED, GetNow(), text});
                                 }}));
    }
    m_application->SetFailureHandler([this] { Failed(); });
    m_application->TraceConnectWithoutContext("Connection",
                                              MakeCallback(&EndpointProcess::Connected, this));
    m_flows = std::make_unique<FlowProbe>(m_application,
                                          m_task.endpoint,
                                          m_task.endpoints->ListPeers(m_task.endpoint),
                                          FLOW_INTERVAL,
                                          m_task.setup,
                                          JobRecorder{&observer, m_task.job});
    if (m_task.job == 0)
    {
        m_application->TraceConnectWithoutContext("Finished",
                                                  MakeCallback(&EndpointProcess::Finished, this));
    }
    node->AddApplication(m_application);
    Simulator::Schedule(BEAT, &EndpointProcess::Beat, this);
    if (m_task.connections)
    {
        Simulator::Schedule(m_task.setup, &EndpointProcess::SampleConnections, this);
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
    const auto peers = m_task.endpoints->ListPeers(m_task.endpoint);
    std::vector<uint32_t> connections(peers.size());
    for (const auto& [socket, peer] : m_sockets)
    {
        if (!socket->IsAccepted())
        {
            continue; // what it has opened carries what it receives
        }
        const TcpState state = ReadTcpState(socket->GetFile());
        const ConnectionRecord record{{m_task.endpoint, peers[peer]},
                                      connections[peer]++,
                                      GetNow(),
                                      state.congestionWindow,
                                      state.roundTrip,
                                      state.retransmissions,
                                      m_application->GetStreamWindow(peer)};
        Observe({m_task.job, record});
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
EndpointProcess::Failed()
{
    m_writer.Send({HostMessageKind::FAILED, GetNow(), m_application->GetError()});
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
        summary.retransmissions += ReadTcpState(socket->GetFile()).retransmissions;
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

} // namespace ns3::dml
