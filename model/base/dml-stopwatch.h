/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STOPWATCH_H
#define DML_STOPWATCH_H

#include "dml-cpu-time.h"

#include <chrono>

namespace ns3::dml
{

/**
 * @ingroup dml-base
 * @brief Wall-clock and CPU time of this process since it was made.
 */
class Stopwatch
{
  public:
    /// @return seconds on the clock
    double GetWallSeconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

    /// @return CPU seconds
    double GetCpuSeconds() const
    {
        return ReadCpuSeconds(RUSAGE_SELF) - m_cpu;
    }

  private:
    std::chrono::steady_clock::time_point m_start{std::chrono::steady_clock::now()}; //!< wall
    double m_cpu{ReadCpuSeconds(RUSAGE_SELF)}; //!< CPU seconds at the start
};

} // namespace ns3::dml

#endif /* DML_STOPWATCH_H */
