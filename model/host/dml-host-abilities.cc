/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-host-abilities.h"

#include "dml-host-messages.h"
#include "dml-host-program.h"
#include "dml-network-namespace.h"
#include "dml-user-namespace.h"

#include "ns3/dml-error.h"
#include "ns3/dml-tcp-variants.h"

#include <array>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ns3::dml
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

/// @param words without spaces @return them as a line
std::string
JoinLine(const std::set<std::string>& words)
{
    std::string line;
    for (const auto& word : words)
    {
        line += word + " ";
    }
    return line + "\n";
}

/// @param line of JoinLine() @return its words
std::set<std::string>
SplitLine(const std::string& line)
{
    std::istringstream words(line);
    return {std::istream_iterator<std::string>(words), {}};
}

/// @param abilities @return them as text, for another process
std::string
PackAbilities(const HostAbilities& abilities)
{
    return abilities.ip + "\n" + abilities.tc + "\n" + JoinLine(abilities.qdiscs) +
           JoinLine(abilities.congestionControl) + (abilities.canForward ? "forwards\n" : "\n");
}

/// @param text of PackAbilities() @return what it was given
HostAbilities
UnpackAbilities(const std::string& text)
{
    HostAbilities abilities;
    std::array<std::string, 3> lines;
    std::istringstream all(text);
    std::getline(all, abilities.ip);
    std::getline(all, abilities.tc);
    for (auto& line : lines)
    {
        std::getline(all, line);
    }
    abilities.qdiscs = SplitLine(lines[0]);
    abilities.congestionControl = SplitLine(lines[1]);
    abilities.canForward = !lines[2].empty();
    return abilities;
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
        writer.Send({HostMessageKind::SUMMARY, 0, PackAbilities(ProbeHostAbilities())});
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
    const pid_t process = fork();
    if (process == 0)
    {
        SayAbilities(ends[1]);
        _exit(0);
    }
    close(ends[1]);
    std::vector<HostMessage> messages;
    HostMessageReader(ends[0]).Read(messages); // up to the end, as the pipe blocks
    close(ends[0]);
    if (process > 0)
    {
        waitpid(process, nullptr, 0);
    }
    if (messages.empty() || messages.front().kind != HostMessageKind::SUMMARY)
    {
        throw RunError("host engine: " + (messages.empty() ? "this machine could not be probed"
                                                           : messages.front().body));
    }
    return UnpackAbilities(messages.front().body);
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

const HostAbilities&
GetHostAbilities()
{
    static const HostAbilities abilities = AskForAbilities();
    return abilities;
}

} // namespace ns3::dml
