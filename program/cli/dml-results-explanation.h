/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RESULTS_EXPLANATION_H
#define DML_RESULTS_EXPLANATION_H

#include <string>

namespace ns3::dml
{

/**
 * @brief What the steps in a study's trace waited for, and where engines differ; draws
 * critical-path.svg.
 * @param folder of results
 * @return lines of at most 80 columns, or why there are none; nothing without a trace
 */
std::string ExplainResults(const std::string& folder);

} // namespace ns3::dml

#endif /* DML_RESULTS_EXPLANATION_H */
