/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_MEAN_STEP_H
#define DML_MEAN_STEP_H

#include "dml-recorded-job.h"

#include "ns3/dml-job-step.h"

namespace ns3::dml
{

/**
 * @brief One step of a recorded job, with mean times over all steps of its workers but the first.
 *
 * A dependency is kept if it was there in at least half of
 * the steps.
 *
 * @param recorded the job; at least two steps of each worker
 * @param job that ran
 * @return its mean step
 * @throws InputError if a worker has fewer than three steps
 */
JobStep MakeMeanStep(const RecordedJob& recorded, const TraceJob& job);

} // namespace ns3::dml

#endif /* DML_MEAN_STEP_H */
