/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BULK_TRAFFIC_H
#define DML_BULK_TRAFFIC_H

#include "ns3/bulk-send-application.h"
#include "ns3/inet-socket-address.h"
#include "ns3/node.h"
#include "ns3/packet-sink.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// A star of hosts: the server, then the workers.
struct Star
{
    std::vector<Ptr<Node>> hosts;                    //!< server first
    std::vector<Ipv4Address> addresses;              //!< of the hosts
    std::vector<Ptr<PointToPointNetDevice>> devices; //!< of all nodes
    TypeId protocol{TcpSocketFactory::GetTypeId()};  //!< what makes the sockets
};

/**
 * @brief ns-3's BulkSend and PacketSink in the rhythm of a training job: every worker gets bytes
 * from the server, then sends as many, step by step.
 */
class BulkTraffic
{
  public:
    /**
     * @brief Install the applications; they end the simulation.
     * @param star where; must outlive the simulation
     * @param bytes per worker, step and direction
     * @param steps of every worker, at least 1
     */
    BulkTraffic(const Star& star, uint64_t bytes, uint32_t steps)
        : m_star(star),
          m_bytes(bytes),
          m_steps(steps),
          m_workers(star.hosts.size() - 1)
    {
        for (uint32_t worker = 0; worker < m_workers.size(); ++worker)
        {
            m_workers[worker].down = AddSink(worker + 1, PORT);
            m_workers[worker].up = AddSink(0, PORT + worker);
            Send(0, worker + 1, PORT);
        }
        Simulator::Schedule(POLL, &BulkTraffic::Poll, this);
    }

  private:
    /// Where a worker is.
    struct Worker
    {
        Ptr<PacketSink> down; //!< at the worker
        Ptr<PacketSink> up;   //!< at the server
        uint32_t sent{0};     //!< times that it has begun to send
        uint32_t done{0};     //!< steps done
    };

    static constexpr uint16_t PORT = 5000;
    const Time POLL = MilliSeconds(1);

    Ptr<PacketSink> AddSink(uint32_t host, uint16_t port)
    {
        const auto sink = CreateObject<PacketSink>();
        sink->SetAttribute("Protocol", TypeIdValue(m_star.protocol));
        sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), port)));
        m_star.hosts[host]->AddApplication(sink);
        return sink;
    }

    void Send(uint32_t from, uint32_t to, uint16_t port)
    {
        const auto source = CreateObject<BulkSendApplication>();
        source->SetAttribute("Protocol", TypeIdValue(m_star.protocol));
        source->SetAttribute("Remote", AddressValue(InetSocketAddress(m_star.addresses[to], port)));
        source->SetAttribute("MaxBytes", UintegerValue(m_bytes));
        m_star.hosts[from]->AddApplication(source);
    }

    /// A trace of what arrives would cost the comparison something for each packet.
    void Poll()
    {
        uint32_t running = 0;
        for (uint32_t i = 0; i < m_workers.size(); ++i)
        {
            Worker& worker = m_workers[i];
            if (worker.sent == worker.done &&
                worker.down->GetTotalRx() == (worker.done + 1) * m_bytes)
            {
                ++worker.sent;
                Send(i + 1, 0, PORT + i);
            }
            else if (worker.up->GetTotalRx() == (worker.done + 1) * m_bytes &&
                     ++worker.done < m_steps)
            {
                Send(0, i + 1, PORT);
            }
            running += worker.done < m_steps ? 1 : 0;
        }
        if (running == 0)
        {
            Simulator::Stop();
            return;
        }
        Simulator::Schedule(POLL, &BulkTraffic::Poll, this);
    }

    const Star& m_star;            //!< where
    uint64_t m_bytes;              //!< per worker, step and direction
    uint32_t m_steps;              //!< of every worker
    std::vector<Worker> m_workers; //!< by index
};

} // namespace ns3::dml

#endif /* DML_BULK_TRAFFIC_H */
