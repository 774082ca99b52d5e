/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Conversations of the packet engine's gRPC with Google's, and of Google's with itself, over kernel
// TCP on the loopback interface: both ask and answer, with tensors of several windows.

#include "dml-clock-run.h"

#include "ns3/dml-error.h"
#include "ns3/dml-grpc-messages.h"
#include "ns3/dml-grpc-transport.h"
#include "ns3/dml-host-libraries.h"
#include "ns3/dml-http2-window-policy.h"
#include "ns3/dml-kernel-socket.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstdio>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// What one end says of a conversation, in which all transfers are known by their numbers.
class Talker : public TransportListener
{
  public:
    Talker(const ObjectFactory& factory, std::vector<uint64_t> tensors)
        : m_tensors(std::move(tensors)),
          m_transport(factory.Create<Transport>())
    {
        m_listening->Bind(InetSocketAddress(Ipv4Address::GetLoopback(), 0));
        m_listening->Listen();
        m_listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                       MakeCallback(&Talker::Accept, this));
    }

    InetSocketAddress GetAddress() const
    {
        Address address;
        m_listening->GetSockName(address);
        return InetSocketAddress::ConvertFrom(address);
    }

    /// Open the connection on which this end asks, and ask for everything once it is there.
    void Begin(const std::string& self, const std::string& peer, const InetSocketAddress& address)
    {
        TransportEnds ends;
        ends.self = "/job:" + self + "/replica:0/task:0/device:CPU:0";
        ends.peer = "/job:" + peer + "/replica:0/task:0/device:CPU:0";
        ends.address = address;
        ends.ops = m_tensors.size();
        ends.clock = [] { return Simulator::Now().GetSeconds(); };
        m_transport->Begin(ends, *this);
        m_connecting->Bind();
        m_connecting->SetConnectCallback(MakeCallback(&Talker::Connected, this),
                                         MakeNullCallback<void, Ptr<Socket>>());
        m_transport->Ask(m_connecting);
        m_connecting->Connect(address);
        if (m_asksEarly)
        {
            AskForAll();
        }
    }

    void End()
    {
        m_transport->Close();
        m_listening->Close();
    }

    OpIndex FindTransfer(const std::string& name, int64_t step) override
    {
        m_steps.push_back(step);
        return name.rfind("t", 0) == 0 ? std::stoul(name.substr(1)) : NO_INDEX;
    }

    void TransferRequested(OpIndex transfer) override
    {
        m_policy->Add(transfer, m_transport->GetMessageSize(m_tensors[transfer]));
        Next();
    }

    OpIndex TurnServed() override
    {
        m_open = false;
        const OpIndex transfer = m_turn.transfer;
        const bool end = m_policy->TurnEnded();
        Simulator::ScheduleNow(&Talker::Next, this);
        return end && m_wantsAcknowledgements ? transfer : NO_INDEX;
    }

    void TransferAcknowledged(OpIndex transfer) override
    {
        m_acknowledged.push_back(transfer);
    }

    void WindowOpened() override
    {
        Next();
    }

    void TransferArrived(OpIndex transfer) override
    {
        m_arrived.push_back(transfer);
    }

    void GraphRequested(int32_t call, const RunGraphRequest& request) override
    {
        m_graphs.push_back(request.graphHandle + std::to_string(request.stepId));
        NamedValues values = request.send;
        values["twice"] = 2 * values["value"];
        m_transport->AnswerRunGraph(call, values);
    }

    void GraphDone(uint32_t step, const std::string& graph, const NamedValues& values) override
    {
        m_answers[graph + std::to_string(step)] = values;
    }

    void Failed(const std::string& text) override
    {
        m_error = text;
    }

    bool IsDone() const
    {
        return m_arrived.size() == m_tensors.size() && !m_answers.empty() &&
               (!m_wantsAcknowledgements || m_acknowledged.size() == m_tensors.size());
    }

    bool m_wantsAcknowledgements{false};
    bool m_asksEarly{false};                      //!< before it is connected
    std::string m_wrongName;                      //!< asked for instead
    std::vector<OpIndex> m_arrived;               //!< in this order
    std::vector<OpIndex> m_acknowledged;          //!< in this order
    std::vector<int64_t> m_steps;                 //!< of the peer's requests
    std::vector<std::string> m_graphs;            //!< that the peer wants
    std::map<std::string, NamedValues> m_answers; //!< of the peer
    std::string m_error;                          //!< the last one
    uint64_t m_turns{0};                          //!< that this end has begun

  private:
    void Accept(Ptr<Socket> socket, const Address&)
    {
        m_accepted = socket;
        m_transport->Answer(socket);
    }

    void Connected(Ptr<Socket> socket)
    {
        m_transport->SetConnected(socket);
        if (!m_asksEarly)
        {
            AskForAll();
        }
    }

    void AskForAll()
    {
        m_transport->RequestRunGraph({7, "graph", {{"value", 21}}});
        for (OpIndex i = 0; i < m_tensors.size(); ++i)
        {
            const std::string name = m_wrongName.empty() ? "t" + std::to_string(i) : m_wrongName;
            m_transport->RequestTensor(i, name, 7);
        }
    }

    /// Answers from the real windows.
    class Windows : public WindowView
    {
      public:
        explicit Windows(const Transport& transport)
            : m_transport(transport)
        {
        }

        uint64_t GetWindow(OpIndex transfer, uint32_t) const override
        {
            return m_transport.GetWindow(transfer);
        }

      private:
        const Transport& m_transport;
    };

    void Next()
    {
        if (m_open)
        {
            return;
        }
        m_turn = m_policy->Next(Windows(*m_transport));
        if (m_turn.transfer != NO_INDEX)
        {
            m_open = true;
            ++m_turns;
            m_transport->StartTurn(m_turn, m_tensors[m_turn.transfer]);
        }
    }

    std::vector<uint64_t> m_tensors;
    Ptr<Transport> m_transport;
    Ptr<Http2WindowPolicy> m_policy{CreateObject<Http2WindowPolicy>()};
    Ptr<KernelSocket> m_listening{CreateObject<KernelSocket>()};
    Ptr<KernelSocket> m_connecting{CreateObject<KernelSocket>()};
    Ptr<Socket> m_accepted;
    Turn m_turn;
    bool m_open{false};
};

