/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CPU_TIME_H
#define DML_CPU_TIME_H

#include <sys/resource.h>

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

} // namespace ns3::dml

#endif /* DML_CPU_TIME_H */
