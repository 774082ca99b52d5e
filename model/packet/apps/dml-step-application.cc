/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-application.h"

#include "ns3/dml-grpc-transport.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

NS_LOG_COMPONENT_DEFINE("DmlStepApplication");
NS_OBJECT_ENSURE_REGISTERED(StepApplication);

class StepApplication::RecordTraces : public RunListener<StepApplication::RecordTraces>
{
  public:
    /// @param application whose trace sources @param recorder told of everything as before
    RecordTraces(const StepApplication& application, JobRecorder recorder)
        : m_application(application),
          m_recorder(recorder)
    {
    }

    void Observe(const RunRecord& record) override
    {
        if (m_recorder)
        {
            m_recorder.observer->Observe(record);
        }
        RunListener::Observe(record);
    }

    bool Hears(std::size_t kind) const override
    {
        return RunListener::Hears(kind) || (m_recorder && m_recorder.observer->Hears(kind));
    }

    void On(const ChunkRecord& record)
    {
        const bool turn = record.resource.kind == ResourceKind::CHANNEL;
        (turn ? m_application.m_turnTrace : m_application.m_chunkTrace)(record);
    }

    void On(const SentRecord& record)
    {
        m_application.m_sentTrace(record.transfer);
    }

    void On(const TransferRecord& record)
    {
        m_application.m_receivedTrace(record);
    }

  private:
    const StepApplication& m_application; //!< application with the trace sources
    JobRecorder m_recorder;               //!< told as well; may be nobody
};

TypeId
StepApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::StepApplication")
            .SetParent<Application>()
            .SetGroupName("Dml")
            .AddAttribute(
                "Policy",
                "Makes the TransferPolicy that orders what this node sends to a peer.",
                ObjectFactoryValue(ObjectFactory(Http2WindowPolicy::GetTypeId().GetName())),
                MakeObjectFactoryAccessor(&StepApplication::m_policy),
                MakeObjectFactoryChecker())
            .AddAttribute("SocketFactory",
                          "Makes the sockets: a factory that the node has.",
                          TypeIdValue(TcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&StepApplication::m_socketFactory),
                          MakeTypeIdChecker())
            .AddAttribute("Transport",
                          "Makes the Transport of the conversation with a peer.",
                          ObjectFactoryValue(ObjectFactory(GrpcTransport::GetTypeId().GetName())),
                          MakeObjectFactoryAccessor(&StepApplication::m_transport),
                          MakeObjectFactoryChecker())
            .AddAttribute("Port",
                          "TCP port on which this node listens.",
                          UintegerValue(PORT),
                          MakeUintegerAccessor(&StepApplication::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("Local",
                          "Address that peers are told by TrainingJob; 0.0.0.0: the first one of "
                          "the node that is not a loopback.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&StepApplication::m_local),
                          MakeIpv4AddressChecker())
            .AddAttribute("TimeOrigin",
                          "Simulation time from which the times in records are counted.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&StepApplication::m_timeOrigin),
                          MakeTimeChecker())
            .AddAttribute("Patience",
                          "How long, from its start on, this node tries again to reach a peer that "
                          "does not listen yet; zero: that is an error at once.",
                          TimeValue(Seconds(0)),
                          MakeTimeAccessor(&StepApplication::m_patience),
                          MakeTimeChecker(Seconds(0)))
            .AddTraceSource("Connection",
                            "A connection that this node is about to open, or has accepted.",
                            MakeTraceSourceAccessor(&StepApplication::m_connection),
                            "ns3::dml::StepApplication::ConnectionCallback")
            .AddTraceSource("Turn",
                            "A turn of a transfer that this node sent has ended.",
                            MakeTraceSourceAccessor(&StepApplication::m_turnTrace),
                            "ns3::dml::StepApplication::ChunkCallback")
            .AddTraceSource(
                "Chunk",
                "A compute op, the parsing of a transfer, a collective or the adding up in "
                "one has ended.",
                MakeTraceSourceAccessor(&StepApplication::m_chunkTrace),
                "ns3::dml::StepApplication::ChunkCallback")
            .AddTraceSource("Sent",
                            "The last byte of a transfer has been handed to TCP.",
                            MakeTraceSourceAccessor(&StepApplication::m_sentTrace),
                            "ns3::dml::StepApplication::TransferCallback")
            .AddTraceSource("Received",
                            "The last byte of a transfer has arrived.",
                            MakeTraceSourceAccessor(&StepApplication::m_receivedTrace),
                            "ns3::dml::StepApplication::TransferCallback");
    return tid;
}

StepApplication::StepApplication() = default;

StepApplication::~StepApplication() = default;

void
StepApplication::SetPlan(std::shared_ptr<const StepPlan> whole, uint32_t workers)
{
    m_whole = std::move(whole);
    m_workers = workers;
}

void
StepApplication::SetPeers(std::vector<PeerAddress> peers)
{
    m_peersKnown = true;
    m_addresses = std::move(peers);
    m_generations.assign(m_addresses.size(), 0);
    m_inUse.assign(m_addresses.size(), true);
    m_peersOf.clear();
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        const auto& [role, index] = m_addresses[peer].endpoint;
        auto& peersOf = m_peersOf[role];
        peersOf.resize(std::max<std::size_t>(peersOf.size(), index + 1), NO_INDEX);
        peersOf[index] = peer;
    }
}

