/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_STEPS_H
#define DML_RECORDED_STEPS_H

#include "dml-stored-scenario.h"

#include "ns3/dml-engine-table.h"
#include "ns3/dml-match-case.h"
#include "ns3/dml-run-rows.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// Runs of engines that fair-share is compared with, in the order of the file.
using RecordedSteps = std::vector<std::pair<RunKey, MatchRecorder>>;

/// Chooses runs.
using RunFilter = std::function<bool(const RunKey&)>;

/**
 * @ingroup dml-study
 * @brief Read the steps of runs.
 * @param path of steps.csv
 * @param engines of which; fair-share is none of them
 * @param wanted chooses among their runs
 * @return the runs
 * @throws InputError that says where something is wrong
 */
RecordedSteps ReadRecordedSteps(const std::string& path,
                                const EngineSet& engines,
                                const RunFilter& wanted);

/**
 * @brief Read when the steps of some runs had their parameters, and servers their gradients; and
 * what TCP sent again, if connections.csv is there.
 * @param folder of the results
 * @param runs get it
 * @param scenario of the results
 * @throws InputError that says where something is wrong
 */
void ReadRecordedTransfers(const std::string& folder,
                           RecordedSteps& runs,
                           StoredScenario& scenario);

/// @param scenario of results @param run one of them @param path of the file that has the run
/// @return its model @throws InputError if the results have no such configuration
const PreparedScenario& FindModel(StoredScenario& scenario,
                                  const RunKey& run,
                                  const std::string& path);

/// @param model of a run @return from when on its steps count, s; nothing: from the warm-up's end.
/// Where a run found out itself how long to go on, files do not tell that, and all steps count
std::optional<double> FindFirstCounted(const PreparedScenario& model);

} // namespace ns3::dml

#endif /* DML_RECORDED_STEPS_H */
