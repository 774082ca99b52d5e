/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-user-namespace.h"

#include "ns3/dml-error.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

#ifdef __linux__
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/syscall.h>
#endif

namespace ns3::dml
{

#ifdef __linux__

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
    for (char& letter : name)
    {
        letter = letter == '.' ? '/' : letter;
    }
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
    const int file = open(("/proc/self/" + name).c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0)
    {
        return false;
    }
    const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int error = errno;
    close(file);
    errno = error;
    return done;
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

#else

void
EnterUserNamespace()
{
    throw RunError("the host engine needs Linux");
}

#endif

} // namespace ns3::dml
