/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROCESS_POOL_H
#define DML_PROCESS_POOL_H

#include "dml-task-progress.h"

#include "ns3/dml-error.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace ns3::dml
{

/// Tasks would have taken more CPU time than they may.
class CpuLimitError : public RunError
{
  public:
    using RunError::RunError;
};

/**
 * @ingroup dml-study
 * @brief Runs tasks in child processes, a few at a time, and collects what they return.
 *
 * ns-3's simulator is a global object, so one process runs one simulation at a time; and a child
 * that crashes takes nothing else with it. Tasks start in the given order; results are handed over
 * as they come, while the next tasks run already.
 */
class ProcessPool
{
  public:
    /// How a task ended.
    struct Result
    {
        uint32_t task{0};  //!< its index
        std::string text;  //!< what it returned, or why it failed
        int failure{0};    //!< 0: done; else the exit code that the failure asks for (1 or 2)
        bool again{false}; //!< a failure that would come again
    };

    /// Reports how far a task is.
    using Progress = TaskProgress;
    /// Does task number @c task, in a child; what it throws becomes a failure.
    using Work = std::function<std::string(uint32_t task, const Progress& progress)>;
    /// Given the first task of a process, says how many it does, one after the other: at least 1.
    /// Those that can share a process and are short need not pay for one each.
    using Share = std::function<uint32_t(uint32_t task)>;
    /// Told of every result, in the parent.
    using Done = std::function<void(const Result& result)>;

    /// A task that runs now.
    struct Running
    {
        uint32_t task{0};    //!< its index
        double fraction{0};  //!< of it that is done, 0 to 1
        double seconds{0};   //!< since it was started
        std::string state{}; //!< what it does instead of going on; empty while it goes on
    };

    /// Told of the tasks that run, in the parent, a few times per second; in the order in
    /// which their processes were started.
    using Watch = std::function<void(const std::vector<Running>& running)>;

    /**
     * @param jobs tasks that run at the same time, at least 1
     * @param cpuLimit CPU seconds that tasks may take which run one at a time; of several at a
     * time, each may take what those that have ended have left
     */
    explicit ProcessPool(uint32_t jobs, double cpuLimit = std::numeric_limits<double>::infinity());

    /**
     * @brief Run tasks 0 to @p tasks - 1 and wait for all of them.
     *
     * An exception thrown by @p done or @p watch, and SIGINT or SIGTERM, end the children. A task
     * that ends its process fails alone: those that were to come after it get another one.
     * @param tasks number of tasks
     * @param work what to do
     * @param done told of results
     * @param watch told of progress; may be empty
     * @param share which tasks share a process; if it is empty, none
     * @throws RunError if interrupted, or if no process can be made; CpuLimitError
     */
    void Run(uint32_t tasks,
             const Work& work,
             const Done& done,
             const Watch& watch,
             const Share& share = {});

  private:
    uint32_t m_jobs;   //!< tasks at the same time
    double m_cpuLimit; //!< see the constructor
};

} // namespace ns3::dml

#endif /* DML_PROCESS_POOL_H */