/// Of the packet engine.
ObjectFactory
MakeOwn(uint32_t window, const std::string& grant)
{
    ObjectFactory factory;
    factory.SetTypeId(GrpcTransport::GetTypeId());
    factory.Set("Window", UintegerValue(window));
    factory.Set("GrantRule", StringValue(grant));
    return factory;
}

GrpcLibrarySettings
MakeSettings(bool ordered, bool acknowledged)
{
    GrpcLibrarySettings settings;
    settings.ordered = ordered;
    settings.acknowledged = acknowledged;
    return settings;
}

class GrpcInteroperabilityTest : public ::testing::Test
{
  public:
    void SetUp() override
    {
        try
        {
            CheckGrpcLibrary({}, {});
        }
        catch (const InputError&)
        {
            GTEST_SKIP() << "built without gRPC's library (-DDML_GRPC=ON)";
        }
    }

    /// In a process of its own: gRPC's library leaves threads and files behind, and those who fork
    /// later would share them.
    static void Apart(const std::function<void()>& body)
    {
        const pid_t child = fork();
        ASSERT_GE(child, 0);
        if (child == 0)
        {
            alarm(120);
            body();
            std::fflush(stdout);
            _exit(HasFailure());
        }
        int status = 0;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }

    /// Let them talk until both have everything, or something is wrong.
    void Talk(Talker& left, Talker& right)
    {
        left.Begin("left", "right", right.GetAddress());
        right.Begin("right", "left", left.GetAddress());
        Watch(left, right);
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        left.End();
        right.End();
    }

    /// Stop when both have everything, or something is wrong.
    void Watch(const Talker& left, const Talker& right)
    {
        const bool done = left.IsDone() && right.IsDone();
        if (done || !left.m_error.empty() || !right.m_error.empty())
        {
            Simulator::Stop();
            return;
        }
        Simulator::Schedule(MilliSeconds(1), [&] { Watch(left, right); });
    }

