/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_EMERGENCY_CLEANUP_H
#define DML_EMERGENCY_CLEANUP_H

#include <sys/types.h>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Does what a destructor would have done where a process ends without destructors: by
 * std::terminate(), which an exception in a destructor calls (that of nlohmann::json takes memory),
 * and by SIGHUP, SIGINT, SIGPIPE and SIGTERM, which then end the process as they would without.
 *
 * A member of the class whose destructor it stands for. Signals are caught while there is one, each
 * unless it is ignored or something else catches it. Processes that fork() makes do nothing for
 * those of their parent. For programs with one thread.
 */
class EmergencyCleanup
{
  public:
    /// What is done: async-signal-safe, and without memory.
    using Action = void (*)(void* object) noexcept;

    /// @param action to be done @param object it is told, which outlives this
    EmergencyCleanup(Action action, void* object);

    /// Forgets the action.
    ~EmergencyCleanup();

    EmergencyCleanup(const EmergencyCleanup&) = delete;
    EmergencyCleanup& operator=(const EmergencyCleanup&) = delete;

    /// Do the actions of this process, the newest one first. For a handler of std::terminate().
    static void RunAll() noexcept;

  private:
    Action m_action;            //!< what is done
    void* m_object;             //!< for what
    pid_t m_process;            //!< by whom
    EmergencyCleanup* m_before; //!< the next older one, or null
};

} // namespace ns3::dml

#endif /* DML_EMERGENCY_CLEANUP_H */
