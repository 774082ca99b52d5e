/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-application.h"

#include "dml-step-peer.h"

#include "ns3/boolean.h"
#include "ns3/dml-grpc-transport.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-instant.h"
#include "ns3/dml-model-clock.h"
#include "ns3/dml-plan-policies.h"
#include "ns3/dml-rendezvous-key.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ns3
{
namespace dml
{

NS_LOG_COMPONENT_DEFINE("DmlStepApplication");
NS_OBJECT_ENSURE_REGISTERED(StepApplication);

namespace
{

template <typename T>
ObjectFactory
MakeFactory()
{
    ObjectFactory factory;
    factory.SetTypeId(T::GetTypeId());
    return factory;
}

/// Give an accepted socket the TcpFriendliness of CUBIC that the listening one has: ns-3.41 to 3.48
/// do not copy it, and what is in memory decides about the window.
void
CopyFriendliness(const Ptr<Socket>& listening, const Ptr<Socket>& accepted)
{
    PointerValue from;
    PointerValue to;
    BooleanValue friendly;
    if (listening->GetAttributeFailSafe("CongestionOps", from) && from.GetObject() &&
        from.GetObject()->GetAttributeFailSafe("TcpFriendliness", friendly) &&
        accepted->GetAttributeFailSafe("CongestionOps", to) && to.GetObject())
    {
        to.GetObject()->SetAttribute("TcpFriendliness", friendly);
    }
}

} // namespace

/// One per executor: a transfer's window is what the peer that wants it lets this node send.
class StepApplication::SessionWindows : public WindowView
{
  public:
    SessionWindows(const StepApplication& application, uint32_t executor)
        : m_application(application),
          m_executor(executor)
    {
    }

    uint64_t GetWindow(OpIndex transfer, [[maybe_unused]] uint32_t turns) const override
    {
        const uint32_t peer = m_application.GetPeerOf(m_executor, transfer);
        return m_application.m_peers[peer]->GetTransport().GetWindow(transfer);
    }

  private:
    const StepApplication& m_application; //!< whose executor
    uint32_t m_executor;                  //!< which one
};

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
    const StepApplication& m_application; //!< whose trace sources
    JobRecorder m_recorder;               //!< told as well; may be nobody
};

TypeId
StepApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::StepApplication")
            .SetParent<Application>()
            .SetGroupName("Dml")
            .AddAttribute("Policy",
                          "Makes the TransferPolicy that orders what this node sends to a peer.",
                          ObjectFactoryValue(MakeFactory<Http2WindowPolicy>()),
                          MakeObjectFactoryAccessor(&StepApplication::m_policy),
                          MakeObjectFactoryChecker())
            .AddAttribute("SocketFactory",
                          "Makes the sockets: a factory that the node has.",
                          TypeIdValue(TcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&StepApplication::m_socketFactory),
                          MakeTypeIdChecker())
            .AddAttribute("Transport",
                          "Makes the Transport of the conversation with a peer.",
                          ObjectFactoryValue(MakeFactory<GrpcTransport>()),
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
    m_serverPeers.clear();
    m_workerPeers.clear();
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        const auto& [role, index] = m_addresses[peer].endpoint;
        auto& peersOf = role == Role::SERVER ? m_serverPeers : m_workerPeers;
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

const Endpoint&
StepApplication::GetPeerEndpoint(uint32_t peer) const
{
    return m_addresses[peer].endpoint;
}

uint32_t
StepApplication::FindPeer(const Endpoint& endpoint) const
{
    const auto& peers = endpoint.role == Role::SERVER ? m_serverPeers : m_workerPeers;
    return endpoint.index < peers.size() ? peers[endpoint.index] : NO_INDEX;
}

dml::Peer
StepApplication::GetSite() const
{
    const Endpoint self = GetEndpoint();
    return self.role == Role::SERVER ? dml::Peer::Server(self.index) : SELF;
}

std::string
StepApplication::GetDeviceName(const Endpoint& endpoint)
{
    return DeviceName(endpoint.role == Role::SERVER ? "ps" : "worker", endpoint.index);
}

std::string
StepApplication::GetPeerDeviceName(uint32_t peer) const
{
    return GetDeviceName(m_addresses[peer].endpoint);
}

uint32_t
StepApplication::GetPeerOf(uint32_t executor, OpIndex op) const
{
    const StepExecutor& runner = GetExecutor(executor);
    const PlannedResource& channel = m_plan->resources[runner.GetTransfer(op).resource];
    const dml::Peer& other = channel.at == m_site ? channel.to : channel.at;
    return FindPeer(other.Resolve(runner.GetWorker(), m_workers));
}

void
StepApplication::FindSendChannels()
{
    m_sendChannels.assign(GetPeers(), NO_INDEX);
    for (uint32_t i = 0; i < m_plan->resources.size(); ++i)
    {
        const PlannedResource& channel = m_plan->resources[i];
        if (channel.kind != ResourceKind::CHANNEL || channel.at != m_site)
        {
            continue;
        }
        if (m_site == SELF)
        {
            const uint32_t peer = FindPeer(channel.to.Resolve(GetEndpoint().index, m_workers));
            if (peer != NO_INDEX)
            {
                m_sendChannels[peer] = i;
            }
        }
        else
        {
            m_sendChannels.assign(GetPeers(), i); // to each worker in its executor
        }
    }
}

uint32_t
StepApplication::GetSendChannel(uint32_t peer) const
{
    return m_sendChannels[peer];
}

uint32_t
StepApplication::GetServers() const
{
    return m_serverPeers.size();
}

void
StepApplication::SetPeerWindows(std::vector<std::vector<uint64_t>> windows)
{
    m_peerWindows = std::move(windows);
}

void
StepApplication::SetDeviceSpeed(std::shared_ptr<const DeviceSpeed> speed)
{
    m_speed = std::move(speed);
}

void
StepApplication::SetDeviceSlots(uint32_t slots)
{
    m_slots = slots;
}

void
StepApplication::SetRecorder(JobRecorder recorder)
{
    m_recorder = recorder;
}

void
StepApplication::SetFailureHandler(std::function<void()> failed)
{
    m_failed = std::move(failed);
}

const std::string&
StepApplication::GetError() const
{
    return m_error;
}

const std::optional<LostPeer>&
StepApplication::GetLostPeer() const
{
    return m_lostPeer;
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

const ObjectFactory&
StepApplication::GetPolicy() const
{
    return m_policy;
}

const StepPlan&
StepApplication::GetPlan() const
{
    return *m_plan;
}

bool
StepApplication::IsStopped() const
{
    return !m_open;
}

uint32_t
StepApplication::GetPeers() const
{
    return m_addresses.size();
}

uint32_t
StepApplication::GetWorkers() const
{
    return m_workers;
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
    ModelClock::Schedule(Time(0), [this] { StopApplication(); }); // a connection may be at work
    m_failed();
}

void
StepApplication::FailPeer(uint32_t peer, PeerTrouble trouble)
{
    static const std::map<PeerTrouble, std::string> TEXTS{
        {PeerTrouble::UNREACHED, "cannot be reached"},
        {PeerTrouble::LATE, "was connected only after the first step should have started"},
        {PeerTrouble::LOST, "has lost its connection"},
    };
    if (m_error.empty())
    {
        m_lostPeer = LostPeer{peer, trouble, GetNow()};
    }
    Fail(GetPeerDeviceName(peer) + " " + TEXTS.at(trouble) + " at " + std::to_string(GetNow()) +
         " s");
}

void
StepApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_open = false;
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

void
StepApplication::PreparePlan()
{
    m_site = GetSite();
    StepPlan plan = RestrictStepPlan(*m_whole, m_site);
    m_opByName.clear();
    const auto transport = m_transport.Create<Transport>();
    m_messageSize = [transport](uint64_t bytes) { return transport->GetMessageSize(bytes); };
    for (OpIndex op = 0; op < plan.ops.size(); ++op)
    {
        PlannedOp& planned = plan.ops[op];
        if (planned.dispatch == Dispatch::SEND || planned.dispatch == Dispatch::RECEIVE)
        {
            // what flow control counts is the message, not the tensor
            planned.bytes = transport->GetMessageSize(planned.bytes);
            m_opByName[plan.names[op]] = op;
        }
    }
    m_plans.push_back(std::make_unique<const StepPlan>(std::move(plan)));
    m_plan = m_plans.back().get();
    FindSendChannels();
}

void
StepApplication::Open()
{
    m_open = true;
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        m_peers.push_back(m_inUse[peer] ? std::make_unique<Peer>(*this, peer) : nullptr);
    }
    m_listening = MakeSocket();
    if (m_listening->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port)) != 0)
    {
        Fail("cannot listen on port " + std::to_string(m_port) + ": it is taken");
        return;
    }
    m_listening->Listen();
    m_listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                   MakeBoundCallback(&StepApplication::AcceptInLife, this, m_life));
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        if (m_inUse[peer])
        {
            Connect(peer);
        }
    }
}

