/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TABLE_H
#define DML_TABLE_H

#include "dml-result-summary.h"
#include "dml-sweep-summary.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief The results as a table of at most 80 columns, one per variant, with remarks below.
 *
 * Columns: number of workers; throughput of each engine, with the half-width of its 95 %
 * confidence interval; CaseSummary::GetDifference() with its interval, and a question mark if that
 * has 0 in it or a single pair gives none; the baselines; utilisation of the busiest server's link,
 * downlink / uplink, of the last engine that ran, in the order of EngineKind.
 * "-" stands for what was not run or is undefined, or for an interval that a single replication
 * does not give. Below the last table it is said on how many replications the intervals stand.
 * Where workers wait for each other, or are not alike, a SyncTable follows. The notes of the
 * summary come last.
 *
 * Of a sweep the last table has all variants in a line each, see FormatSweep().
 *
 * @param summary the results
 * @param grey whether to grey differences with a question mark, for a terminal
 * @return lines, each with its line end
 */
std::string FormatTable(const RunSummary& summary, bool grey = false);

/// @param summary the results, or the first part of many @param grey as above @param sweep of all
/// results @return as above
std::string FormatTable(const RunSummary& summary, bool grey, const SweepSummary& sweep);

} // namespace ns3::dml

#endif /* DML_TABLE_H */
