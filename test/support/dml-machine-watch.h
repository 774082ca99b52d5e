/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MACHINE_WATCH_H
#define DML_MACHINE_WATCH_H

#include "ns3/dml-cpu-time.h"

#include <chrono>
#include <fmt/core.h>
#include <string>

/// Tells whether something else has used this machine since it was made. What is measured in real
/// time then shows nothing.
class MachineWatch
{
  public:
    /// @return "" if it was quiet; else what to say of a test that is left out
    std::string DescribeDisturbance() const
    {
        constexpr double MOST = 0.25; // cores; as the host engine's runs are called disturbed
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - m_start;
        const double others = ns3::dml::ReadBusySeconds() - m_busy - (ReadOwn() - m_own);
        const double cores = others / time.count();
        return cores > MOST ? fmt::format("something else took {:.2f} cores of this machine", cores)
                            : std::string();
    }

  private:
    /// @return CPU seconds of this process and of its children that have ended
    static double ReadOwn()
    {
        return ns3::dml::ReadCpuSeconds(RUSAGE_SELF) + ns3::dml::ReadCpuSeconds(RUSAGE_CHILDREN);
    }

    std::chrono::steady_clock::time_point m_start{std::chrono::steady_clock::now()}; //!< of this
    double m_busy{ns3::dml::ReadBusySeconds()}; //!< CPU seconds of all before
    double m_own{ReadOwn()};                    //!< own ones before
};

#endif /* DML_MACHINE_WATCH_H */
