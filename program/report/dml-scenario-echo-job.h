/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_ECHO_JOB_H
#define DML_SCENARIO_ECHO_JOB_H

#include "ns3/dml-key-values.h"
#include "ns3/dml-scenario.h"

#include <nlohmann/json.hpp>
#include <string>

namespace ns3
{
namespace dml
{

/// @param job the first one of a scenario @return its section
nlohmann::ordered_json JobToJson(const JobSpec& job);

/// @param job another one @return its section, without what the first job decides
nlohmann::ordered_json OtherJobToJson(const JobSpec& job);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_ECHO_JOB_H */
