/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TASK_PROGRESS_H
#define DML_TASK_PROGRESS_H

#include <functional>
#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-study
 * @brief Who is told how far a task is.
 */
struct TaskProgress
{
    std::function<void(double)> fraction{};          //!< told the part that is done, 0 to 1
    std::function<void(const std::string&)> state{}; //!< told what it does instead of going on;
                                                     //!< empty when it goes on

    /// @param done part of the task, 0 to 1
    void operator()(double done) const
    {
        fraction(done);
    }
};

} // namespace ns3::dml

#endif /* DML_TASK_PROGRESS_H */
