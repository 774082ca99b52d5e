/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_ANSWER_H
#define DML_STUDY_ANSWER_H

#include "ns3/dml-result-summary.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief What a study answers, in some sentences with their uncertainty.
 *
 * The fastest configuration, in the engine nearest to reality that ran; what it gains over the one
 * with fewest workers or over the next best variant; how busy the servers' links are there; and how
 * far the engines are apart.
 *
 * @param summary the results
 * @return sentences; one that says so if no throughput is known
 */
std::vector<std::string> AnswerStudy(const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_STUDY_ANSWER_H */
