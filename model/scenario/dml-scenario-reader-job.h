/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_JOB_H
#define DML_SCENARIO_READER_JOB_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// @return the keys of `job`
const Keys<JobSpec>& JobKeys();

/// @return an item of `other_jobs`: a job without steps and warm-up, and with one number of workers
Value<JobSpec> OtherJobValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_JOB_H */
