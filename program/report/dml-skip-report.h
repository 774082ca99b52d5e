/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SKIP_REPORT_H
#define DML_SKIP_REPORT_H

#include "dml-result-summary.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Say how much of the runs was skipped by `packet.fast_forward`, and how far off that is.
 * @param summary of a study
 * @return two notes; none if no run could skip
 */
std::vector<std::string> MakeSkipNotes(const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_SKIP_REPORT_H */
