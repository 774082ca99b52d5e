/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_CHECK_WORKLOAD_H
#define DML_SCENARIO_CHECK_WORKLOAD_H

#include "dml-scenario.h"

#include <string>

namespace ns3::dml
{

/**
 * @brief Check a job's keys against what it does: with servers or without, training or inference.
 * @param scenario of the job
 * @param key path of the job
 * @param job it
 * @throws InputError that says where and what
 */
void CheckWorkload(const Scenario& scenario, const std::string& key, const JobSpec& job);

} // namespace ns3::dml

#endif /* DML_SCENARIO_CHECK_WORKLOAD_H */
