/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_IMPORTER_H
#define DML_TRACE_IMPORTER_H

#include "ns3/dml-import-format.h"
#include "ns3/dml-import-options.h"
#include "ns3/dml-import-result.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Import trace.json as a run of this program wrote it (TRACE_SCHEMA).
 *
 * The profile is the one that ran: its model, batch size, source, tensors, devices, ops in listing
 * order and dependencies are in the file. Durations are those of the events: on the device that the
 * worker had, in ns. Each complete step of one worker gives the sample of the number that it
 * replayed, in the order of these numbers; of several steps with one number the first counts. A
 * file whose end is missing gives the steps that it has.
 *
 * ImportResult::transfers has all transfers of all complete steps of that worker, numbered in the
 * order in which they ended. `start` is when the sender could begin, `end` when the receiver had
 * parsed it; machines are called "worker0" and "ps0".
 *
 * @param files traces of the same job
 * @param options model and batch size; `worker`: its number, in the first run of a file (default
 * 0), or a process of it by name, such as "packet worker 1"
 * @return the profile
 * @throws InputError naming file, line, column and JSON path if a file is no such trace, has no
 * such worker, or no complete step of it
 */
ImportResult ImportDmlTrace(const std::vector<std::string>& files, const ImportOptions& options);

/// @return the format of traces that dml writes
ImportFormat DmlTraceFormat();

} // namespace ns3::dml

#endif /* DML_TRACE_IMPORTER_H */
