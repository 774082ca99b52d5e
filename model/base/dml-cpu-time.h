/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CPU_TIME_H
#define DML_CPU_TIME_H

#include <fstream>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace ns3::dml
{

/// @param who RUSAGE_SELF, or RUSAGE_CHILDREN: ended children, and theirs @return CPU seconds, user
/// and system, that they have taken
inline double
ReadCpuSeconds(int who)
{
    rusage usage{};
    getrusage(who, &usage);
    const auto seconds = [](const timeval& t) { return t.tv_sec + 1e-6 * t.tv_usec; };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Cores that others may take, on average, before throughputs of runs in real time differ by
/// several per cent; measured.
constexpr double DISTURBING_CORES = 0.25;

/// @param path of the counters, see proc_stat(5) @return CPU seconds that this machine's processors
/// were not there for others since it was started: all processes have taken them, or, where it is a
/// virtual machine, its host has; nothing if the file does not begin with such counters
inline std::optional<double>
TryReadBusySeconds(const std::string& path)
{
    std::ifstream file(path);
    std::string word;
    double user = 0;
    double nice = 0;
    double system = 0;
    double other = 0; // idle, waiting for a disk, interrupts of two kinds
    double stolen = 0;
    file >> word >> user >> nice >> system >> other >> other >> other >> other >> stolen;
    if (!file || word != "cpu")
    {
        return std::nullopt;
    }
    return (user + nice + system + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

/// @return as TryReadBusySeconds(), of this machine; 0 where the kernel does not count
inline double
ReadBusySeconds()
{
    return TryReadBusySeconds("/proc/stat").value_or(0);
}

} // namespace ns3::dml

#endif /* DML_CPU_TIME_H */
