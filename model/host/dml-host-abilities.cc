/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-abilities.h"

#include "dml-host-messages.h"
#include "dml-host-program.h"
#include "dml-network-namespace.h"

#include "ns3/dml-child-process.h"
#include "ns3/dml-congestion-controls.h"
#include "ns3/dml-error.h"
#include "ns3/dml-open-file.h"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <unistd.h>

namespace ns3::dml
{

// as it goes from process to process
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HostAbilities, ip, tc, qdiscs, congestionControl, canForward)

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
    const OpenFile file(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return setsockopt(file.Get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), name.size()) == 0;
}

/// @brief Probe, and say through a pipe what was found; the process must end then.
/// @param file end of the pipe
void
SayAbilities(int file)
{
    HostMessageWriter writer(file);
    try
    {
        EnterUserNamespace();
        const auto found = nlohmann::json::to_cbor(ProbeHostAbilities());
        writer.Send({HostMessageKind::SUMMARY, 0, {found.begin(), found.end()}});
    }
    catch (const std::exception& error)
    {
        writer.Send({HostMessageKind::FAILED, 0, error.what()});
    }
    writer.Finish();
}

/// @return what this machine offers, found out by a process that ends then
HostAbilities
AskForAbilities()
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
    {
        throw RunError("cannot make a pipe");
    }
    const OpenFile read(ends[0]);
    OpenFile write(ends[1]);
    ChildProcess process;
    if (process.Fork())
    {
        SayAbilities(write.Get());
        _exit(0);
    }
    write = OpenFile();
    std::vector<HostMessage> messages;
    HostMessageReader(read.Get()).Read(messages); // up to the end, as the pipe blocks
    process.Wait();
    if (messages.empty() || messages.front().kind != HostMessageKind::SUMMARY)
    {
        throw RunError("host engine: " + (messages.empty() ? "this machine could not be probed"
                                                           : messages.front().body));
    }
    return nlohmann::json::from_cbor(messages.front().body);
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
    for (const auto& variant : CongestionControls().GetNames())
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

const HostAbilities&
GetHostAbilities()
{
    static const HostAbilities abilities = AskForAbilities();
    return abilities;
}

} // namespace ns3::dml
