/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_DEVICES_H
#define DML_SCENARIO_READER_DEVICES_H

#include "dml-scenario.h"

#include "ns3/dml-yaml-field.h"

#include <string>

namespace ns3
{
namespace dml
{

/**
 * @brief Read what workers and servers compute on: `batch_size`, `devices`, `worker_devices`,
 * `server_devices`.
 * @param job `job`, or an item of `other_jobs`; may be missing
 * @param file path of the scenario's file, against whose folder paths are resolved
 * @param[out] spec the job
 * @throws InputError with position and key path
 */
void ReadDevices(const YamlField& job, const std::string& file, JobSpec& spec);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_DEVICES_H */
