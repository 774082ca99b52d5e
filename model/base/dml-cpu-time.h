/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CPU_TIME_H
#define DML_CPU_TIME_H

#include <fstream>
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

/// @return CPU seconds that this machine's processors were not there for others since it was
/// started: all processes have taken them, or, where it is a virtual machine, its host has
inline double
ReadBusySeconds()
{
    std::ifstream file("/proc/stat");
    std::string word;
    double user = 0;
    double nice = 0;
    double system = 0;
    double other = 0; // idle, waiting for a disk, interrupts of two kinds
    double stolen = 0;
    file >> word >> user >> nice >> system >> other >> other >> other >> other >> stolen;
    return (user + nice + system + stolen) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

} // namespace ns3::dml

#endif /* DML_CPU_TIME_H */
