/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PREPARED_CASE_H
#define DML_PREPARED_CASE_H

#include "dml-prepared-scenario.h"

#include <memory>
#include <vector>

namespace ns3::dml
{

/// What a run needs, whichever engine it is of.
struct PreparedCase
{
    std::vector<TrainingRun> runs;                 //!< of all jobs, the first one first
    std::shared_ptr<const ClusterNetwork> network; //!< of their hosts
};

/**
 * @ingroup dml-prepare
 * @brief The same work for both engines: samples, start offsets and windows are drawn here.
 * @param prepared the scenario
 * @param workers number of workers of the first job
 * @param replication number of the replication, from 0
 * @return the runs; with `job.steps: auto` they go on until they are stopped
 */
PreparedCase PrepareCase(const PreparedScenario& prepared, uint32_t workers, uint32_t replication);

} // namespace ns3::dml

#endif /* DML_PREPARED_CASE_H */
