/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CHILD_PROCESS_H
#define DML_CHILD_PROCESS_H

#include "dml-emergency-cleanup.h"

#include <sys/types.h>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief A process that this one has made, and that never outlives it unnoticed: the destructor
 * ends it and waits for it, as does whatever ends this process, SIGKILL apart. So nobody writes any
 * more into a folder that is removed afterwards.
 */
class ChildProcess
{
  public:
    /// How a process is ended.
    enum class Ending
    {
        KILL,       //!< SIGKILL ends it at once.
        KILL_GROUP, //!< SIGKILL ends it and the other processes of the group that it leads.
        TERMINATE,  //!< SIGTERM lets it end the processes that it has made before itself.
    };

    /// None yet. @param ending of the one that Fork() makes
    explicit ChildProcess(Ending ending = Ending::KILL);

    /// End().
    ~ChildProcess();

    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    /**
     * @brief Make the process, the first of a group with Ending::KILL_GROUP.
     * @return true in the new process, to which this object is as if there were none
     * @throws RunError if there can be none
     */
    bool Fork();

    /// @return whether it is still to be waited for
    bool IsRunning() const
    {
        return m_process > 0;
    }

    /// @return its number; 0: there is none
    pid_t Get() const
    {
        return m_process;
    }

    /// Wait until it has ended by itself. @return its status, as of waitpid()
    int Wait() noexcept;

    /// End it if it is running, and wait for it. @return its status, as of waitpid()
    int End() noexcept;

  private:
    Ending m_ending;            //!< how it is ended
    pid_t m_process{0};         //!< its number, or 0
    int m_status{0};            //!< What waitpid() said of the last process.
    EmergencyCleanup m_cleanup; //!< instead of the destructor
};

/**
 * @ingroup dml-base
 * @brief Takes over processes whose parent, a descendant of this process, has been ended, and waits
 * for them in its destructor, 10 s at most: processes of the host engine and of MPI, which end with
 * their parent, a moment later. There must be no other children then. Linux; elsewhere it does
 * nothing.
 */
class OrphanKeeper
{
  public:
    OrphanKeeper();
    ~OrphanKeeper();

    OrphanKeeper(const OrphanKeeper&) = delete;
    OrphanKeeper& operator=(const OrphanKeeper&) = delete;

  private:
    EmergencyCleanup m_cleanup; //!< instead of the destructor
};

} // namespace ns3::dml

#endif /* DML_CHILD_PROCESS_H */