void
StepApplication::Connect(uint32_t peer)
{
    Transport& transport = m_peers[peer]->GetTransport();
    for (uint32_t i = 0; i < transport.GetSockets(); ++i)
    {
        const Ptr<Socket> socket = MakeSocket();
        socket->Bind();
        socket->SetConnectCallback(MakeCallback(&StepApplication::HandleConnectionSucceeded, this),
                                   MakeCallback(&StepApplication::HandleConnectionFailed, this));
        WatchClose(socket);
        m_sockets[socket] = peer;
        NS_LOG_INFO(GetDeviceName(GetEndpoint()) << " connects to " << GetPeerDeviceName(peer));
        m_connection(socket, peer);
        transport.Ask(socket);
        if (socket->Connect(m_addresses[peer].address) != 0)
        {
            // no route; the conversation is still to be set up
            ModelClock::Schedule(Time(0), [this, socket] { HandleConnectionFailed(socket); });
        }
    }
}

void
StepApplication::CloseAll()
{
    for (uint32_t peer = 0; peer < m_peers.size(); ++peer)
    {
        DropPeer(peer);
    }
    m_peers.clear();
    m_open = false;
    ++m_life;
    m_listening->Close();
    m_listening = nullptr;
}

void
StepApplication::DropPeer(uint32_t peer)
{
    ++m_generations[peer];
    for (auto it = m_sockets.begin(); it != m_sockets.end();)
    {
        it = it->second == peer ? m_sockets.erase(it) : std::next(it);
    }
    if (m_peers[peer])
    {
        m_peers[peer]->GetTransport().Close();
        m_peers[peer].reset();
    }
}

