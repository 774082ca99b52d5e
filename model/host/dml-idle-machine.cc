/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-idle-machine.h"

#include "ns3/dml-cpu-time.h"
#include "ns3/dml-error.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace ns3::dml
{

namespace
{

/// Seconds of a look: fifty times the unit in which the kernel counts.
constexpr double LOOK_SECONDS = 0.5;

/// @param file of the counters @return CPU seconds that others than this process have taken so far
double
ReadOtherSeconds(const std::string& file)
{
    const auto busy = TryReadBusySeconds(file);
    if (!busy)
    {
        throw RunError(file + ": has no counters of the processors, which tell whether this "
                              "machine is idle");
    }
    return *busy - ReadCpuSeconds(RUSAGE_SELF) - ReadCpuSeconds(RUSAGE_CHILDREN);
}

/// @return @p probe with all that it lacks
MachineProbe
Complete(MachineProbe probe)
{
    if (!probe.clock)
    {
        probe.clock = [] {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            return std::chrono::duration<double>(now).count();
        };
    }
    if (!probe.sleep)
    {
        probe.sleep = [](double seconds) {
            std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        };
    }
    return probe;
}

} // namespace

bool
MachineUse::IsBusy() const
{
    return cores > DISTURBING_CORES;
}

MachineUse
WaitForIdleMachine(double most,
                   const std::function<void(const MachineUse&, double)>& tell,
                   const MachineProbe& given)
{
    const MachineProbe probe = Complete(given);
    const double start = probe.clock();
    double begin = start;
    double before = ReadOtherSeconds(probe.file);
    MachineUse use;
    for (;;)
    {
        probe.sleep(LOOK_SECONDS);
        const double now = probe.clock();
        const double after = ReadOtherSeconds(probe.file);
        use.cores = std::max(0.0, after - before) / (now - begin);
        use.waited = begin - start;
        const double left = most - (now - start - LOOK_SECONDS);
        if (!use.IsBusy() || left <= 0)
        {
            return use;
        }
        if (tell)
        {
            tell(use, left);
        }
        begin = now;
        before = after;
    }
}

} // namespace ns3::dml
