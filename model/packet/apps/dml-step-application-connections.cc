/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-step-application.h"

#include "ns3/boolean.h"
#include "ns3/dml-model-clock.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <iterator>

namespace ns3::dml
{

NS_LOG_COMPONENT_DEFINE("DmlStepApplicationConnections");

namespace
{

/// After which a peer that did not listen is tried again: as gRPC's first backoff.
const Time RETRY = Seconds(1);

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

/// One peer of the application: brings together the conversation with it and the executor that
/// works with it.
class StepApplication::PeerConversation : public StepApplication::Conversation
{
  public:
    /// @param application whose peer it is @param index of the peer
    PeerConversation(StepApplication& application, uint32_t index)
        : m_application(application),
          m_index(index)
    {
        transport = application.m_transport.Create<Transport>();
        TransportEnds ends;
        ends.self = GetDeviceName(application.GetEndpoint());
        ends.peer = application.GetPeerDeviceName(index);
        ends.address = application.m_addresses[index].address;
        ends.ops = application.m_plan->CountTransferNumbers();
        // of the network, whose round trips it measures
        ends.clock = [&application] {
            return application.GetNow() - ModelClock::GetSkipped().GetSeconds();
        };
        if (!application.m_peerWindows.empty())
        {
            ends.windows = application.m_peerWindows[index];
        }
        transport->Begin(ends, *this);
    }

    ~PeerConversation() override
    {
        transport = nullptr; // while it can still tell this
    }

  private:
    OpIndex FindTransfer(const std::string& name, int64_t step) override
    {
        const auto listed = m_application.m_opByName.find(name);
        const OpIndex transfer = listed == m_application.m_opByName.end()
                                     ? m_application.m_plan->FindSent(name)
                                     : listed->second;
        const bool found = transfer != NO_INDEX &&
                           m_application.GetExecutorOf(m_index).CanBeRequested(transfer, step);
        return found ? transfer : NO_INDEX;
    }

    void TransferRequested(OpIndex transfer) override
    {
        m_application.GetExecutorOf(m_index).TransferRequested(transfer);
    }

    OpIndex TurnServed() override
    {
        const uint32_t channel = m_application.m_sendChannels[m_index];
        StepExecutor& executor = m_application.GetExecutorOf(m_index);
        const OpIndex op = executor.GetOpenTransfer(channel);
        return executor.TurnEnded(channel, false) && executor.WantsAcknowledgements(channel)
                   ? op
                   : NO_INDEX;
    }

    void TransferAcknowledged(OpIndex transfer) override
    {
        m_application.GetExecutorOf(m_index).TransferAcknowledged(transfer);
    }

    void WindowOpened() override
    {
        const uint32_t channel = m_application.m_sendChannels[m_index];
        if (channel != NO_INDEX) // else it is sent answers of graphs only
        {
            m_application.GetExecutorOf(m_index).TryNextTurn(channel);
        }
    }

    void TransferArrived(OpIndex transfer) override
    {
        m_application.GetExecutorOf(m_index).TransferArrived(transfer);
    }

    void GraphRequested(int32_t call, const RunGraphRequest& request) override
    {
        m_application.HandleRunGraph(m_index, call, request);
    }

    void GraphDone(uint32_t step, const std::string& graph, const NamedValues& values) override
    {
        m_application.HandleRunGraphDone(m_index, step, graph, values);
    }

    void Failed(const std::string& text) override
    {
        m_application.Fail(text);
    }

    StepApplication& m_application; //!< application with the peer
    uint32_t m_index;               //!< index of the peer
};

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
        m_lostPeer = LostPeer{peer, trouble, GetNow(), ModelClock::Now().GetSeconds()};
    }
    const double now = GetNow();
    Fail(GetPeerDeviceName(peer) + " " + TEXTS.at(trouble) +
         (now < 0 ? " before the first step" : " at " + std::to_string(now) + " s"));
}

void
StepApplication::Open()
{
    m_open = true;
    m_started = ModelClock::Now();
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        m_peers.push_back(m_inUse[peer] ? std::make_unique<PeerConversation>(*this, peer)
                                        : nullptr);
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
            m_missing.insert(peer);
        }
    }
    if (m_patience.IsStrictlyPositive() && !m_missing.empty())
    {
        m_patienceEnd = ModelClock::Schedule(m_patience, [this] { LosePatience(); });
    }
}