    /// Both have got everything, as it was asked for.
    static void Verify(const Talker& talker, std::size_t tensors)
    {
        EXPECT_EQ(talker.m_error, "");
        auto arrived = talker.m_arrived;
        std::sort(arrived.begin(), arrived.end());
        ASSERT_EQ(arrived.size(), tensors);
        for (OpIndex i = 0; i < arrived.size(); ++i)
        {
            EXPECT_EQ(arrived[i], i);
        }
        EXPECT_EQ(talker.m_steps, std::vector<int64_t>(tensors, 7));
        EXPECT_EQ(talker.m_graphs, std::vector<std::string>{"graph7"});
        ASSERT_EQ(talker.m_answers.size(), 1U);
        EXPECT_EQ(talker.m_answers.at("graph7"), (NamedValues{{"value", 21}, {"twice", 42}}));
    }

    ClockRun m_clock;
};

/// An empty tensor, one with padding, several of more than a window of 4 MB.
const std::vector<uint64_t> TENSORS{0, 1, 30000000, 4096, 9000001, 12000000};

TEST_F(GrpcInteroperabilityTest, GoogleUnderstandsThePacketEngineAndTheReverse)
{
    Apart([this] {
        Talker own(MakeOwn(4000000, "message"), TENSORS);
        Talker google(MakeGrpcLibraryTransport(MakeSettings(false, false)), TENSORS);
        Talk(own, google);
        Verify(own, TENSORS.size());
        Verify(google, TENSORS.size());
        // the library's first window is 4 MiB, so 30 MB took the packet engine's sender several
        // turns; messages for the library are whole
        EXPECT_GT(own.m_turns, TENSORS.size());
        EXPECT_EQ(google.m_turns, TENSORS.size());
    });
}

TEST_F(GrpcInteroperabilityTest, WindowsOfConsumersAreEnough)
{
    Apart([this] {
        // the packet engine grants as gRPC 1.51 does, the library has the window of the RFC
        auto settings = MakeSettings(false, false);
        settings.spec.bdpProbe = false;
        Talker own(MakeOwn(65535, "capped"), TENSORS);
        Talker google(MakeGrpcLibraryTransport(settings), TENSORS);
        Talk(own, google);
        Verify(own, TENSORS.size());
        Verify(google, TENSORS.size());
    });
}

TEST_F(GrpcInteroperabilityTest, OneMessageAtATimeArrivesInThatOrder)
{
    Apart([this] {
        Talker left(MakeGrpcLibraryTransport(MakeSettings(true, true)), TENSORS);
        Talker right(MakeGrpcLibraryTransport(MakeSettings(true, true)), TENSORS);
        left.m_wantsAcknowledgements = true;
        right.m_wantsAcknowledgements = true;
        Talk(left, right);
        for (const auto* talker : {&left, &right})
        {
            Verify(*talker, TENSORS.size());
            // as they were asked for, by number
            EXPECT_TRUE(std::is_sorted(talker->m_arrived.begin(), talker->m_arrived.end()));
            auto acknowledged = talker->m_acknowledged;
            std::sort(acknowledged.begin(), acknowledged.end());
            EXPECT_EQ(acknowledged, (std::vector<OpIndex>{0, 1, 2, 3, 4, 5}));
        }
    });
}

// A server is asked to run a graph by a worker that is back, and asks it for gradients, while its
// own connection to the worker is still being made.
TEST_F(GrpcInteroperabilityTest, WhatIsAskedForEarlyGoesWhenThereIsAConnection)
{
    Apart([this] {
        Talker own(MakeOwn(4000000, "message"), TENSORS);
        Talker google(MakeGrpcLibraryTransport(MakeSettings(false, false)), TENSORS);
        own.m_asksEarly = true;
        google.m_asksEarly = true;
        Talk(own, google);
        Verify(own, TENSORS.size());
        Verify(google, TENSORS.size());
    });
}