Transport*
StepApplication::FindTransport(uint32_t peer) const
{
    const bool talks = peer < m_peers.size() && m_peers[peer];
    return talks ? &m_peers[peer]->GetTransport() : nullptr;
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
    m_open = false;
    m_peers.clear();
    m_sockets.clear();
}

Ptr<Socket>
StepApplication::MakeSocket()
{
    return Socket::CreateSocket(GetNode(), m_socketFactory);
}

uint32_t
StepApplication::FindPeer(Ptr<Socket> socket) const
{
    Address address;
    socket->GetPeerName(address);
    const Ipv4Address ip = InetSocketAddress::ConvertFrom(address).GetIpv4();
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        const auto& [endpoint, listening, sources] = m_addresses[peer];
        if (listening.GetIpv4() == ip ||
            std::find(sources.begin(), sources.end(), ip) != sources.end())
        {
            return peer;
        }
    }
    return NO_INDEX;
}

void
StepApplication::AcceptInLife(StepApplication* application,
                              uint64_t life,
                              Ptr<Socket> socket,
                              [[maybe_unused]] const Address& from)
{
    if (life == application->m_life)
    {
        application->HandleAccept(socket);
    }
    else
    {
        socket->Close(); // was half open when the process died
    }
}

void
StepApplication::HandleAccept(Ptr<Socket> socket)
{
    const uint32_t peer = FindPeer(socket);
    if (peer == NO_INDEX || IsStopped() || !m_inUse[peer])
    {
        NS_LOG_WARN(GetDeviceName(GetEndpoint())
                    << " refuses a connection: not of its job, or too late");
        socket->Close(); // not of this job, or too late
        return;
    }
    if (m_peers[peer] && m_peers[peer]->GetTransport().IsAnswering())
    {
        HandlePeerLost(peer); // a new process of the peer; the old one's end has not been heard yet
    }
    CopyFriendliness(m_listening, socket);
    WatchClose(socket);
    NS_LOG_INFO(GetDeviceName(GetEndpoint()) << " accepts " << GetPeerDeviceName(peer));
    m_sockets[socket] = peer;
    m_connection(socket, peer);
    const bool back = !m_peers[peer];
    if (back)
    {
        m_peers[peer] = std::make_unique<Peer>(*this, peer);
    }
    m_peers[peer]->GetTransport().Answer(socket);
    if (back)
    {
        Connect(peer);
        HandlePeerBack(peer);
    }
}