void
StepApplication::UsePeers(const std::vector<Endpoint>& endpoints)
{
    m_inUse.assign(m_addresses.size(), false);
    for (const auto& endpoint : endpoints)
    {
        m_inUse[FindPeer(endpoint)] = true;
    }
}

uint32_t
StepApplication::FindPeer(const Endpoint& endpoint) const
{
    const auto found = m_peersOf.find(endpoint.role);
    return found != m_peersOf.end() && endpoint.index < found->second.size()
               ? found->second[endpoint.index]
               : NO_INDEX;
}

Peer
StepApplication::GetSite() const
{
    const Endpoint self = GetEndpoint();
    return self.role == Role::SERVER ? Peer::Server(self.index) : SELF;
}

std::string
StepApplication::GetDeviceName(const Endpoint& endpoint)
{
    return DeviceName(endpoint.role == Role::SERVER   ? "ps"
                      : endpoint.role == Role::WORKER ? "worker"
                                                      : "aggregator",
                      endpoint.index);
}

std::string
StepApplication::GetPeerDeviceName(uint32_t peer) const
{
    return GetDeviceName(m_addresses[peer].endpoint);
}

std::vector<std::string>
StepApplication::GetBlockedOps() const
{
    return {};
}

double
StepApplication::GetNow() const
{
    return (ModelClock::Now() - m_timeOrigin).GetSeconds();
}

int64_t
StepApplication::GetInstant() const
{
    return ModelClock::Now().GetTimeStep();
}

uint32_t
StepApplication::GetPeersInUse() const
{
    return std::count(m_inUse.begin(), m_inUse.end(), true);
}

void
StepApplication::Fail(const std::string& text)
{
    FailRun(GetDeviceName(GetEndpoint()) + ": " + text);
}

void
StepApplication::FailRun(const std::string& text)
{
    NS_LOG_ERROR(text);
    if (m_error.empty())
    {
        m_error = text;
    }
    if (!m_failed)
    {
        Simulator::Stop();
        return;
    }
    ModelClock::Schedule(Time(0), [this] { GoSilent(); }); // a connection may be at work
    m_failed();
}

void
StepApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_open = false;
    m_patienceEnd.Cancel();
    m_peers.clear();
    m_sockets.clear();
    if (m_listening)
    {
        m_listening->Close();
        m_listening = nullptr;
    }
    m_whole = nullptr;
    Application::DoDispose();
}

void
StepApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    if (!m_peersKnown)
    {
        Fail("starts before its peers are known: not all endpoints of its job are installed");
        return;
    }
    if (!m_turnTrace.IsEmpty() || !m_chunkTrace.IsEmpty() || !m_sentTrace.IsEmpty() ||
        !m_receivedTrace.IsEmpty())
    {
        m_traces = std::make_unique<RecordTraces>(*this, m_recorder);
        m_recorder.observer = m_traces.get();
    }
    PreparePlan();
    MakeExecutors();
    Open();
}

Transport*
StepApplication::FindTransport(uint32_t peer) const
{
    const bool talks = peer < m_peers.size() && m_peers[peer];
    return talks ? PeekPointer(m_peers[peer]->transport) : nullptr;
}

uint64_t
StepApplication::GetStreamWindow(uint32_t peer) const
{
    const Transport* transport = FindTransport(peer);
    return transport ? transport->GetStreamWindow() : 0;
}

void
StepApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_open)
    {
        CloseAll();
    }
}

void
StepApplication::GoSilent()
{
    m_open = false;
    m_peers.clear();
    m_sockets.clear();
}

} // namespace ns3::dml
