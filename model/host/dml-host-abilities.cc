/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-abilities.h"

#include "dml-host-program.h"
#include "dml-network-namespace.h"

#include "ns3/dml-tcp-variants.h"

#include <array>
#include <fstream>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ns3
{
namespace dml
{

namespace
{

/// Queueing disciplines that shaping can use, each as it is tried: complete, as tc wants it.
constexpr std::array<std::array<const char*, 2>, 6> TRIED_QDISCS{{
    {"tbf", "tbf rate 1000000000bit burst 32768b limit 1000000b"},
    {"htb", "htb default 1"},
    {"bfifo", "bfifo limit 1000000b"},
    {"netem", "netem delay 1000us limit 1000"},
    {"red", "red limit 1000000b min 30000b max 90000b avpkt 1000 burst 50 bandwidth 1000000000bit"},
    {"fq_codel", "fq_codel limit 1000"},
}};

/// @param name of a congestion control @return whether a socket of this thread accepts it
bool
AcceptsCongestionControl(const std::string& name)
{
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0)
    {
        return false;
    }
    const bool accepts =
        setsockopt(file, IPPROTO_TCP, TCP_CONGESTION, name.data(), name.size()) == 0;
    close(file);
    return accepts;
}

} // namespace

HostAbilities
ProbeHostAbilities()
{
    HostAbilities abilities;
    abilities.ip = FindHostProgram("ip");
    abilities.tc = FindHostProgram("tc");
    const NetworkNamespace scratch;
    const NetworkVisit visit(scratch);
    RunHostProgram(abilities.ip, {"-batch", "-"}, "link add eth0 type veth peer name eth1\n");
    for (const auto& qdisc : TRIED_QDISCS)
    {
        const std::string command = std::string("qdisc replace dev eth0 root ") + qdisc[1];
        if (TryHostProgram(abilities.tc, {"-batch", "-"}, command + "\n").status == 0)
        {
            abilities.qdiscs.insert(qdisc[0]);
        }
    }
    std::set<std::string> names{"reno"};
    std::ifstream listed("/proc/sys/net/ipv4/tcp_available_congestion_control");
    for (std::string name; listed >> name;)
    {
        names.insert(name);
    }
    for (const auto& variant : TcpVariantNames())
    {
        names.insert(variant); // root's kernel loads what it has as a module
    }
    for (const auto& name : names)
    {
        if (AcceptsCongestionControl(name))
        {
            abilities.congestionControl.insert(name);
        }
    }
    abilities.canForward =
        bool(std::ofstream("/proc/sys/net/ipv4/ip_forward") << "1" << std::flush);
    return abilities;
}

} // namespace dml
} // namespace ns3
