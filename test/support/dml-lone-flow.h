/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LONE_FLOW_H
#define DML_LONE_FLOW_H

#include "dml-schedule-call.h"

#include "ns3/dml-cluster.h"
#include "ns3/dml-configured-tcp-factory.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/error-model.h"
#include "ns3/ipv4-header.h"
#include "ns3/pointer.h"
#include "ns3/ppp-header.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/traffic-control-layer.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>

namespace ns3::dml
{

inline constexpr uint32_t SEGMENT = 1448;        //!< bytes, MTU 1500 with timestamps
inline constexpr uint32_t WINDOW = 10 * SEGMENT; //!< initial congestion window

/// TCP without any part of Linux, whose buffers are no limit.
inline TcpSpec
BareTcp()
{
    TcpSpec tcp = PlainTcp();
    tcp.timestamps = true;
    tcp.sendBuffer = 4194304;
    tcp.receiveBuffer = 8388608;
    return tcp;
}

/// Loses the first copies of segments with SEGMENT bytes, by their places in the stream.
class SegmentErrors : public ErrorModel
{
  public:
    std::map<uint32_t, uint32_t> copies; //!< to be lost, by place, from 1

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        const auto inner = packet->Copy();
        PppHeader ppp;
        Ipv4Header ip;
        TcpHeader tcp;
        inner->RemoveHeader(ppp);
        inner->RemoveHeader(ip);
        inner->RemoveHeader(tcp);
        // data begins behind the SYN, which has number 0 in ns-3
        const uint32_t before = tcp.GetSequenceNumber().GetValue() - 1;
        const auto lost = copies.find(before / SEGMENT + 1);
        if (inner->GetSize() == 0 || lost == copies.end() || lost->second == 0)
        {
            return false;
        }
        --lost->second;
        return true;
    }

    void DoReset() override
    {
    }
};

