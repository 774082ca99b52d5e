/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_JOB_VALUES_H
#define DML_SCENARIO_READER_JOB_VALUES_H

#include "dml-key-values.h"
#include "dml-scenario.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace dml
{

/// Most workers of a job.
constexpr uint64_t MAX_WORKERS = 100000;
/// Most parameter servers of a job.
constexpr uint64_t MAX_SERVERS = 10000;

/// @return `job.workers`: a number, or a list of them
Value<std::vector<uint32_t>> WorkersValue();

/// @return `job.placement`: a rule, or a map of servers by tensor
Value<PlacementSpec> PlacementValue();

/// @return `job.sampling`: a rule, or a list of sample indices for each worker
Value<SamplingSpec> SamplingValue();

/// @return `job.start`: a rule, or a time for each worker
Value<StartSpec> StartValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_JOB_VALUES_H */