void
StepApplication::WatchClose(Ptr<Socket> socket)
{
    socket->SetCloseCallbacks(MakeCallback(&StepApplication::HandleConnectionLost, this),
                              MakeCallback(&StepApplication::HandleConnectionLost, this));
}

void
StepApplication::HandleConnectionLost(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (!IsStopped() && known != m_sockets.end())
    {
        // the connection may be at work now
        const uint32_t peer = known->second;
        ModelClock::Schedule(Time(0), [this, peer, generation = m_generations[peer]] {
            ReportLost(peer, generation);
        });
    }
}

void
StepApplication::ReportLost(uint32_t peer, uint64_t generation)
{
    if (!IsStopped() && generation == m_generations[peer])
    {
        HandlePeerLost(peer);
    }
}

void
StepApplication::HandlePeerLost(uint32_t peer)
{
    const bool connected = m_peers[peer] && m_peers[peer]->GetTransport().IsConnected();
    FailPeer(peer, connected ? PeerTrouble::LOST : PeerTrouble::UNREACHED);
}

bool
StepApplication::CanLosePeers() const
{
    return false;
}

bool
StepApplication::WillCrash() const
{
    return false;
}

void
StepApplication::HandlePeerBack([[maybe_unused]] uint32_t peer)
{
}

void
StepApplication::HandleConnectionSucceeded(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (known != m_sockets.end())
    {
        Transport& transport = m_peers[known->second]->GetTransport();
        transport.SetConnected(socket);
        if (transport.IsConnected())
        {
            HandleConnected(known->second);
        }
    }
}

void
StepApplication::HandleConnectionFailed(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (known != m_sockets.end() && !CanLosePeers())
    {
        FailPeer(known->second, PeerTrouble::UNREACHED);
    }
    HandleConnectionLost(socket);
}

void
StepApplication::HandleConnected([[maybe_unused]] uint32_t peer)
{
}

void
StepApplication::HandleRunGraph([[maybe_unused]] uint32_t peer,
                                [[maybe_unused]] int32_t stream,
                                [[maybe_unused]] const RunGraphRequest& request)
{
    Fail("asked to run a graph, which only a parameter server does");
}

void
StepApplication::HandleRunGraphDone([[maybe_unused]] uint32_t peer,
                                    [[maybe_unused]] uint32_t step,
                                    [[maybe_unused]] const std::string& graph,
                                    [[maybe_unused]] const NamedValues& values)
{
}

std::vector<DeviceQueue*>
StepApplication::MakeDevices(uint32_t serverCores)
{
    std::vector<DeviceQueue*> devices;
    for (const auto& resource : m_plan->resources)
    {
        devices.push_back(nullptr);
        if (resource.kind != ResourceKind::CHANNEL && resource.at == m_site)
        {
            const uint32_t slots = resource.kind != ResourceKind::DEVICE ? 0
                                   : m_site == SELF                      ? m_slots
                                                                         : serverCores;
            m_deviceQueues.push_back(
                std::make_unique<DeviceQueue>(slots > 0 ? slots : resource.slots, m_speed.get()));
            devices.back() = m_deviceQueues.back().get();
        }
    }
    return devices;
}

