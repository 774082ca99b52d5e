/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_THROUGHPUT_TRIAL_H
#define DML_THROUGHPUT_TRIAL_H

#include <string>
#include <vector>

namespace ns3::dml
{

class StudyPlan;

/**
 * @ingroup dml-study
 * @brief Find configurations of a study that will have no throughput, by running the first
 * replication of each in the fair-share engine.
 *
 * Nothing is tried if that would take more than a second or so of CPU, or the study does not have
 * that engine. A trial that fails tells nothing.
 *
 * @param plan of the study, with estimates
 * @return warnings, such as "W=4: ...", one for each reason
 */
std::vector<std::string> FindUndefinedThroughputs(const StudyPlan& plan);

} // namespace ns3::dml

#endif /* DML_THROUGHPUT_TRIAL_H */
