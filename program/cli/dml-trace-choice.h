/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRACE_CHOICE_H
#define DML_TRACE_CHOICE_H

#include "dml-command-line.h"

#include "ns3/dml-run-trace.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// @param results a folder of results, or a trace in one @return path of the trace
/// @throws InputError if a folder has none
std::string FindTrace(const std::string& results);

/**
 * @param traces of a file
 * @param options of the command: --engine; without it, all engines that there are
 * @param path of the file, for messages
 * @return the runs with the most workers of these engines, at least one
 * @throws InputError if there is none with a step
 */
std::vector<const RunTrace*> ChooseRuns(const RunTraces& traces,
                                        const CommandOptions& options,
                                        const std::string& path);

} // namespace dml
} // namespace ns3

#endif /* DML_TRACE_CHOICE_H */
