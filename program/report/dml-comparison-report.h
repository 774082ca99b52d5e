/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COMPARISON_REPORT_H
#define DML_COMPARISON_REPORT_H

#include "dml-summary-comparison.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Two results side by side as tables of at most 80 columns, and what of it is certain.
 * @param comparison of them
 * @param grey whether to grey differences that may be 0, for a terminal
 * @return lines, each with its line end
 */
std::string FormatComparison(const SummaryComparison& comparison, bool grey);

/// @param comparison of two results @return it as CSV, a line for each configuration and engine
std::string FormatComparisonCsv(const SummaryComparison& comparison);

} // namespace ns3::dml

#endif /* DML_COMPARISON_REPORT_H */
