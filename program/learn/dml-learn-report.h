/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LEARN_REPORT_H
#define DML_LEARN_REPORT_H

#include "dml-sgd-replay.h"

#include "ns3/dml-plot-script.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @brief The schemes as a table for each number of workers and engine: staleness, updates and time
 * to the target with their intervals, and the time against that of the first scheme, by
 * replication.
 * @param schemes at least one
 * @param grey whether to grey what may be 0, for a terminal
 * @return lines of at most 80 columns
 */
std::string FormatSchemes(const std::vector<LearnedScheme>& schemes, bool grey);

/// @param schemes any @return learning.csv: the curves of all runs
std::string FormatLearningCsv(const std::vector<LearnedScheme>& schemes);

/**
 * @ingroup dml-learn
 * @brief Loss over updates, and over time: means over replications, as long as all go on.
 *
 * After Fig. 6 (b) and (c) of LB-BSP.
 * @param schemes at least one
 * @param title of the plot
 * @return learning, of the schemes with the first one's engine and number of workers
 */
PlotScript PlotLearning(const std::vector<LearnedScheme>& schemes, const std::string& title);

} // namespace ns3::dml

#endif /* DML_LEARN_REPORT_H */
