/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SPEED_TRACE_READER_H
#define DML_SPEED_TRACE_READER_H

#include "ns3/dml-speed-trace.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// Highest speed of a device, relative to what it is compared with.
constexpr double MAX_SPEED = 1000;

/**
 * @brief Read how a device's speed changes with time.
 *
 * CSV: a header of the columns `time` and `speed`, and `cpu` and `memory` if known, in any order;
 * then one row for each change: seconds from the start of the run (0 in the first row, then
 * increasing), speed (0 to MAX_SPEED, 1 as without the trace), shares of processor and memory
 * (0 to 1; 1 where there is no such column).
 * @param path of the CSV file
 * @param repeated whether it begins again at its end; if not, the last speed must be above 0
 * @return the changes, at least one; not all speeds are 0
 * @throws InputError as "file:line:column: found ...; accepted: ..."
 */
std::vector<SpeedChange> ReadSpeedTrace(const std::string& path, bool repeated);

} // namespace ns3::dml

#endif /* DML_SPEED_TRACE_READER_H */
