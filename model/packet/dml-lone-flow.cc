/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-lone-flow.h"

#include "dml-cluster.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dml-topology-builder.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>

namespace ns3::dml
{

void
SimulateLoneFlow(const TcpSpec& tcp, uint32_t mtu, uint64_t bytes)
{
    constexpr uint16_t LISTENING = 5000;
    NetworkSpec star;
    star.mtu = mtu;
    star.tcp = tcp;
    star.queue.bytes = 0;
    Cluster cluster(tcp, std::make_shared<ClusterNetwork>(BuildNetwork(star, {{1, 1}})));
    cluster.Create();
    const InetSocketAddress address(cluster.GetAddress("ps0").GetIpv4(), LISTENING);
    const std::string protocol = "ns3::dml::ConfiguredTcpFactory";
    PacketSinkHelper(protocol, address).Install(cluster.GetNode("ps0"));
    BulkSendHelper sender(protocol, address);
    sender.SetAttribute("MaxBytes", UintegerValue(bytes));
    sender.Install(cluster.GetNode("worker0"));
    Simulator::Stop(Hours(1)); // all timers have expired
    Simulator::Run();
}

} // namespace ns3::dml