void
StepApplication::Connect(uint32_t peer)
{
    Transport& transport = *m_peers[peer]->transport;
    for (uint32_t i = 0; i < transport.GetSockets(); ++i)
    {
        const Ptr<Socket> socket = MakeSocket();
        // the port of a connection that was lost may still be in use
        const uint16_t port = m_addresses[peer].ports.Get(m_opened[peer]++);
        port == 0 ? socket->Bind() : socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        if (m_addresses[peer].device)
        {
            socket->BindToNetDevice(m_addresses[peer].device);
        }
        socket->SetConnectCallback(MakeCallback(&StepApplication::HandleConnectionSucceeded, this),
                                   MakeCallback(&StepApplication::HandleConnectionFailed, this));
        WatchClose(socket);
        m_sockets[socket] = {peer, false};
        NS_LOG_INFO(GetDeviceName(GetEndpoint()) << " connects to " << GetPeerDeviceName(peer));
        m_connection(socket, peer);
        transport.Ask(socket);
        m_called[peer] = ModelClock::Now();
        if (socket->Connect(m_addresses[peer].address) != 0)
        {
            // no route; the conversation is still to be set up
            ModelClock::Schedule(Time(0), [this, socket] { HandleNoRoute(socket); });
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
    m_missing.clear();
    m_patienceEnd.Cancel();
    m_open = false;
    ++m_life;
    if (m_listening)
    {
        m_listening->Close();
        m_listening = nullptr;
    }
}

void
StepApplication::DropPeer(uint32_t peer)
{
    ++m_generations[peer];
    for (auto it = m_sockets.begin(); it != m_sockets.end();)
    {
        it = it->second.peer == peer ? m_sockets.erase(it) : std::next(it);
    }
    if (m_peers[peer])
    {
        m_peers[peer]->transport->Close();
        m_peers[peer].reset();
    }
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
    const uint16_t port = InetSocketAddress::ConvertFrom(address).GetPort();
    for (uint32_t peer = 0; peer < m_addresses.size(); ++peer)
    {
        const PeerAddress& its = m_addresses[peer];
        const bool isHost =
            its.address.GetIpv4() == ip ||
            std::find(its.sources.begin(), its.sources.end(), ip) != its.sources.end();
        if (isHost && its.itsPorts.MayHave(port))
        {
            return peer;
        }
    }
    return NO_INDEX;
}

bool
StepApplication::HasAccepted(const Socket& socket) const
{
    Address name;
    return socket.GetSockName(name) == 0 && InetSocketAddress::IsMatchingType(name) &&
           InetSocketAddress::ConvertFrom(name).GetPort() == m_port;
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
    const bool answering = m_peers[peer] && m_peers[peer]->transport->IsAnswering();
    if (answering && CanReopen(peer))
    {
        ForgetAccepted(peer);
    }
    else if (answering)
    {
        HandlePeerLost(peer); // a new process of the peer; the old one's end has not been heard yet
        if (IsStopped())
        {
            socket->Close(); // that ended this process, too
            return;
        }
    }
    CopyFriendliness(m_listening, socket);
    WatchClose(socket);
    NS_LOG_INFO(GetDeviceName(GetEndpoint()) << " accepts " << GetPeerDeviceName(peer));
    m_sockets[socket] = {peer, true};
    m_connection(socket, peer);
    if (IsOverdue(peer))
    {
        DropPeer(peer); // it did not listen when this node called it
        m_sockets[socket] = {peer, true};
    }
    const bool back = !m_peers[peer];
    if (back)
    {
        m_peers[peer] = std::make_unique<PeerConversation>(*this, peer);
    }
    m_peers[peer]->transport->Answer(socket);
    if (back)
    {
        Connect(peer);
        HandlePeerBack(peer);
    }
}

void
StepApplication::WatchClose(Ptr<Socket> socket)
{
    socket->SetCloseCallbacks(MakeCallback(&StepApplication::HandleConnectionClosed, this),
                              MakeCallback(&StepApplication::HandleConnectionLost, this));
}

void
StepApplication::ForgetAccepted(uint32_t peer)
{
    for (auto it = m_sockets.begin(); it != m_sockets.end();)
    {
        const bool forgotten = it->second.peer == peer && it->second.accepted;
        it = forgotten ? m_sockets.erase(it) : std::next(it);
    }
    m_peers[peer]->transport->StopAnswering();
}

void
StepApplication::HandleConnectionClosed(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (known != m_sockets.end() && known->second.accepted && CanReopen(known->second.peer))
    {
        m_sockets.erase(known); // the connection of this end tells whether the peer is gone
        return;
    }
    if (known != m_sockets.end() && !known->second.accepted && WaitsFor(known->second.peer))
    {
        HandleConnectionFailed(socket); // some releases of ns-3 close what is refused
        return;
    }
    ReportLater(socket, &StepApplication::HandlePeerLeft);
}

void
StepApplication::HandleConnectionLost(Ptr<Socket> socket)
{
    ReportLater(socket, &StepApplication::HandlePeerLost);
}

void
StepApplication::ReportLater(Ptr<Socket> socket, void (StepApplication::*report)(uint32_t))
{
    const auto known = m_sockets.find(socket);
    if (IsStopped() || known == m_sockets.end())
    {
        return;
    }
    // the connection may be at work now
    const uint32_t peer = known->second.peer;
    ModelClock::Schedule(Time(0), [this, peer, report, generation = m_generations[peer]] {
        if (!IsStopped() && generation == m_generations[peer])
        {
            m_missing.erase(peer);
            (this->*report)(peer);
        }
    });
}

void
StepApplication::HandlePeerLost(uint32_t peer)
{
    const bool connected = m_peers[peer] && m_peers[peer]->transport->IsConnected();
    FailPeer(peer, connected ? PeerTrouble::LOST : PeerTrouble::UNREACHED);
}

void
StepApplication::HandleConnectionSucceeded(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (known != m_sockets.end())
    {
        const uint32_t peer = known->second.peer;
        Transport& transport = *m_peers[peer]->transport;
        transport.SetConnected(socket);
        if (transport.IsConnected())
        {
            m_missing.erase(peer);
            if (m_missing.empty())
            {
                m_patienceEnd.Cancel();
            }
            HandleConnected(peer);
        }
    }
}

bool
StepApplication::WaitsFor(uint32_t peer) const
{
    return !IsStopped() && m_peers[peer] && !m_peers[peer]->transport->IsAnswering() &&
           !m_peers[peer]->transport->IsConnected() && ModelClock::Now() - m_started < m_patience;
}

bool
StepApplication::IsOverdue(uint32_t peer) const
{
    const auto called = m_called.find(peer);
    return m_peers[peer] && WaitsFor(peer) && called != m_called.end() &&
           ModelClock::Now() - called->second >= RETRY;
}

void
StepApplication::LosePatience()
{
    for (uint32_t peer = 0; peer < m_peers.size() && !IsStopped(); ++peer)
    {
        if (m_inUse[peer] && m_missing.count(peer) > 0)
        {
            FailPeer(peer, PeerTrouble::UNREACHED);
            return;
        }
    }
}

void
StepApplication::TryAgain(uint32_t peer, uint64_t life)
{
    if (life == m_life && !IsStopped() && !m_peers[peer]) // else it has come
    {
        m_peers[peer] = std::make_unique<PeerConversation>(*this, peer);
        Connect(peer);
    }
}

void
StepApplication::HandleConnectionFailed(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (known != m_sockets.end() && WaitsFor(known->second.peer))
    {
        const uint32_t peer = known->second.peer;
        ModelClock::Schedule(Time(0), [this, peer, generation = m_generations[peer]] {
            if (generation == m_generations[peer] && WaitsFor(peer))
            {
                DropPeer(peer);
            }
        });
        ModelClock::Schedule(RETRY, [this, peer, life = m_life] { TryAgain(peer, life); });
        return;
    }
    HandleNoRoute(socket);
}

void
StepApplication::HandleNoRoute(Ptr<Socket> socket)
{
    const auto known = m_sockets.find(socket);
    if (known != m_sockets.end() && !CanLosePeers())
    {
        FailPeer(known->second.peer, PeerTrouble::UNREACHED);
    }
    HandleConnectionLost(socket);
}

} // namespace ns3::dml
