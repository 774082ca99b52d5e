/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_REPLAY_REPORT_H
#define DML_REPLAY_REPORT_H

#include "ns3/dml-job-step.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// Predicted times beside which measured ones are shown.
struct ReplayColumn
{
    std::string title;              //!< "replayed", ...
    std::vector<WorkerTimes> times; //!< by worker
};

/**
 * @brief Compare with what was measured, worker by worker.
 * @param job one step
 * @param columns predictions of it
 * @return lines of at most 80 columns
 */
std::string FormatReplay(const JobStep& job, const std::vector<ReplayColumn>& columns);

} // namespace ns3::dml

#endif /* DML_REPLAY_REPORT_H */
