/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_STEPS_H
#define DML_SCENARIO_READER_STEPS_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// Most steps per worker.
constexpr uint64_t MAX_STEPS = 100000000;

/**
 * @return `job.steps` and `job.warmup`: how long a run is
 *
 * Steps are a number, or `auto`, or {auto: TARGET, at_most: STEPS} with a target such as 2% or
 * 0.02. The warm-up is a number, or `auto`, which goes with steps that are `auto` and is what they
 * have by default.
 */
const Keys<JobSpec>& StepKeys();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_STEPS_H */
