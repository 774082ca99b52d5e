/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PROGRESS_LINE_H
#define DML_PROGRESS_LINE_H

#include <chrono>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
 * @brief One line on a terminal that says how far a study is and how long it will take.
 *
 * Writes to standard error, and only if that is a terminal.
 */
class ProgressLine
{
  public:
    /**
     * @param labels of the tasks, such as "packet W=8"
     * @param costs of the tasks, in any unit, for weighting
     */
    ProgressLine(std::vector<std::string> labels, std::vector<double> costs);
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// @param fractions done of each task, 0 to 1
    void Show(const std::vector<double>& fractions);

    /// @brief Remove the line.
    void Clear();

    /**
     * @brief The line's text.
     * @param fractions done of each task
     * @param elapsed seconds since the start
     * @return at most 79 characters
     */
    std::string Format(const std::vector<double>& fractions, double elapsed) const;

  private:
    std::vector<std::string> m_labels; //!< of the tasks
    std::vector<double> m_costs;       //!< of the tasks
    bool m_terminal;                   //!< whether standard error is one
    bool m_shown{false};               //!< whether there is a line to remove
    std::chrono::steady_clock::time_point m_start; //!< wall clock
};

/// @param seconds a duration @return text such as "45 s", "3 min 20 s", "2 h 05 min"
std::string FormatDuration(double seconds);

} // namespace dml
} // namespace ns3

#endif /* DML_PROGRESS_LINE_H */
