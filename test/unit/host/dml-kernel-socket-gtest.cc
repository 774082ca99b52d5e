/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Sockets of the kernel behind ns-3's interface, over the loopback interface.

#include "dml-clock-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-kernel-socket.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A node with the kernel's TCP, and a connection to itself.
class KernelSocketTest : public ::testing::Test
{
  public:
    KernelSocketTest()
    {
        m_node->AggregateObject(CreateObject<KernelSocketFactory>());
    }

    Ptr<Socket> Make() const
    {
        return Socket::CreateSocket(m_node, TcpSocketFactory::GetTypeId());
    }

    /// Listen on a free port; what is accepted is m_accepted.
    InetSocketAddress Listen()
    {
        m_listening = Make();
        m_listening->Bind(InetSocketAddress(Ipv4Address::GetLoopback(), 0));
        m_listening->Listen();
        m_listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                       MakeCallback(&KernelSocketTest::Accept, this));
        Address address;
        m_listening->GetSockName(address);
        return InetSocketAddress::ConvertFrom(address);
    }

    /// Connect to what listens; m_opened tells how that ended.
    void Connect(const InetSocketAddress& address)
    {
        m_connecting = Make();
        m_connecting->Bind();
        m_connecting->SetConnectCallback(MakeCallback(&KernelSocketTest::Opened, this),
                                         MakeCallback(&KernelSocketTest::Failed, this));
        m_connecting->Connect(address);
    }

    void Accept(Ptr<Socket> socket, const Address&)
    {
        m_accepted = socket;
        socket->SetRecvCallback(MakeCallback(&KernelSocketTest::Receive, this));
        socket->SetCloseCallbacks(MakeCallback(&KernelSocketTest::Ended, this),
                                  MakeCallback(&KernelSocketTest::Lost, this));
    }

    void Opened(Ptr<Socket>)
    {
        m_opened = "yes";
        if (m_onOpen)
        {
            m_onOpen();
        }
    }

    void Failed(Ptr<Socket>)
    {
        m_opened = "failed";
        Simulator::Stop();
    }

    void Receive(Ptr<Socket> socket)
    {
        while (socket->GetRxAvailable() > 0 && !m_ignores)
        {
            const Ptr<Packet> packet = socket->Recv(65536, 0);
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            m_received.append(bytes.begin(), bytes.end());
        }
        ++m_calls;
        if (m_onCall)
        {
            m_onCall();
        }
    }

    void Ended(Ptr<Socket>)
    {
        m_end = "closed";
        Simulator::Stop();
    }

    void Lost(Ptr<Socket>)
    {
        m_end = "lost";
        Simulator::Stop();
    }

    /// Send what is left of m_bytes zeros, as far as there is room, and close.
    void SendOn(Ptr<Socket> socket, uint32_t)
    {
        while (m_bytes > 0 && socket->GetTxAvailable() > 0)
        {
            const auto part =
                std::min<uint64_t>(m_bytes, std::min(socket->GetTxAvailable(), 50000U));
            EXPECT_EQ(socket->Send(Create<Packet>(part)), static_cast<int>(part));
            m_bytes -= part;
        }
        if (m_bytes == 0)
        {
            socket->Close();
        }
    }

    ClockRun m_run;                         //!< real time
    Ptr<Node> m_node{CreateObject<Node>()}; //!< this machine
    Ptr<Socket> m_listening;                //!< accepts
    Ptr<Socket> m_connecting;               //!< one end
    Ptr<Socket> m_accepted;                 //!< the other end
    std::function<void()> m_onOpen;         //!< called by the former
    std::function<void()> m_onCall;         //!< called at the end of Receive()
    std::string m_opened;                   //!< how connecting ended
    std::string m_end;                      //!< how the connection ended
    std::string m_received;                 //!< at the other end
    uint64_t m_bytes{0};                    //!< to be sent
    bool m_ignores{false};                  //!< whether the other end reads nothing
    uint32_t m_calls{0};                    //!< of Receive()
};

} // namespace

TEST_F(KernelSocketTest, BytesArriveInOrderUpToTheEnd)
{
    Connect(Listen());
    m_onOpen = [this] {
        const std::string text = "header";
        const auto packet =
            Create<Packet>(reinterpret_cast<const uint8_t*>(text.data()), text.size());
        packet->AddAtEnd(Create<Packet>(3)); // zeros without memory
        EXPECT_EQ(m_connecting->Send(packet), 9);
        m_connecting->Close();
    };
    Simulator::Run();
    EXPECT_EQ(m_opened, "yes");
    EXPECT_EQ(m_received, std::string("header\0\0\0", 9));
    EXPECT_EQ(m_end, "closed");
    Address address;
    EXPECT_EQ(m_accepted->GetPeerName(address), -1); // its file is gone
}

TEST_F(KernelSocketTest, MoreThanAllBuffersComesOverWhole)
{
    m_bytes = 20000000;
    Connect(Listen());
    m_connecting->SetAttribute("SndBufSize", UintegerValue(100000));
    m_connecting->SetSendCallback(MakeCallback(&KernelSocketTest::SendOn, this));
    m_onOpen = [this] {
        EXPECT_EQ(m_connecting->GetTxAvailable(), 100000U);
        SendOn(m_connecting, 0);
        EXPECT_GT(m_bytes, 0U); // nobody has read
        EXPECT_EQ(m_connecting->Send(Create<Packet>(100001)), -1);
    };
    Simulator::Run();
    EXPECT_EQ(m_received, std::string(20000000, '\0'));
    EXPECT_EQ(m_end, "closed");
}

TEST_F(KernelSocketTest, WhoeverListensLateIsReached)
{
    const InetSocketAddress address = Listen();
    m_listening->Close();
    Connect(address);
    Simulator::Schedule(MilliSeconds(25), [this, address] {
        EXPECT_EQ(m_opened, "");
        m_listening = Make();
        m_listening->Bind(address);
        m_listening->Listen();
    });
    m_onOpen = [] { Simulator::Stop(); };
    Simulator::Run();
    EXPECT_EQ(m_opened, "yes");
}

TEST_F(KernelSocketTest, NobodyListens)
{
    const InetSocketAddress address = Listen();
    m_listening->Close();
    m_connecting = Make();
    m_connecting->SetAttribute("ConnectTimeout", TimeValue(MilliSeconds(30)));
    m_connecting->SetConnectCallback(MakeCallback(&KernelSocketTest::Opened, this),
                                     MakeCallback(&KernelSocketTest::Failed, this));
    m_connecting->Connect(address);
    Simulator::Run();
    EXPECT_EQ(m_opened, "failed");
}

TEST_F(KernelSocketTest, WhatIsNotReadIsToldOnce)
{
    m_ignores = true;
    Connect(Listen());
    m_onOpen = [this] { m_connecting->Send(Create<Packet>(10)); };
    m_onCall = [this] { // at the first call
        m_onCall = nullptr;
        Simulator::Schedule(MilliSeconds(30), [this] {
            EXPECT_EQ(m_calls, 1U);
            m_ignores = false;
            EXPECT_EQ(m_accepted->Recv(4, 0)->GetSize(), 4U); // from now on it is told again
            m_connecting->Close();
        });
    };
    Simulator::Run();
    EXPECT_EQ(m_received.size(), 6U);
    EXPECT_EQ(m_end, "closed");
}

TEST_F(KernelSocketTest, UnknownCongestionControlIsRefused)
{
    const auto socket = Make();
    socket->SetAttribute("CongestionControl", StringValue("no-such"));
    EXPECT_THROW(socket->Bind(InetSocketAddress(Ipv4Address::GetLoopback(), 0)), RunError);
}