/// One connection from worker0 to ps0 on a star of 1 Gbit/s, which sends what it is told to.
class LoneFlow
{
  public:
    explicit LoneFlow(const TcpSpec& tcp, NetworkSpec network = NetworkSpec())
    {
        network.tcp = tcp;
        m_cluster = std::make_unique<Cluster>(
            tcp,
            std::make_shared<ClusterNetwork>(BuildNetwork(network, {{1, 1}})));
        m_cluster->Create();
        const auto listening = MakeSocket("ps0");
        listening->Bind(InetSocketAddress(Ipv4Address::GetAny(), 5000));
        listening->Listen();
        listening->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                     MakeCallback(&LoneFlow::Accepted, this));
        m_socket = MakeSocket("worker0");
        m_socket->Bind();
        m_socket->SetSendCallback(MakeCallback(&LoneFlow::Fill, this));
        m_socket->TraceConnectWithoutContext("Rx", MakeCallback(&LoneFlow::AckCame, this));
        m_socket->TraceConnectWithoutContext("Tx", MakeCallback(&LoneFlow::Sent, this));
        m_socket->TraceConnectWithoutContext("CongestionWindow",
                                             MakeCallback(&LoneFlow::WindowChanged, this));
        m_socket->TraceConnectWithoutContext("CongState",
                                             MakeCallback(&LoneFlow::StateChanged, this));
        const InetSocketAddress peer(m_cluster->GetAddress("ps0").GetIpv4(), 5000);
        ScheduleCall(Seconds(0), [this, peer] { m_socket->Connect(peer); });
        const auto device = m_cluster->GetNode("worker0")->GetDevice(1);
        m_cluster->GetNode("worker0")
            ->GetObject<TrafficControlLayer>()
            ->GetRootQueueDiscOnDevice(device)
            ->TraceConnectWithoutContext("BytesInQueue",
                                         MakeCallback(&LoneFlow::QueueChanged, this));
    }

    /// Drop the nth packet that arrives at the receiver's device, from 1.
    void Drop(uint32_t nth)
    {
        const auto errors = CreateObject<ReceiveListErrorModel>();
        errors->SetList({nth - 1});
        m_cluster->GetNode("ps0")->GetDevice(1)->SetAttribute("ReceiveErrorModel",
                                                              PointerValue(errors));
    }

    /// Lose copies of segments on the way to the receiver. @param copies see SegmentErrors
    void Lose(const std::map<uint32_t, uint32_t>& copies)
    {
        const auto errors = CreateObject<SegmentErrors>();
        errors->copies = copies;
        m_cluster->GetNode("ps0")->GetDevice(1)->SetAttribute("ReceiveErrorModel",
                                                              PointerValue(errors));
    }

    /// Have more bytes written.
    void Write(const Time& at, uint32_t bytes)
    {
        ScheduleCall(at, [this, bytes] {
            m_left += bytes;
            Fill(m_socket, 0);
        });
    }

    /// Have the receiver write bytes, too.
    void WriteBack(const Time& at, uint32_t bytes)
    {
        ScheduleCall(at, [this, bytes] {
            m_leftBack += bytes;
            m_accepted->SetSendCallback(MakeCallback(&LoneFlow::FillBack, this));
            m_socket->SetRecvCallback(MakeCallback(&LoneFlow::ReceivedBack, this));
            FillBack(m_accepted, 0);
        });
    }

    /// @return the queue of the switch's port towards the receiver
    Ptr<Queue<Packet>> GetPort() const
    {
        const ClusterNetwork& network = m_cluster->GetNetwork();
        // the other direction of a link differs in the last bit
        return m_cluster->GetDevice(network.GetHostUplink(network.FindHost("ps0")) ^ 1)->GetQueue();
    }

    void Run(const Time& end)
    {
        Simulator::Stop(end);
        Simulator::Run();
        Simulator::Destroy();
    }

    uint64_t received{0};                                          //!< bytes
    Time last;                                                     //!< when the last of them came
    uint64_t receivedBack{0};                                      //!< bytes that the receiver sent
    uint32_t acks{0};                                              //!< that came back
    uint32_t sent{0};                                              //!< segments with data
    uint32_t timeouts{0};                                          //!< in which it begins anew
    uint32_t largestQueue{0};                                      //!< of the sending host, bytes
    Time watched;                                                  //!< from when on windows count
    uint32_t smallestWindow{std::numeric_limits<uint32_t>::max()}; //!< since then, bytes
    uint32_t window{0};                                            //!< the last one, bytes

  private:
    Ptr<Socket> MakeSocket(const std::string& host)
    {
        return Socket::CreateSocket(m_cluster->GetNode(host), ConfiguredTcpFactory::GetTypeId());
    }

    static void SendSome(const Ptr<Socket>& socket, uint32_t& left)
    {
        while (left > 0 && socket->GetTxAvailable() >= std::min(left, SEGMENT))
        {
            const uint32_t bytes = std::min(left, SEGMENT);
            left -= bytes;
            socket->Send(ns3::Create<Packet>(bytes));
        }
    }

    void Fill(Ptr<Socket> socket, uint32_t)
    {
        SendSome(socket, m_left);
    }

    void FillBack(Ptr<Socket> socket, uint32_t)
    {
        SendSome(socket, m_leftBack);
    }

    void ReceivedBack(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv(65536, 0))
        {
            receivedBack += packet->GetSize();
        }
    }

    void Accepted(Ptr<Socket> socket, const Address&)
    {
        socket->SetRecvCallback(MakeCallback(&LoneFlow::Received, this));
        m_accepted = socket;
    }

    void Received(Ptr<Socket> socket)
    {
        while (const auto packet = socket->Recv(65536, 0))
        {
            received += packet->GetSize();
            last = Simulator::Now();
        }
    }

    void AckCame(Ptr<const Packet>, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        ++acks;
    }

    void Sent(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
    {
        sent += packet->GetSize() > 0;
    }

    void WindowChanged(uint32_t, uint32_t now)
    {
        if (Simulator::Now() >= watched)
        {
            smallestWindow = std::min(smallestWindow, now);
            window = now;
        }
    }

    void StateChanged(TcpSocketState::TcpCongState_t, TcpSocketState::TcpCongState_t now)
    {
        timeouts += now == TcpSocketState::CA_LOSS;
    }

    void QueueChanged(uint32_t, uint32_t bytes)
    {
        largestQueue = std::max(largestQueue, bytes);
    }

    std::unique_ptr<Cluster> m_cluster; //!< nodes
    Ptr<Socket> m_socket;               //!< sends
    Ptr<Socket> m_accepted;             //!< receives
    uint32_t m_left{0};                 //!< bytes to write
    uint32_t m_leftBack{0};             //!< bytes for the receiver to write
};

} // namespace ns3::dml

#endif /* DML_LONE_FLOW_H */
