/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-network-namespace.h"

#include "ns3/dml-error.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#ifdef __linux__
#include <fcntl.h>
#include <sched.h>
#endif

namespace ns3::dml
{

namespace
{

/// @param what could not be done; errno says why @throws RunError always
[[noreturn]] void
RefuseNamespace(const std::string& what)
{
    throw RunError("the host engine cannot " + what + ": " + std::strerror(errno));
}

#ifdef __linux__

/// @return open file of the network namespace that the calling thread is in
int
OpenNamespace()
{
    const int file = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (file < 0)
    {
        RefuseNamespace("open /proc/thread-self/ns/net");
    }
    return file;
}

/// @param file of a network namespace, for the calling thread to enter @return whether that worked
bool
EnterNamespace(int file)
{
    return setns(file, CLONE_NEWNET) == 0;
}

/// @brief Move the calling thread into a new one. @return whether that worked
bool
LeaveNamespace()
{
    return unshare(CLONE_NEWNET) == 0;
}

#else

int
OpenNamespace()
{
    throw RunError("the host engine needs Linux");
}

bool
EnterNamespace(int)
{
    return false;
}

bool
LeaveNamespace()
{
    return false;
}

#endif

} // namespace

NetworkNamespace::NetworkNamespace()
    : m_file(-1)
{
    const int before = OpenNamespace();
    if (!LeaveNamespace())
    {
        const int error = errno;
        close(before);
        errno = error;
        RefuseNamespace("make a network namespace");
    }
    m_file = OpenNamespace();
    const bool back = EnterNamespace(before);
    close(before);
    if (!back)
    {
        RefuseNamespace("return to its own network namespace");
    }
}

NetworkNamespace::NetworkNamespace(NetworkNamespace&& other) noexcept
    : m_file(other.m_file)
{
    other.m_file = -1;
}

NetworkNamespace::~NetworkNamespace()
{
    if (m_file >= 0)
    {
        close(m_file);
    }
}

void
NetworkNamespace::Enter() const
{
    if (!EnterNamespace(m_file))
    {
        RefuseNamespace("enter a network namespace");
    }
}

std::string
NetworkNamespace::GetPath() const
{
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(m_file);
}

NetworkVisit::NetworkVisit(const NetworkNamespace& place)
    : m_before(OpenNamespace())
{
    try
    {
        place.Enter();
    }
    catch (...)
    {
        close(m_before);
        throw;
    }
}

NetworkVisit::~NetworkVisit()
{
    // a thread in the wrong network would only do more harm
    if (!EnterNamespace(m_before))
    {
        std::abort();
    }
    close(m_before);
}

} // namespace ns3::dml
