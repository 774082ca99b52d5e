/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_AGGREGATING_PLAN_H
#define DML_AGGREGATING_PLAN_H

#include "dml-step-plan.h"

namespace ns3::dml
{

/**
 * @brief TensorFlow's step with one update per tensor and step for all workers: what a SyncPolicy
 * that aggregates needs.
 *
 * Source: TensorFlow's SyncReplicasOptimizer, with an accumulator for each variable.
 * @param whole plan of a whole step, as MakeStepPlan() gives it
 * @return the plan, with the updates on the servers joint ops
 * @throws InputError that names a push without an update behind it
 */
StepPlan MakeAggregatingPlan(const StepPlan& whole);

} // namespace ns3::dml

#endif /* DML_AGGREGATING_PLAN_H */
