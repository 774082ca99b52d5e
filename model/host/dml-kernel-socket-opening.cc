/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// How a connection comes to be, the names of its ends, and its state.

#include "dml-kernel-socket.h"
#include "dml-wall-clock-simulator.h"

#include "ns3/dml-error.h"
#include "ns3/simulator.h"

#include <cerrno>
#include <cstring>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// How long nobody may listen before the next attempt to connect.
const Time RETRY = MilliSeconds(10);

/// Connections that may wait to be accepted.
constexpr int BACKLOG = 1024;

sockaddr_in
ToKernel(const InetSocketAddress& address)
{
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_port = htons(address.GetPort());
    result.sin_addr.s_addr = htonl(address.GetIpv4().Get());
    return result;
}

InetSocketAddress
FromKernel(const sockaddr_in& address)
{
    return {Ipv4Address(ntohl(address.sin_addr.s_addr)), ntohs(address.sin_port)};
}

/// @param call getsockname or getpeername @return 0, or -1 if there is no such name
template <typename Call>
int
ReadName(Call call, int file, Address& address)
{
    sockaddr_in name{};
    socklen_t size = sizeof(name);
    if (call(file, reinterpret_cast<sockaddr*>(&name), &size) != 0)
    {
        return -1;
    }
    address = FromKernel(name);
    return 0;
}

/// @return whether connecting may work a little later
bool
IsPassing(int error)
{
    return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH ||
           error == ETIMEDOUT || error == ECONNRESET;
}

} // namespace

void
KernelSocket::MakeFile()
{
    m_file = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (m_file < 0)
    {
        throw RunError(std::string("cannot make a socket: ") + std::strerror(errno));
    }
    const int on = 1;
    const int noDelay = m_noDelay ? 1 : 0;
    setsockopt(m_file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    setsockopt(m_file, IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof(noDelay));
    if (!m_congestion.empty() &&
        setsockopt(m_file, IPPROTO_TCP, TCP_CONGESTION, m_congestion.data(), m_congestion.size()))
    {
        throw RunError("cannot use the congestion control '" + m_congestion +
                       "': " + std::strerror(errno));
    }
}

int
KernelSocket::Bind(const Address& address)
{
    m_own = InetSocketAddress::ConvertFrom(address);
    if (m_own.GetIpv4() == Ipv4Address::GetAny())
    {
        m_own.SetIpv4(m_address);
    }
    MakeFile();
    BindFile();
    return 0;
}

void
KernelSocket::BindFile()
{
    const sockaddr_in name = ToKernel(m_own);
    if (bind(m_file, reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0)
    {
        throw RunError("cannot take port " + std::to_string(ntohs(name.sin_port)) + ": " +
                       std::strerror(errno));
    }
}

int
KernelSocket::Listen()
{
    if (listen(m_file, BACKLOG) != 0)
    {
        return -1;
    }
    WallClockSimulator::Get().Watch(m_file, EPOLLIN, [socket = Ptr<KernelSocket>(this)](uint32_t) {
        socket->HandleListening();
    });
    return 0;
}

void
KernelSocket::HandleListening()
{
    while (m_file >= 0)
    {
        sockaddr_in from{};
        socklen_t size = sizeof(from);
        const int file = accept4(m_file,
                                 reinterpret_cast<sockaddr*>(&from),
                                 &size,
                                 SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (file < 0)
        {
            return; // no more, or gone again
        }
        if (!NotifyConnectionRequest(FromKernel(from)))
        {
            close(file);
            continue;
        }
        const auto socket = CreateObject<KernelSocket>();
        socket->SetNode(m_node);
        socket->m_sendBuffer = m_sendBuffer;
        socket->m_segment = m_segment;
        const int noDelay = m_noDelay ? 1 : 0;
        setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &noDelay, sizeof(noDelay));
        socket->m_accepted = true;
        socket->Open(file);
        NotifyNewConnectionCreated(socket, FromKernel(from));
    }
}

int
KernelSocket::Connect(const Address& address)
{
    m_peer = InetSocketAddress::ConvertFrom(address);
    m_deadline = Simulator::Now() + m_timeout;
    TryToConnect();
    return 0;
}

void
KernelSocket::TryToConnect()
{
    CloseFile(); // that of Bind()
    MakeFile();
    m_own.SetIpv4(m_address);
    if (m_own.GetPort() > 0 || m_address != Ipv4Address::GetAny())
    {
        BindFile();
    }
    const sockaddr_in name = ToKernel(m_peer);
    WallClockSimulator::Get().Watch(m_file, EPOLLOUT, [socket = Ptr<KernelSocket>(this)](uint32_t) {
        socket->HandleConnecting();
    });
    // what goes wrong is told when the file is ready
    [[maybe_unused]] const int result =
        connect(m_file, reinterpret_cast<const sockaddr*>(&name), sizeof(name));
}

void
KernelSocket::HandleConnecting()
{
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(m_file, SOL_SOCKET, SO_ERROR, &error, &size);
    sockaddr_in peer{};
    socklen_t length = sizeof(peer);
    if (error == 0 && getpeername(m_file, reinterpret_cast<sockaddr*>(&peer), &length) != 0)
    {
        error = ECONNREFUSED;
    }
    if (error == 0)
    {
        const int file = m_file;
        WallClockSimulator::Get().Unwatch(m_file);
        Open(file);
        NotifyConnectionSucceeded();
        return;
    }
    CloseFile();
    if (IsPassing(error) && Simulator::Now() + RETRY < m_deadline)
    {
        m_retry = Simulator::Schedule(RETRY, &KernelSocket::TryToConnect, this);
        return;
    }
    NotifyConnectionFailed();
}

int
KernelSocket::GetSockName(Address& address) const
{
    return ReadName(getsockname, m_file, address);
}

int
KernelSocket::GetPeerName(Address& address) const
{
    return ReadName(getpeername, m_file, address);
}

TcpState
KernelSocket::GetState() const
{
    tcp_info info{};
    socklen_t size = sizeof(info);
    TcpState state;
    if (getsockopt(m_file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0)
    {
        state.received = info.tcpi_bytes_received;
        state.retransmissions = info.tcpi_total_retrans;
        state.congestionWindow = uint64_t{info.tcpi_snd_cwnd} * info.tcpi_snd_mss;
        state.roundTrip = 1e-6 * info.tcpi_rtt;
    }
    return state;
}

} // namespace ns3::dml
