/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROGRESS_BOARD_H
#define DML_PROGRESS_BOARD_H

#include "dml-process-pool.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Lines at the end of a terminal that say how far a study is: one for each run that is going
 * on, and one for all.
 *
 * Writes to standard error. Where that is no terminal which can move its cursor, it is the line of
 * all runs, once a minute, and one for each run that begins to wait.
 */
class ProgressBoard
{
  public:
    /// Names a task.
    using Label = std::function<std::string(uint32_t task)>;

    /**
     * @param costs of the tasks, in any unit, for weighting
     * @param label names them
     * @param interval seconds from line to line where there is no terminal
     */
    ProgressBoard(std::vector<double> costs, Label label, double interval = 60);
    /// Clear().
    ~ProgressBoard();
    ProgressBoard(const ProgressBoard&) = delete;
    ProgressBoard& operator=(const ProgressBoard&) = delete;

    /// @param task that has ended, well or not
    void SetDone(uint32_t task);

    /// @param running what is going on now
    void Show(const std::vector<ProcessPool::Running>& running);

    /// @brief Remove the lines.
    void Clear();

    /**
     * @brief The lines' text.
     * @param running what is going on
     * @param elapsed seconds since the start
     * @param width of a line, in characters, at most 79 of which are used
     * @param height most lines
     * @return the lines, that of all tasks last
     */
    std::vector<std::string> Format(const std::vector<ProcessPool::Running>& running,
                                    double elapsed,
                                    std::size_t width,
                                    std::size_t height) const;

  private:
    std::string FormatRun(const ProcessPool::Running& run, std::size_t width) const;
    void ShowStates(const std::vector<ProcessPool::Running>& running);

    std::vector<double> m_costs;                   //!< of the tasks
    Label m_label;                                 //!< names the tasks
    double m_total{0};                             //!< of all costs
    double m_doneCosts{0};                         //!< of the tasks that have ended
    uint32_t m_doneTasks{0};                       //!< how many have ended
    double m_interval;                             //!< seconds from line to line
    double m_nextLine;                             //!< seconds until there is one
    bool m_terminal;                               //!< whether standard error is one
    std::set<uint32_t> m_waiting;                  //!< tasks of which it was said, without one
    std::size_t m_shown{0};                        //!< lines to remove
    std::chrono::steady_clock::time_point m_start; //!< wall clock
};

/// @param seconds a duration @return text such as "45 s", "3 min 20 s", "2 h 05 min"
std::string FormatDuration(double seconds);

} // namespace ns3::dml

#endif /* DML_PROGRESS_BOARD_H */
