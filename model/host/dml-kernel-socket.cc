/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-kernel-socket.h"

#include "dml-wall-clock-simulator.h"

#include "ns3/boolean.h"
#include "ns3/dml-error.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(KernelSocket);
NS_OBJECT_ENSURE_REGISTERED(KernelSocketFactory);

namespace
{

/// How often to look at what somebody else receives.
const Time LOOK = MilliSeconds(5);

/// What arrived before the end of a connection may take so long in other threads.
const Time LINGER = MilliSeconds(100);

} // namespace

TypeId
KernelSocket::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::KernelSocket")
            .SetParent<Socket>()
            .SetGroupName("Dml")
            .AddConstructor<KernelSocket>()
            .AddAttribute("SndBufSize",
                          "Bytes that wait in the process until the kernel takes them; those in "
                          "the kernel's buffer are not among them.",
                          UintegerValue(262144),
                          MakeUintegerAccessor(&KernelSocket::m_sendBuffer),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("SegmentSize",
                          "Bytes that are given to the kernel at once.",
                          UintegerValue(65536),
                          MakeUintegerAccessor(&KernelSocket::m_segment),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("NoDelay",
                          "Send small segments at once (TCP_NODELAY), as gRPC and Gloo do.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&KernelSocket::m_noDelay),
                          MakeBooleanChecker())
            .AddAttribute("CongestionControl",
                          "The kernel's name of it (TCP_CONGESTION); empty: the system's default.",
                          StringValue(""),
                          MakeStringAccessor(&KernelSocket::m_congestion),
                          MakeStringChecker())
            .AddAttribute("Address",
                          "Where to listen, and from where to connect; 0.0.0.0: everywhere, and "
                          "as the kernel finds right.",
                          Ipv4AddressValue(Ipv4Address::GetAny()),
                          MakeIpv4AddressAccessor(&KernelSocket::m_address),
                          MakeIpv4AddressChecker())
            .AddAttribute("ConnectTimeout",
                          "How long to try to connect.",
                          TimeValue(Seconds(10)),
                          MakeTimeAccessor(&KernelSocket::m_timeout),
                          MakeTimeChecker())
            .AddTraceSource("Rx",
                            "Bytes that were taken from the kernel, as of ns-3's TCP; without a "
                            "header, and without its socket.",
                            MakeTraceSourceAccessor(&KernelSocket::m_rx),
                            "ns3::TcpSocketBase::TcpTxRxTracedCallback");
    return tid;
}

KernelSocket::KernelSocket()
    : m_peer(Ipv4Address(), 0),
      m_own(Ipv4Address::GetAny(), 0)
{
}

KernelSocket::~KernelSocket()
{
    if (m_file >= 0)
    {
        close(m_file);
    }
}

void
KernelSocket::DoDispose()
{
    CloseFile();
    m_node = nullptr;
    Socket::DoDispose();
}

void
KernelSocket::Open(int file)
{
    m_file = file;
    m_connected = true;
    WatchOpen();
}

void
KernelSocket::WatchOpen()
{
    const uint32_t events = (m_ignored ? 0U : static_cast<uint32_t>(EPOLLIN)) |
                            (m_pending.empty() ? 0U : static_cast<uint32_t>(EPOLLOUT));
    WallClockSimulator::Get().Watch(
        m_file,
        events,
        [socket = Ptr<KernelSocket>(this)](uint32_t ready) { socket->HandleOpen(ready); });
}

void
KernelSocket::HandleOpen(uint32_t events)
{
    if ((events & EPOLLOUT) && Flush())
    {
        WatchOpen();
        m_closing ? CloseFile() : NotifySend(GetTxAvailable());
    }
    if (m_file < 0 || !(events & ~static_cast<uint32_t>(EPOLLOUT)))
    {
        return;
    }
    // what comes while it is read belongs to a later time
    int available = 0;
    m_readable = ioctl(m_file, FIONREAD, &available) == 0 ? available : 0;
    if (m_readable > 0 && !m_closing)
    {
        NotifyDataRecv();
        if (m_file >= 0 && static_cast<int>(m_readable) == available)
        {
            m_ignored = true; // or it would be told of it for ever
            WatchOpen();
        }
        return;
    }
    char byte = 0;
    const auto size = recv(m_file, &byte, 1, MSG_PEEK);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
    {
        // a reset is how the kernel closes a connection from which not all has been read
        Lose(size < 0 && errno != ECONNRESET);
    }
}

int
KernelSocket::HandOver()
{
    const int file = fcntl(m_file, F_DUPFD_CLOEXEC, 0);
    if (file < 0)
    {
        throw RunError(std::string("cannot copy a file: ") + std::strerror(errno));
    }
    WallClockSimulator::Get().Watch(
        m_file,
        EPOLLRDHUP,
        [socket = Ptr<KernelSocket>(this)](uint32_t) { socket->HandleHangUp(); });
    m_watch = Simulator::Schedule(LOOK, &KernelSocket::CountReceived, this);
    return file;
}

void
KernelSocket::HandleHangUp()
{
    WallClockSimulator::Get().Unwatch(m_file);
    m_watch.Cancel();
    m_watch = Simulator::Schedule(LINGER, &KernelSocket::Lose, this, false);
}

void
KernelSocket::CountReceived()
{
    const uint64_t received = GetState().received;
    if (received > m_reported)
    {
        m_rx(Create<Packet>(static_cast<uint32_t>(received - m_reported)), TcpHeader(), nullptr);
        m_reported = received;
    }
    m_watch = Simulator::Schedule(LOOK, &KernelSocket::CountReceived, this);
}

void
KernelSocket::Lose(bool error)
{
    CloseFile();
    error ? NotifyErrorClose() : NotifyNormalClose();
}

void
KernelSocket::CloseFile()
{
    m_connected = false;
    m_pending.clear();
    m_taken = 0;
    m_retry.Cancel();
    m_watch.Cancel();
    if (m_file >= 0)
    {
        const int file = m_file;
        m_file = -1;
        WallClockSimulator::Get().Unwatch(file); // which may be the last to know this
        close(file);
    }
}

int
KernelSocket::Close()
{
    m_closing = !m_pending.empty();
    if (!m_closing)
    {
        const Ptr<KernelSocket> self(this);
        CloseFile();
    }
    return 0;
}

int
KernelSocket::ShutdownSend()
{
    return shutdown(m_file, SHUT_WR);
}

int
KernelSocket::ShutdownRecv()
{
    return shutdown(m_file, SHUT_RD);
}

uint32_t
KernelSocket::GetTxAvailable() const
{
    return m_connected && m_pending.size() < m_sendBuffer ? m_sendBuffer - m_pending.size() : 0;
}

int
KernelSocket::Send(Ptr<Packet> packet, [[maybe_unused]] uint32_t flags)
{
    const uint32_t size = packet->GetSize();
    if (!m_connected || m_closing || size > GetTxAvailable())
    {
        return -1;
    }
    const bool waits = !m_pending.empty();
    const std::size_t end = m_pending.size();
    m_pending.resize(end + size);
    packet->CopyData(m_pending.data() + end, size);
    if (!waits && !Flush())
    {
        WatchOpen();
    }
    return size;
}

bool
KernelSocket::Flush()
{
    while (m_taken < m_pending.size())
    {
        const auto sent =
            send(m_file, m_pending.data() + m_taken, m_pending.size() - m_taken, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN)
        {
            m_pending.erase(m_pending.begin(), m_pending.begin() + m_taken);
            m_taken = 0;
            return false;
        }
        if (sent < 0 && errno != EINTR)
        {
            break; // what has happened is told when the file is read
        }
        m_taken += std::max<decltype(sent)>(0, sent);
    }
    m_pending.clear();
    m_taken = 0;
    return true;
}

uint32_t
KernelSocket::GetRxAvailable() const
{
    return m_file >= 0 ? m_readable : 0;
}

Ptr<Packet>
KernelSocket::Recv(uint32_t maxSize, [[maybe_unused]] uint32_t flags)
{
    m_received.resize(std::min(maxSize, GetRxAvailable()));
    const auto size = recv(m_file, m_received.data(), m_received.size(), 0);
    m_readable -= std::max<decltype(size)>(0, size);
    if (m_ignored)
    {
        m_ignored = false;
        WatchOpen();
    }
    const auto packet = Create<Packet>(m_received.data(), std::max<decltype(size)>(0, size));
    m_rx(packet, TcpHeader(), nullptr);
    return packet;
}

Ptr<Packet>
KernelSocket::RecvFrom(uint32_t maxSize, uint32_t flags, Address& from)
{
    GetPeerName(from);
    return Recv(maxSize, flags);
}

int
KernelSocket::SendTo(Ptr<Packet> packet, uint32_t flags, [[maybe_unused]] const Address& address)
{
    return Send(packet, flags); // as send(2) on a connection
}

TypeId
KernelSocketFactory::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::KernelSocketFactory")
                            .SetParent<TcpSocketFactory>()
                            .SetGroupName("Dml")
                            .AddConstructor<KernelSocketFactory>();
    return tid;
}

Ptr<Socket>
KernelSocketFactory::CreateSocket()
{
    const auto socket = CreateObject<KernelSocket>();
    socket->SetNode(GetObject<Node>());
    socket->SetAttribute("CongestionControl", StringValue(m_congestion));
    socket->SetAttribute("Address", Ipv4AddressValue(m_address));
    return socket;
}

} // namespace ns3::dml
