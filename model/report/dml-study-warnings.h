/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STUDY_WARNINGS_H
#define DML_STUDY_WARNINGS_H

#include "dml-result-summary.h"

#include "ns3/dml-prepared-scenario.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-report
 * @brief Why results with large packets are wrong where packets are lost; for warnings before and
 * after a run.
 * @return the end of a sentence, from "a loss of a large packet" on
 */
std::string DescribeLargeLoss();

/// @param mtu bytes of an IP packet @return whether its loss is worse than one on a real network
bool IsLargePacket(uint32_t mtu);

/**
 * @ingroup dml-report
 * @brief Everything about a scenario that can be known before it runs and is probably not meant.
 *
 * `check` and `run` say it in the same words.
 * @param prepared the scenario
 * @param engines which engines will run it
 * @return "file:line:column: key: found ...", one for each
 */
std::vector<std::string> FindWarnings(const PreparedScenario& prepared, const EngineSet& engines);

/**
 * @ingroup dml-report
 * @brief Faults and background flows that would have begun after the end of runs.
 * @param scenarios variants
 * @param summary results of some or all of their runs
 * @return notes, one for each
 */
std::vector<std::string> MakeLateNotes(const std::vector<Scenario>& scenarios,
                                       const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_STUDY_WARNINGS_H */
