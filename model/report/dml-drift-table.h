/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DRIFT_TABLE_H
#define DML_DRIFT_TABLE_H

#include "dml-run-finding.h"

#include "ns3/dml-restarted-model.h"

#include <string>
#include <vector>

namespace ns3::dml
{

class ResultFile;

/// How far the fair-share engine drifts from a run, by number of steps.
using RunDrift = RunFinding<RestartBias>;

/// @param runs of all variants @return a table of each variant, of at most 80 columns
std::string FormatDrifts(const std::vector<RunDrift>& runs);

/**
 * @brief Write a row for each run and number of steps: variant, workers, engine, replication,
 * horizon, longer_percent, ci95, starts, undefined_because.
 * @param file to write to @param runs likewise
 */
void WriteDriftCsv(ResultFile& file, const std::vector<RunDrift>& runs);

} // namespace ns3::dml

#endif /* DML_DRIFT_TABLE_H */
