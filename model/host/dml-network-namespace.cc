/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-namespace.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

/// A setting of the system that can forbid user namespaces.
struct NamespaceGate
{
    const char* name;  //!< of sysctl
    const char* shut;  //!< its value that forbids
    const char* opens; //!< one that does not
};

constexpr NamespaceGate NAMESPACE_GATES[] = {
    {"kernel.unprivileged_userns_clone", "0", "1"},
    {"user.max_user_namespaces", "0", "10000"},
    {"user.max_net_namespaces", "0", "10000"},
    {"kernel.apparmor_restrict_unprivileged_userns", "1", "0"},
};

/// @return whether this thread may administrate its own network and its system
bool
MayMakeNetworks()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
    if (syscall(SYS_capget, &header, data) != 0)
    {
        return false;
    }
    constexpr uint32_t WANTED = (1U << CAP_NET_ADMIN) | (1U << CAP_SYS_ADMIN);
    return (data[0].effective & WANTED) == WANTED;
}

/// @param name of sysctl @return its value, empty if there is no such setting
std::string
ReadGate(std::string name)
{
    std::replace(name.begin(), name.end(), '.', '/');
    std::string value;
    std::ifstream("/proc/sys/" + name) >> value;
    return value;
}

/// @param step that failed @throws RunError always
[[noreturn]] void
RefuseUserNamespace(const std::string& step)
{
    const std::string reason = std::strerror(errno);
    std::string shut;
    std::string open;
    for (const auto& gate : NAMESPACE_GATES)
    {
        if (ReadGate(gate.name) == gate.shut)
        {
            shut += std::string(shut.empty() ? "" : ", ") + gate.name + " = " + gate.shut;
            open += std::string(" ") + gate.name + "=" + gate.opens;
        }
    }
    throw RunError(
        "the host engine needs network namespaces, which this system does not give to this user (" +
        step + ": " + reason + "); " +
        (shut.empty()
             ? "a container or a security module may forbid them: run dml as root, in a "
               "container with --privileged"
             : shut + " forbids them: run dml as root, or once \"sysctl -w" + open + "\" as root"));
}

/// Write a file of /proc/self. @return whether that worked; if not, errno says why
bool
WriteOwn(const std::string& name, const std::string& text)
{
    const OpenFile file(open(("/proc/self/" + name).c_str(), O_WRONLY | O_CLOEXEC));
    return file.Get() >= 0 &&
           write(file.Get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// @param what could not be done; errno says why @throws RunError always
[[noreturn]] void
RefuseNamespace(const std::string& what)
{
    throw RunError("the host engine cannot " + what + ": " + std::strerror(errno));
}

/// @return the network namespace that the calling thread is in
OpenFile
OpenNamespace()
{
    OpenFile file(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    if (file.Get() < 0)
    {
        RefuseNamespace("open /proc/thread-self/ns/net");
    }
    return file;
}

} // namespace

void
EnterUserNamespace()
{
    if (MayMakeNetworks())
    {
        return;
    }
    const std::string user = std::to_string(geteuid());
    const std::string group = std::to_string(getegid());
    if (unshare(CLONE_NEWUSER) != 0)
    {
        RefuseUserNamespace("unshare(CLONE_NEWUSER)");
    }
    // before there were user namespaces for all, there was no setgroups
    if (!WriteOwn("setgroups", "deny") && errno != ENOENT)
    {
        RefuseUserNamespace("writing /proc/self/setgroups");
    }
    if (!WriteOwn("uid_map", "0 " + user + " 1"))
    {
        RefuseUserNamespace("writing /proc/self/uid_map");
    }
    if (!WriteOwn("gid_map", "0 " + group + " 1"))
    {
        RefuseUserNamespace("writing /proc/self/gid_map");
    }
    // the old one belongs to others: a thread that left it could not come back
    if (unshare(CLONE_NEWNET) != 0)
    {
        RefuseUserNamespace("unshare(CLONE_NEWNET)");
    }
}

NetworkNamespace::NetworkNamespace()
{
    const OpenFile before = OpenNamespace();
    if (unshare(CLONE_NEWNET) != 0)
    {
        RefuseNamespace("make a network namespace");
    }
    m_file = OpenNamespace();
    if (setns(before.Get(), CLONE_NEWNET) != 0)
    {
        RefuseNamespace("return to its own network namespace");
    }
}

void
NetworkNamespace::Enter() const
{
    if (setns(m_file.Get(), CLONE_NEWNET) != 0)
    {
        RefuseNamespace("enter a network namespace");
    }
}

std::string
NetworkNamespace::GetPath() const
{
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(m_file.Get());
}

NetworkVisit::NetworkVisit(const NetworkNamespace& place)
    : m_before(OpenNamespace())
{
    place.Enter();
}

NetworkVisit::~NetworkVisit()
{
    // a thread in the wrong network would only do more harm
    if (setns(m_before.Get(), CLONE_NEWNET) != 0)
    {
        std::abort();
    }
}

} // namespace ns3::dml
