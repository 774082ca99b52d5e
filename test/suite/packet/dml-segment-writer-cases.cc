/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-case-suite.h"
#include "dml-schedule-call.h"

#include "ns3/dml-cluster.h"
#include "ns3/dml-configured-tcp-factory.h"
#include "ns3/dml-segment-writer.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Hands every part to the socket by itself: what a SegmentWriter must look like from the wire.
class PlainWriter : public ByteSink
{
  public:
    explicit PlainWriter(Ptr<Socket> socket)
        : m_socket(socket)
    {
    }

    size_t GetRoom() override
    {
        return m_socket->GetTxAvailable();
    }

    void Write(const uint8_t* data, size_t n) override
    {
        m_socket->Send(ns3::Create<Packet>(data, n));
    }

    void WriteZeros(size_t n) override
    {
        m_socket->Send(ns3::Create<Packet>(n));
    }

    void Flush()
    {
    }

  private:
    Ptr<Socket> m_socket; //!< TCP
};

/// What the wire saw.
struct Seen
{
    std::vector<std::pair<int64_t, uint32_t>> segments; //!< time and bytes of each with data
    std::string bytes;                                  //!< that arrived
};

/// Sends frames over a star of one worker and one server, in two bursts.
template <typename Writer>
class FrameSender
{
  public:
    explicit FrameSender(const std::string& variant)
    {
        NetworkSpec network;
        network.tcp.variant = variant;
        Cluster cluster(network.tcp,
                        std::make_shared<ClusterNetwork>(BuildNetwork(network, {{1, 1}})));
        cluster.Create();
        const auto makeSocket = [&](const std::string& host) {
            return Socket::CreateSocket(cluster.GetNode(host), ConfiguredTcpFactory::GetTypeId());
        };
        const auto listening = makeSocket("worker0");
        listening->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
        listening->Listen();
        listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                     MakeCallback(&FrameSender::Accepted, this));
        m_socket = makeSocket("ps0");
        m_socket->Bind();
        m_socket->TraceConnectWithoutContext("Tx", MakeCallback(&FrameSender::Sent, this));
        const InetSocketAddress peer(cluster.GetAddress("worker0").GetIpv4(), 5000);
        // queues do not exist before
        ScheduleCall(Seconds(0), [this, peer] { m_socket->Connect(peer); });
        m_writer = std::make_unique<Writer>(m_socket);
        // the second burst begins while the first is on its way, the third when all has arrived
        for (const Time& at : {MilliSeconds(10), MicroSeconds(10400), MilliSeconds(50)})
        {
            Simulator::Schedule(at, &FrameSender::WriteBurst, this);
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        Simulator::Destroy();
    }

    Seen seen; //!< result

    /// What a burst consists of: bytes of each frame's header, and zeros behind it.
    static const std::vector<std::pair<uint32_t, uint32_t>>& GetFrames()
    {
        // headers at a segment's start, in its middle, at its end, several in one, none in some
        static const std::vector<std::pair<uint32_t, uint32_t>> frames{{40, 0},
                                                                       {9, 1411},
                                                                       {9, 16384},
                                                                       {9, 100},
                                                                       {9, 0},
                                                                       {9, 300},
                                                                       {9, 16384},
                                                                       {1460, 1460},
                                                                       {9, 2911},
                                                                       {5, 1}};
        return frames;
    }

  private:
    void WriteBurst()
    {
        for (const auto& [real, zeros] : GetFrames())
        {
            const std::string header(real, static_cast<char>('a' + real % 7));
            m_writer->Write(reinterpret_cast<const uint8_t*>(header.data()), real);
            if (zeros > 0)
            {
                m_writer->WriteZeros(zeros);
            }
        }
        m_writer->Flush();
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        socket->SetRecvCallback(MakeCallback(&FrameSender::Received, this));
        m_accepted = socket;
    }

    void Received(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv())
        {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), bytes.size());
            seen.bytes.append(bytes.begin(), bytes.end());
        }
    }

    void Sent(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() > 0)
        {
            seen.segments.emplace_back(Simulator::Now().GetTimeStep(), packet->GetSize());
        }
    }

    Ptr<Socket> m_socket;             //!< sends
    Ptr<Socket> m_accepted;           //!< receives
    std::unique_ptr<Writer> m_writer; //!< to m_socket
};

/// A SegmentWriter changes neither bytes nor segments nor their times.
class SegmentWriterCase : public TestCase
{
  public:
    explicit SegmentWriterCase(std::string variant)
        : TestCase("segments and bytes of frames, tcp: " + variant),
          m_variant(std::move(variant))
    {
    }

  private:
    void DoRun() override
    {
        const Seen plain = FrameSender<PlainWriter>(m_variant).seen;
        const Seen aligned = FrameSender<SegmentWriter>(m_variant).seen;
        std::string expected;
        for (int burst = 0; burst < 3; ++burst)
        {
            for (const auto& [real, zeros] : FrameSender<PlainWriter>::GetFrames())
            {
                expected.append(real, static_cast<char>('a' + real % 7));
                expected.append(zeros, '\0');
            }
        }
        NS_TEST_EXPECT_MSG_EQ((aligned.bytes == expected), true, "bytes that arrive");
        NS_TEST_EXPECT_MSG_EQ((plain.bytes == expected), true, "bytes of plain packets");
        NS_TEST_EXPECT_MSG_EQ((aligned.segments == plain.segments), true, "segments and times");
        // 40519 bytes a burst are 27.75 segments of 1460 bytes
        NS_TEST_EXPECT_MSG_GT(aligned.segments.size(), 3 * 27, "number of segments");
    }

    std::string m_variant; //!< of TCP
};

} // namespace

static std::vector<TestCase*>
MakeSegmentWriterCases()
{
    return {new SegmentWriterCase("cubic"), new SegmentWriterCase("bbr")};
}

static CaseSuite g_segmentWriterSuite("dml-segment-writer",
                                      MakeSegmentWriterCases()); //!< registers itself
