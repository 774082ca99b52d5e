/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STOPWATCH_H
#define DML_STOPWATCH_H

#include <chrono>
#include <sys/resource.h>

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-helper
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
        return ProcessSeconds() - m_cpu;
    }

  private:
    static double ProcessSeconds()
    {
        rusage usage = {};
        getrusage(RUSAGE_SELF, &usage);
        const auto seconds = [](const timeval& t) { return t.tv_sec + 1e-6 * t.tv_usec; };
        return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    }

    std::chrono::steady_clock::time_point m_start{std::chrono::steady_clock::now()}; //!< wall
    double m_cpu{ProcessSeconds()}; //!< CPU seconds at the start
};

} // namespace dml
} // namespace ns3

#endif /* DML_STOPWATCH_H */
