/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IDLE_MACHINE_H
#define DML_IDLE_MACHINE_H

#include <functional>
#include <string>

namespace ns3::dml
{

/// How the use of this machine by others is measured; what tests replace.
struct MachineProbe
{
    std::string file{"/proc/stat"};      //!< counters of the processors, see proc_stat(5)
    std::function<double()> clock{};     //!< seconds since any instant; empty: a steady clock
    std::function<void(double)> sleep{}; //!< lets so many seconds go by; empty: sleeps
};

/// What a look at this machine has found.
struct MachineUse
{
    double cores{0};  //!< mean number that other processes, or the host of a virtual machine, took
    double waited{0}; //!< seconds for which it was waited that they take fewer

    /// @return whether they took so much that a run in real time would be disturbed
    bool IsBusy() const;
};

/**
 * @ingroup dml-host
 * @brief Wait until other processes leave this machine's cores alone, as those of a run in real
 * time are late otherwise.
 *
 * Looks at the processors' counters for half a second, and again until others take no more than
 * DISTURBING_CORES. What this process and its ended children take does not count.
 * @param most seconds to wait at most, after a first look; 0 or more. There is always that look.
 * @param tell told after each look that finds the machine busy and is not the last one: what was
 * found so far, and the seconds that are left; may be empty
 * @param probe how to look
 * @return what the last look has found, and how long it was waited
 * @throws RunError if there are no such counters
 */
MachineUse WaitForIdleMachine(double most,
                              const std::function<void(const MachineUse&, double)>& tell,
                              const MachineProbe& probe = {});

} // namespace ns3::dml

#endif /* DML_IDLE_MACHINE_H */
