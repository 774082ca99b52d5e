/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-test-flow.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr int TEST_PATIENCE = 2; //!< seconds

/// @param address IP @param port TCP @return what the kernel calls it
sockaddr_in
ToSocketAddress(const Ipv4Address& address, uint16_t port)
{
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_addr.s_addr = htonl(address.Get());
    result.sin_port = htons(port);
    return result;
}

/// Let nothing take long on a connection, and send at once.
void
SetTestOptions(int file)
{
    const timeval patience{TEST_PATIENCE, 0};
    const int yes = 1;
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

/// @return a socket in an end's network, at its address, that uses its device only, or none
OpenFile
MakeTestSocket(const TestFlowEnd& end)
{
    const NetworkVisit visit(end.place);
    OpenFile file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in own = ToSocketAddress(end.address, 0);
    const std::string control = "reno";
    setsockopt(file.Get(), IPPROTO_TCP, TCP_CONGESTION, control.data(), control.size());
    SetTestOptions(file.Get());
    if (!end.device.empty())
    {
        setsockopt(file.Get(), SOL_SOCKET, SO_BINDTODEVICE, end.device.data(), end.device.size());
    }
    return bind(file.Get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) == 0
               ? std::move(file)
               : OpenFile();
}

} // namespace

TestFlow::TestFlow(const std::string& name,
                   const TestFlowEnd& from,
                   const TestFlowEnd& to,
                   uint32_t sendBuffer)
    : m_name(name)
{
    const OpenFile listener = MakeTestSocket(to);
    if (listener.Get() < 0 || listen(listener.Get(), 1) != 0)
    {
        Fail("cannot listen");
    }
    m_sender = MakeTestSocket(from);
    const int half = static_cast<int>(sendBuffer / 2); // the kernel doubles it
    sockaddr_in peer{};
    socklen_t size = sizeof peer;
    if (m_sender.Get() < 0 ||
        (half > 0 && setsockopt(m_sender.Get(), SOL_SOCKET, SO_SNDBUF, &half, sizeof half) != 0) ||
        getsockname(listener.Get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0 ||
        connect(m_sender.Get(), reinterpret_cast<sockaddr*>(&peer), size) != 0)
    {
        Fail("cannot connect");
    }
    pollfd waiting{listener.Get(), POLLIN, 0};
    if (poll(&waiting, 1, TEST_PATIENCE * 1000) == 1)
    {
        m_receiver = OpenFile(accept4(listener.Get(), nullptr, nullptr, SOCK_CLOEXEC));
    }
    if (m_receiver.Get() < 0)
    {
        Fail("cannot accept");
    }
    SetTestOptions(m_receiver.Get());
}

TestFlow::~TestFlow()
{
    const linger atOnce{1, 0};
    for (const auto* file : {&m_sender, &m_receiver})
    {
        setsockopt(file->Get(), SOL_SOCKET, SO_LINGER, &atOnce, sizeof atOnce);
    }
}

void
TestFlow::Fail(const std::string& what) const
{
    throw RunError("the test of the " + m_name + " " + what + ": " + std::strerror(errno));
}

double
TestFlow::MeasureRoundTrip(uint32_t rounds) const
{
    auto shortest = Clock::duration::max();
    for (uint32_t i = 0; i < rounds; ++i)
    {
        char byte = 0;
        const auto start = Clock::now();
        if (send(m_sender.Get(), &byte, 1, MSG_NOSIGNAL) != 1 ||
            recv(m_receiver.Get(), &byte, 1, 0) != 1 ||
            send(m_receiver.Get(), &byte, 1, MSG_NOSIGNAL) != 1 ||
            recv(m_sender.Get(), &byte, 1, 0) != 1)
        {
            Fail("has lost a byte");
        }
        shortest = std::min(shortest, Clock::now() - start);
    }
    return std::chrono::duration<double>(shortest).count();
}

void
TestFlow::Start(std::chrono::nanoseconds warmUp, std::chrono::nanoseconds window)
{
    m_warmUp = warmUp;
    m_window = window;
    m_received = 0;
    m_begin.reset();
    m_isOver = false;
    m_isEmpty = false;
}

bool
TestFlow::Move()
{
    if (!m_isOver)
    {
        Send();
    }
    if (!m_isEmpty)
    {
        Receive();
    }
    return !m_isEmpty;
}

void
TestFlow::Send()
{
    static const std::array<char, 65536> zeros{};
    while (true)
    {
        const ssize_t sent =
            send(m_sender.Get(), zeros.data(), zeros.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno != EAGAIN && errno != EINTR)
        {
            Fail("has lost its connection");
        }
        if (sent < static_cast<ssize_t>(zeros.size()))
        {
            return;
        }
    }
}

void
TestFlow::Receive()
{
    static std::array<char, 65536> bytes;
    ssize_t got = 0;
    uint64_t sum = 0;
    while ((got = recv(m_receiver.Get(), bytes.data(), bytes.size(), MSG_DONTWAIT)) > 0)
    {
        sum += got;
    }
    if (got < 0 && errno != EAGAIN && errno != EINTR)
    {
        Fail("has lost its connection");
    }
    m_isEmpty = got == 0;
    if (sum == 0 || m_isOver)
    {
        return;
    }
    const auto now = Clock::now();
    m_first = m_received == 0 ? now : m_first;
    m_received += sum;
    if (!m_begin && now >= m_first + m_warmUp)
    {
        m_begin = now;
        m_before = m_received;
    }
    else if (m_begin && now >= *m_begin + m_window)
    {
        m_goodput = static_cast<double>(m_received - m_before) /
                    std::chrono::duration<double>(now - *m_begin).count();
        m_isOver = true;
        shutdown(m_sender.Get(), SHUT_WR); // what is on its way still comes
    }
}

void
TestFlow::Run(const std::vector<std::unique_ptr<TestFlow>>& flows)
{
    const auto limit = Clock::now() + std::chrono::seconds(5);
    while (true)
    {
        std::vector<pollfd> polled;
        for (const auto& flow : flows)
        {
            if (flow->Move())
            {
                polled.push_back({flow->m_sender.Get(), short(flow->m_isOver ? 0 : POLLOUT), 0});
                polled.push_back({flow->m_receiver.Get(), POLLIN, 0});
            }
        }
        if (polled.empty())
        {
            return;
        }
        if (Clock::now() >= limit)
        {
            throw RunError("a test of the host engine's links has not ended after 5 s");
        }
        poll(polled.data(), polled.size(), 100);
    }
}

} // namespace ns3::dml
