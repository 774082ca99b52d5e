/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-connection-probe.h"

#include "ns3/dml-model-clock.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/uinteger.h"

#include <utility>

namespace ns3::dml
{

namespace
{

const Time INTERVAL = MilliSeconds(100);

} // namespace

class ConnectionProbe::End
{
  public:
    End(Socket& socket, uint32_t peer)
        : m_peer(peer)
    {
        UintegerValue segments;
        UintegerValue bytes;
        socket.GetAttribute("InitialCwnd", segments);
        socket.GetAttribute("SegmentSize", bytes);
        m_window = segments.Get() * bytes.Get(); // until its first change
        socket.TraceConnectWithoutContext("Tx", MakeCallback(&End::Sent, this));
        socket.TraceConnectWithoutContext("RTT", MakeCallback(&End::RoundTripChanged, this));
        socket.TraceConnectWithoutContext("CongestionWindow",
                                          MakeCallback(&End::WindowChanged, this));
    }

    uint32_t GetPeer() const
    {
        return m_peer;
    }

    /// @return all but what HTTP/2 says
    ConnectionRecord MakeRecord(const TransferChannel& channel, uint32_t number, double time) const
    {
        return {channel, number, time, m_window, m_roundTrip.GetSeconds(), m_retransmissions, 0};
    }

  private:
    void Sent(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        const SequenceNumber32 end = header.GetSequenceNumber() + packet->GetSize();
        if (packet->GetSize() > 0 && header.GetSequenceNumber() < m_highest)
        {
            ++m_retransmissions;
        }
        m_highest = m_highest < end ? end : m_highest;
    }

    void RoundTripChanged(Time, Time roundTrip)
    {
        m_roundTrip = roundTrip;
    }

    void WindowChanged(uint32_t, uint32_t window)
    {
        m_window = window;
    }

    uint32_t m_peer;               //!< index
    SequenceNumber32 m_highest;    //!< end of what was sent
    uint64_t m_retransmissions{0}; //!< segments with data that were sent before
    uint32_t m_window{0};          //!< congestion window, bytes
    Time m_roundTrip;              //!< smoothed
};

ConnectionProbe::ConnectionProbe(Ptr<StepApplication> application,
                                 const Endpoint& endpoint,
                                 std::vector<Endpoint> peers,
                                 Time origin,
                                 JobRecorder recorder)
    : m_application(std::move(application)),
      m_endpoint(endpoint),
      m_peers(std::move(peers)),
      m_recorder(recorder)
{
    m_application->TraceConnectWithoutContext("Connection",
                                              MakeCallback(&ConnectionProbe::Add, this));
    Simulator::ScheduleWithContext(m_application->GetNode()->GetId(),
                                   origin,
                                   &ConnectionProbe::Report,
                                   this);
}

ConnectionProbe::~ConnectionProbe() = default;

void
ConnectionProbe::Add(Ptr<Socket> socket, uint32_t peer)
{
    if (m_application->HasAccepted(*socket))
    {
        m_ends.push_back(std::make_unique<End>(*socket, peer));
    }
}

void
ConnectionProbe::Report()
{
    const double now = m_application->GetNow();
    std::vector<uint32_t> connections(m_peers.size());
    for (const auto& end : m_ends)
    {
        const uint32_t peer = end->GetPeer();
        ConnectionRecord record =
            end->MakeRecord({m_endpoint, m_peers[peer]}, connections[peer]++, now);
        record.streamWindow = m_application->GetStreamWindow(peer);
        m_recorder.Tell(record);
    }
    ModelClock::Schedule(INTERVAL, [this] { Report(); });
}

} // namespace ns3::dml