TEST_F(GrpcInteroperabilityTest, WhatIsNotToBeHadIsAnError)
{
    Apart([this] {
        Talker own(MakeOwn(4000000, "message"), {10});
        Talker google(MakeGrpcLibraryTransport(MakeSettings(false, false)), {10});
        own.m_wrongName = "nothing";
        Talk(own, google);
        EXPECT_NE(google.m_error.find("/job:left/replica:0/task:0/device:CPU:0;nothing;"),
                  std::string::npos)
            << google.m_error;
    });
}

/// @param port of the loopback interface, 0: any @return its address
sockaddr_in
MakeLoopback(uint16_t port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// @return a socket that listens, and whose connections say nothing of themselves
int
Listen()
{
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = MakeLoopback(0);
    EXPECT_EQ(bind(listening, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(listen(listening, 1), 0);
    return listening;
}

/// @param listening socket @return where it listens
InetSocketAddress
GetAddress(int listening)
{
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    EXPECT_EQ(getsockname(listening, reinterpret_cast<sockaddr*>(&address), &size), 0);
    return {Ipv4Address::GetLoopback(), ntohs(address.sin_port)};
}

/// @param type of an HTTP/2 frame @param flags of it @param stream its number @param payload bytes
/// @return the frame
std::string
MakeFrame(char type, char flags, char stream, const std::string& payload)
{
    return std::string{0, 0, static_cast<char>(payload.size()), type, flags, 0, 0, 0, stream} +
           payload;
}

/// @param text that HPACK has as it is @return the literal
std::string
MakeLiteral(const std::string& text)
{
    return static_cast<char>(text.size()) + text;
}

// A process that is killed has begun a call, whose message never comes. Of it an empty message was
// taken, which asked for step 0 of no graph.
TEST_F(GrpcInteroperabilityTest, ACallWithoutItsMessageIsNone)
{
    Apart([this] {
        Talker google(MakeGrpcLibraryTransport(MakeSettings(false, false)), {});
        const int silent = Listen();
        google.Begin("right", "left", GetAddress(silent));
        const int caller = socket(AF_INET, SOCK_STREAM, 0);
        const sockaddr_in address = MakeLoopback(google.GetAddress().GetPort());
        ASSERT_EQ(connect(caller, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
        // POST, http, and the fields that the static table of HPACK has under 4, 1 and 31
        const std::string fields = std::string("\x83\x86\x04") + MakeLiteral(RUN_GRAPH_PATH) +
                                   '\x01' + MakeLiteral("peer") + "\x0f\x10" +
                                   MakeLiteral("application/grpc") + std::string(1, '\0') +
                                   MakeLiteral("te") + MakeLiteral("trailers");
        const std::string bytes = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + MakeFrame(4, 0, 0, "") +
                                  MakeFrame(1, 4, 1, fields);
        ASSERT_EQ(send(caller, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
        Simulator::Schedule(MilliSeconds(300), [&] { close(caller); });
        Simulator::Stop(MilliSeconds(900));
        Simulator::Run();
        EXPECT_EQ(google.m_graphs, std::vector<std::string>{});
        EXPECT_EQ(google.m_error, "");
        google.End();
        close(silent);
    });
}

// A process that ends cancels the calls that it has not answered: that it is gone is told by the
// end of its connection, and is no error of a call.
TEST_F(GrpcInteroperabilityTest, ACallThatThePeerCancelsIsNoError)
{
    Apart([this] {
        Talker google(MakeGrpcLibraryTransport(MakeSettings(false, false)), {});
        const int listening = Listen();
        google.Begin("left", "right", GetAddress(listening));
        int peer = -1;
        Simulator::Schedule(MilliSeconds(300), [&] {
            peer = accept(listening, nullptr, nullptr);
            const std::string cancel{0, 0, 0, 8};
            const std::string bytes = MakeFrame(4, 0, 0, "") + MakeFrame(3, 0, 1, cancel);
            ASSERT_EQ(send(peer, bytes.data(), bytes.size(), 0),
                      static_cast<ssize_t>(bytes.size()));
        });
        Simulator::Stop(MilliSeconds(900));
        Simulator::Run();
        EXPECT_EQ(google.m_error, "");
        EXPECT_TRUE(google.m_answers.empty());
        google.End();
        close(peer);
        close(listening);
    });
}

} // namespace
