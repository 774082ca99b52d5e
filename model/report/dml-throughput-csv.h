/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_THROUGHPUT_CSV_H
#define DML_THROUGHPUT_CSV_H

#include "dml-result-file.h"
#include "dml-result-summary.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief The results in long form, for pandas and R: a line for each replication.
 *
 * Columns: model, batch_size, workers, parameter_servers; a column for each swept key but seed, by
 * its path, empty where a variant does not set it; engine, replication, seed, throughput
 * (samples/s, empty if undefined), mean_step (s), steps, t0 and t1 (s, of the interval that
 * counts), drops, retransmissions, timeouts (empty where an engine has none). Nothing depends on
 * the clock.
 *
 * @param file gets them, row by row
 * @param summary the results
 */
void WriteThroughputCsv(ResultFile& file, const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_THROUGHPUT_CSV_H */
