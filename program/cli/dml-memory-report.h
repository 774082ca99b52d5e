/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEMORY_REPORT_H
#define DML_MEMORY_REPORT_H

#include "ns3/dml-memory-timeline.h"
#include "ns3/dml-profile.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-cli
 * @brief The peak of a step as tables of at most 80 columns: its parts, and the largest of what
 * lives then with the ops between which it does. MB are 10^6 bytes.
 * @param profile the job
 * @param timeline of a step of it
 * @return lines, each with its line end
 */
std::string FormatMemoryPeak(const Profile& profile, const MemoryTimeline& timeline);

/**
 * @ingroup dml-cli
 * @brief Write memory.csv, a row for each op as it runs, and live-ranges.csv, one for each tensor.
 *
 * - memory.csv: phase (from 0), op, again (1: a forward op runs a second time), then bytes:
 *   parameters, optimizer_state, input, gradients, activations, workspace, total
 * - live-ranges.csv: part, name (of the tensor, or of the op it is of; empty: the input, or what is
 * always there beside the parameters), bytes, first, last (phases)
 * @param folder of the files; it is made if it is missing
 * @param profile the job
 * @param timeline of a step of it
 * @throws InputError if a file cannot be created
 */
void WriteMemoryFiles(const std::string& folder,
                      const Profile& profile,
                      const MemoryTimeline& timeline);

} // namespace ns3::dml

#endif /* DML_MEMORY_REPORT_H */
