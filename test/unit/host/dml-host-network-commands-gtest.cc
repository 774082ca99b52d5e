/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-host-network-commands.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A switch s and hosts a and b; link 0 is a-s, link 1 s-b.
ClusterNetwork
MakeLine(bool marks = false)
{
    ClusterNetwork network;
    const uint32_t a = network.AddNode("a", false);
    const uint32_t s = network.AddNode("s", true);
    const uint32_t b = network.AddNode("b", false);
    NetworkLink link;
    link.rates = {DataRate("1Gbps"), DataRate("1Gbps")};
    link.metrics = {1, 1};
    link.queues[0].kind = QueueSpec::Kind::FAIR;
    link.queues[1].ecn = marks;
    link.ends = {a, s};
    network.AddLink(link);
    link.ends = {s, b};
    link.mtu = 9000;
    network.AddLink(link);
    return network;
}

/// Names and values of settings, a line each.
std::string
TextOfSettings(const std::vector<NetworkSetting>& settings)
{
    std::ostringstream text;
    for (const auto& setting : settings)
    {
        text << setting.name << "=" << setting.value << (setting.isOptional ? " if there" : "")
             << "\n";
    }
    return text.str();
}

} // namespace

// The second link has an MTU of 9000: its pieces are two packets and 400 bytes.
TEST(HostNetworkCommandsTest, Links)
{
    const ClusterNetwork network = MakeLine();
    const HostLayout layout(network);
    EXPECT_EQ(MakeLinkCommands(layout, {"/proc/7/fd/3", "/proc/7/fd/4", "/proc/7/fd/5"}, {}),
              "link add eth0 mtu 1500 address 02:00:00:00:00:00 gso_max_size 15000 netns "
              "/proc/7/fd/3 type veth peer name eth0 mtu 1500 address 02:00:00:00:00:01 "
              "gso_max_size 15000 netns /proc/7/fd/4\n"
              "link add eth1 mtu 9000 address 02:00:00:00:01:00 gso_max_size 18400 netns "
              "/proc/7/fd/4 type veth peer name eth0 mtu 9000 address 02:00:00:00:01:01 "
              "gso_max_size 18400 netns /proc/7/fd/5\n");
}

// 1514 / 1502 of 2 Gbit/s and of 100 Mbit/s, and the pieces of such hosts
TEST(HostNetworkCommandsTest, EachDirectionHasItsRate)
{
    ClusterNetwork network;
    NetworkLink link;
    link.ends = {network.AddNode("a", false), network.AddNode("b", false)};
    link.rates = {DataRate("2Gbps"), DataRate("100Mbps")};
    link.metrics = {1, 1};
    network.AddLink(link);
    const HostLayout layout(network);
    EXPECT_EQ(MakePort(layout, 0, {}).rate.GetBitRate(), 2015978695u);
    EXPECT_EQ(MakePort(layout, 1, {}).rate.GetBitRate(), 100798935u);
    EXPECT_EQ(MakePort(layout, 0, {}).gso, 65536u);
    EXPECT_EQ(MakePort(layout, 1, {}).gso, 15000u);
}

// a's address is that of the first end, b's of the fourth
TEST(HostNetworkCommandsTest, Nodes)
{
    const ClusterNetwork network = MakeLine();
    const HostLayout layout(network);
    TcpSpec tcp;
    EXPECT_EQ(MakeNodeCommands(layout, 0, tcp),
              "link set lo up\n"
              "addr add 10.1.0.0/31 dev eth0\n"
              "link set eth0 up\n"
              "neigh add 10.1.0.1 lladdr 02:00:00:00:00:01 dev eth0 nud permanent\n"
              "route add 10.1.0.3/32 via 10.1.0.1 dev eth0 src 10.1.0.0\n");
    EXPECT_EQ(MakeNodeCommands(layout, 1, tcp),
              "link set lo up\n"
              "addr add 10.1.0.1/31 dev eth0\n"
              "link set eth0 up\n"
              "neigh add 10.1.0.0 lladdr 02:00:00:00:00:00 dev eth0 nud permanent\n"
              "addr add 10.1.0.2/31 dev eth1\n"
              "link set eth1 up\n"
              "neigh add 10.1.0.3 lladdr 02:00:00:00:01:01 dev eth1 nud permanent\n"
              "route add 10.1.0.0/32 dev eth0\n"
              "route add 10.1.0.3/32 dev eth1\n");
    tcp.initialWindow = 4;
    tcp.minRto = MilliSeconds(30);
    const std::string lines = MakeNodeCommands(layout, 2, tcp);
    EXPECT_NE(lines.find("route add 10.1.0.0/32 via 10.1.0.2 dev eth0 src 10.1.0.3 initcwnd 4 "
                         "rto_min 30ms\n"),
              std::string::npos)
        << lines;
}

// of a port whose queue marks packets, at either end of a link
TEST(HostNetworkCommandsTest, HostsUseMarks)
{
    const ClusterNetwork network = MakeLine(true);
    const HostLayout layout(network);
    EXPECT_NE(TextOfSettings(MakeSettings(layout, 0, {})).find("ipv4/tcp_ecn=1\n"),
              std::string::npos);
}

TEST(HostNetworkCommandsTest, Settings)
{
    const ClusterNetwork network = MakeLine();
    const HostLayout layout(network);
    NetworkSpec spec;
    spec.tcp.timestamps = true;
    spec.tcp.sack = false;
    EXPECT_EQ(TextOfSettings(MakeSettings(layout, 1, spec)),
              "ipv6/conf/all/disable_ipv6=1 if there\n"
              "ipv6/conf/default/disable_ipv6=1 if there\n"
              "ipv4/ip_forward=1\n"
              "ipv4/conf/all/rp_filter=0\n"
              "ipv4/conf/default/rp_filter=0\n"
              "ipv4/tcp_no_metrics_save=1\n"
              "ipv4/tcp_sack=0\n"
              "ipv4/tcp_timestamps=1\n"
              "ipv4/tcp_ecn=0\n");
    EXPECT_NE(TextOfSettings(MakeSettings(layout, 0, spec)).find("ipv4/ip_forward=0\n"),
              std::string::npos);
}

// s sends to b from a fair port whose only pair is a to b; to a from a FIFO.
TEST(HostNetworkCommandsTest, Shaping)
{
    const ClusterNetwork network = MakeLine();
    const HostLayout layout(network);
    const std::string lines = MakeShapingCommands(layout, 1, {});
    EXPECT_EQ(lines.find("qdisc add dev eth0 root handle 1: tbf "), 0U) << lines;
    EXPECT_NE(lines.find("qdisc add dev eth1 root handle 1: htb default 2\n"), std::string::npos);
    EXPECT_NE(lines.find("match ip src 10.1.0.0/32 match ip dst 10.1.0.3/32 flowid 1:10\n"),
              std::string::npos);
    EXPECT_EQ(lines.find("flowid 1:11"), std::string::npos);
}
