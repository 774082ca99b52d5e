/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_GRAPH_PROTOCOL_H
#define DML_RUN_GRAPH_PROTOCOL_H

#include "dml-protocol.h"

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief TensorFlow's protocol with parameter servers: in each step a worker pulls parameters,
 * computes and pushes gradients, and each server applies them.
 *
 * Source: Li et al., ICPE 2020, section 2; joint updates: MakeAggregatingPlan().
 */
class RunGraphProtocol : public Protocol
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
    StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const override;
};

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

#endif /* DML_RUN_GRAPH_PROTOCOL_H */
