/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-emergency-cleanup.h"

#include <csignal>
#include <unistd.h>

namespace ns3::dml
{

namespace
{

constexpr int SIGNALS[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM};

EmergencyCleanup* g_newest = nullptr; //!< the list of all

/// @return the signals
sigset_t
GetSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int number : SIGNALS)
    {
        sigaddset(&signals, number);
    }
    return signals;
}

/// Blocks the signals while it lives, as their handler reads the list.
class SignalBlock
{
  public:
    SignalBlock()
    {
        const sigset_t signals = GetSignals();
        sigprocmask(SIG_BLOCK, &signals, &m_before);
    }

    ~SignalBlock()
    {
        sigprocmask(SIG_SETMASK, &m_before, nullptr);
    }

    SignalBlock(const SignalBlock&) = delete;
    SignalBlock& operator=(const SignalBlock&) = delete;

  private:
    sigset_t m_before; //!< what was blocked before
};

void
CleanUpAndEnd(int number)
{
    EmergencyCleanup::RunAll();
    raise(number); // comes when this returns, and its handler has gone
}

/// Give signals whose handler is @p from the handler @p to.
void
Replace(void (*from)(int), void (*to)(int))
{
    struct sigaction action = {};
    action.sa_handler = to;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    action.sa_mask = GetSignals();
    for (const int number : SIGNALS)
    {
        struct sigaction now = {};
        if (sigaction(number, nullptr, &now) == 0 && now.sa_handler == from)
        {
            sigaction(number, &action, nullptr);
        }
    }
}

} // namespace

EmergencyCleanup::EmergencyCleanup(Action action, void* object)
    : m_action(action),
      m_object(object),
      m_process(getpid())
{
    const SignalBlock block;
    m_before = g_newest;
    g_newest = this;
    Replace(SIG_DFL, CleanUpAndEnd);
}

EmergencyCleanup::~EmergencyCleanup()
{
    const SignalBlock block;
    EmergencyCleanup** at = &g_newest;
    while (*at != this)
    {
        at = &(*at)->m_before;
    }
    *at = m_before;
    if (!g_newest)
    {
        Replace(CleanUpAndEnd, SIG_DFL);
    }
}

void
EmergencyCleanup::RunAll() noexcept
{
    const pid_t process = getpid();
    for (; g_newest; g_newest = g_newest->m_before)
    {
        if (g_newest->m_process == process)
        {
            g_newest->m_action(g_newest->m_object);
        }
    }
}

} // namespace ns3::dml
