/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-child-process.h"

#include "dml-error.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace ns3::dml
{

namespace
{

void
EndProcess(void* process) noexcept
{
    static_cast<ChildProcess*>(process)->End();
}

/// Wait until there are no children, or too long.
void
WaitForOrphans([[maybe_unused]] void* keeper) noexcept
{
#ifdef __linux__
    constexpr timespec PAUSE{0, 1000000};
    constexpr int MOST = 10000;
    for (int pauses = 0; pauses < MOST; ++pauses)
    {
        pid_t ended = 0;
        while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0)
        {
        }
        if (ended < 0)
        {
            return;
        }
        nanosleep(&PAUSE, nullptr);
    }
#endif
}

} // namespace

ChildProcess::ChildProcess(Ending ending)
    : m_ending(ending),
      m_cleanup(EndProcess, this)
{
}

ChildProcess::~ChildProcess()
{
    End();
}

bool
ChildProcess::Fork()
{
    const pid_t process = fork();
    if (process < 0)
    {
        throw RunError(std::string("cannot make a process: ") + std::strerror(errno));
    }
    m_process = process;
    if (m_ending == Ending::KILL_GROUP)
    {
        setpgid(process, process); // in both, as either may be quicker
    }
    return process == 0;
}

int
ChildProcess::Wait() noexcept
{
    while (IsRunning() && waitpid(m_process, &m_status, 0) < 0 && errno == EINTR)
    {
    }
    m_process = 0;
    return m_status;
}

int
ChildProcess::End() noexcept
{
    if (IsRunning())
    {
        kill(m_ending == Ending::KILL_GROUP ? -m_process : m_process,
             m_ending == Ending::TERMINATE ? SIGTERM : SIGKILL);
    }
    return Wait();
}

OrphanKeeper::OrphanKeeper()
    : m_cleanup(WaitForOrphans, this)
{
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1);
#endif
}

OrphanKeeper::~OrphanKeeper()
{
    WaitForOrphans(this);
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 0);
#endif
}

} // namespace ns3::dml
