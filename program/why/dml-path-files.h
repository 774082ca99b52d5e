/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PATH_FILES_H
#define DML_PATH_FILES_H

#include "dml-why-report.h"

#include "ns3/dml-plot-script.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Write critical-path.csv: a row for each segment of the critical paths of all steps that
 * count, with the columns workers, engine, worker, step, start, end, part (see ToString(TimePart)),
 * kind, op, op_worker, op_step, device, link (nothing, dependency or device), queued (seconds of
 * its end in which the next op waited in the queue of this one's device). Times in seconds.
 * @param path of the file
 * @param runs of one trace
 * @throws InputError if it cannot be created, RunError if it cannot be written
 */
void WritePathCsv(const std::string& path, const std::vector<WhyAnalysis>& runs);

/**
 * @brief Write a trace again with a process for each run whose threads are the critical paths of
 * its workers, and with arrows along them between what ran.
 * @param path of the file
 * @param trace path of the trace
 * @param runs of it
 * @throws InputError if it cannot be created, RunError if it cannot be written
 */
void WritePathTrace(const std::string& path,
                    const std::string& trace,
                    const std::vector<WhyAnalysis>& runs);

/**
 * @param title of the plot
 * @param runs at least one
 * @return critical-path: for each worker the mean seconds of a step by TimePart, one panel per run
 */
PlotScript PlotPaths(const std::string& title, const std::vector<WhyAnalysis>& runs);

} // namespace ns3::dml

#endif /* DML_PATH_FILES_H */
