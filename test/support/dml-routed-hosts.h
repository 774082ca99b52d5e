/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ROUTED_HOSTS_H
#define DML_ROUTED_HOSTS_H

#include "ns3/config.h"
#include "ns3/dml-training-helper.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdint>

namespace ns3::dml
{

/// A router, and so many hosts with a link of 100 Mbit/s to it, addressed and routed by ns-3.
class RoutedHosts
{
  public:
    explicit RoutedHosts(uint32_t hosts)
    {
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
        m_link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
        m_link.SetChannelAttribute("Delay", StringValue("10us"));
        m_addresses.SetBase("10.1.0.0", "255.255.255.0");
        InternetStackHelper stack;
        m_router.Create(1);
        m_hosts.Create(hosts);
        stack.Install(m_router);
        stack.Install(m_hosts);
        for (uint32_t host = 0; host < hosts; ++host)
        {
            Connect(m_hosts.Get(host), m_router.Get(0));
        }
    }

    ~RoutedHosts()
    {
        Simulator::Destroy();
        Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(536));
    }

    RoutedHosts(const RoutedHosts&) = delete;
    RoutedHosts& operator=(const RoutedHosts&) = delete;

    /// @param a node @param b node; a link between them, with addresses of its own
    void Connect(Ptr<Node> a, Ptr<Node> b)
    {
        m_addresses.Assign(m_link.Install(a, b));
        m_addresses.NewNetwork();
    }

    /// @param from first host @param count of hosts @return these
    NodeContainer Get(uint32_t from, uint32_t count) const
    {
        NodeContainer hosts;
        for (uint32_t host = from; host < from + count; ++host)
        {
            hosts.Add(m_hosts.Get(host));
        }
        return hosts;
    }

    /// Runs until nothing happens any more, or for 100 s.
    static void Run()
    {
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        Simulator::Stop(Seconds(100));
        Simulator::Run();
    }

  private:
    PointToPointHelper m_link;
    Ipv4AddressHelper m_addresses;
    NodeContainer m_router;
    NodeContainer m_hosts;
};

/// A server of a job on one host, and workers on others.
struct Endpoints
{
    /// @param job of which they are @param hosts the first is the server's
    /// @param count of workers, on the hosts that follow @param start of all
    Endpoints(TrainingJob& job, const RoutedHosts& hosts, uint32_t count, Time start)
        : servers(ParameterServerHelper(job).Install(hosts.Get(0, 1))),
          workers(TrainingWorkerHelper(job).Install(hosts.Get(1, count)))
    {
        servers.Start(start);
        workers.Start(start);
    }

    ApplicationContainer servers;
    ApplicationContainer workers;
};

} // namespace ns3::dml

#endif /* DML_ROUTED_HOSTS_H */
