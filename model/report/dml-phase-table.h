/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PHASE_TABLE_H
#define DML_PHASE_TABLE_H

#include "dml-run-finding.h"

#include "ns3/dml-phase-bias.h"

#include <string>
#include <vector>

namespace ns3::dml
{

class ResultFile;

/// In which phases of its steps the fair-share engine is off.
using RunPhases = RunFinding<PhaseBias>;

/**
 * @param runs of all variants
 * @return a table of each variant, of at most 80 columns: by how much the phases of each kind take
 * longer than the model's, and what that makes of the steps; the last column adds up to what all
 * steps take longer
 */
std::string FormatPhases(const std::vector<RunPhases>& runs);

/**
 * @brief Write a row for each run and kind of phase: variant, workers, engine, replication, phase,
 * others_least, others_most, count, recorded_s, predicted_s, longer_percent, ci95,
 * undefined_because.
 * @param file to write to @param runs likewise
 */
void WritePhaseCsv(ResultFile& file, const std::vector<RunPhases>& runs);

} // namespace ns3::dml

#endif /* DML_PHASE_TABLE_H */