std::unique_ptr<StepExecutor>
StepApplication::MakeExecutor(uint32_t number, uint32_t worker, std::vector<DeviceQueue*> devices)
{
    m_windowViews.push_back(std::make_unique<SessionWindows>(*this, number));
    return std::make_unique<StepExecutor>(number,
                                          worker,
                                          m_workers,
                                          *m_plan,
                                          std::move(devices),
                                          MakePlanPolicies(*m_plan, m_policy),
                                          *m_windowViews.back(),
                                          static_cast<StepHost&>(*this),
                                          m_recorder);
}

void
StepApplication::StartTask(DeviceQueue& queue, const ComputeTask& task)
{
    const double now = GetNow();
    const double seconds = queue.GetDuration(now, task);
    if (now + seconds < LAST_INSTANT_SECONDS)
    {
        ModelClock::Schedule(Seconds(seconds), [this, task, now] { TaskDone(task, now); });
    }
    else if (!WillCrash()) // which would end the op
    {
        Fail(GetExecutor(task.owner).DescribeEndlessOp(task, now));
    }
}

void
StepApplication::TaskDone(ComputeTask task, double start)
{
    if (!IsStopped())
    {
        GetExecutor(task.owner).TaskEnded(task, start);
    }
}

void
StepApplication::StartTurn(StepExecutor& executor,
                           [[maybe_unused]] uint32_t resource,
                           const Turn& turn)
{
    const uint32_t peer = GetPeerOf(executor.GetNumber(), turn.transfer);
    NS_LOG_LOGIC(GetDeviceName(GetEndpoint())
                 << " sends " << turn.bytes << " bytes of " << m_plan->names[turn.transfer]
                 << " to " << GetPeerDeviceName(peer));
    const uint64_t bytes = m_plan->IsMove(turn.transfer) ? executor.GetTransfer(turn.transfer).bytes
                                                         : m_whole->ops[turn.transfer].bytes;
    m_peers[peer]->GetTransport().StartTurn(turn, bytes);
}

void
StepApplication::WakeUp(StepExecutor& executor, uint32_t resource, double delay)
{
    ModelClock::Schedule(
        Seconds(std::min(delay, LAST_INSTANT_SECONDS)),
        [this, number = executor.GetNumber(), resource] { WakeNow(number, resource); });
}

void
StepApplication::WakeNow(uint32_t executor, uint32_t resource)
{
    if (!IsStopped())
    {
        GetExecutor(executor).TryNextTurn(resource);
    }
}

void
StepApplication::RequestTransfer(StepExecutor& executor, OpIndex op)
{
    const uint32_t peer = GetPeerOf(executor.GetNumber(), op);
    m_peers[peer]->GetTransport().RequestTensor(op,
                                                GetNameAtSender(executor, op),
                                                executor.GetStepOf(op));
}

std::string
StepApplication::GetNameAtSender(const StepExecutor& executor, OpIndex op) const
{
    return m_plan->IsMove(op) ? m_plan->GetTransferName(op, executor.GetWorker())
                              : m_plan->names[m_plan->ops[op].counterpart];
}

void
StepApplication::SetCollectiveService(std::shared_ptr<CollectiveService> service)
{
    m_collectives = std::move(service);
}

bool
StepApplication::RunCollective(StepExecutor& executor, uint32_t collective)
{
    if (!m_collectives)
    {
        return false;
    }
    m_collectives->AllReduce(executor.GetBufferBytes(collective),
                             [this, number = executor.GetNumber(), collective] {
                                 if (!IsStopped())
                                 {
                                     GetExecutor(number).CollectiveEnded(collective);
                                 }
                             });
    return true;
}

uint64_t
StepApplication::GetMessageSize(uint64_t bytes) const
{
    return m_messageSize(bytes);
}

void
StepApplication::SendRunGraph(uint32_t peer,
                              uint32_t step,
                              const std::string& graph,
                              const NamedValues& values)
{
    m_peers[peer]->GetTransport().RequestRunGraph({step, graph, values});
}

void
StepApplication::AnnounceWindow(uint32_t peer, uint32_t step)
{
    m_peers[peer]->GetTransport().AnnounceWindow(step);
}

void
StepApplication::AnswerRunGraph(uint32_t peer, int32_t stream, const NamedValues& values)
{
    m_peers[peer]->GetTransport().AnswerRunGraph(stream, values);
}

} // namespace dml
} // namespace ns3
