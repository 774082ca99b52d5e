/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLUGIN_FACTORIES_H
#define DML_PLUGIN_FACTORIES_H

#include "ns3/dml-batch-control-spec.h"
#include "ns3/dml-transfer-spec.h"
#include "ns3/object-factory.h"

#include <optional>

namespace ns3::dml
{

/**
 * @brief What makes a worker's predictor of speeds, with `job.batch_control: cpu`.
 * @param spec `job.batch_control`
 * @param seed of the scenario, at least 1
 * @param replication number of the replication, from 0
 * @return a factory of the SpeedPredictor
 */
ObjectFactory MakeSpeedPredictor(const BatchControlSpec& spec, uint32_t seed, uint32_t replication);

/**
 * @brief What makes the control of batch sizes of a run, as a scenario describes it.
 * @param spec `job.batch_control`
 * @param seed of the scenario, at least 1
 * @param replication number of the replication, from 0
 * @return a factory of the BatchSizeControl; none for `off`
 */
std::optional<ObjectFactory> MakeBatchSizeControl(const BatchControlSpec& spec,
                                                  uint32_t seed,
                                                  uint32_t replication);

/// @param spec `job.shedding` @return a factory of the WorkShedding; none for `off`
std::optional<ObjectFactory> MakeWorkShedding(const SheddingSpec& spec);

/**
 * @brief What makes the policy of each connection, as a scenario describes it.
 * @param transfer of the scenario
 * @param seed of the run, at least 1
 * @param goodput payload rate of a link in bytes/s: Prophet's estimate before it has measured
 * @return a factory of the policy; an attribute Replication has its default
 */
ObjectFactory MakePolicyFactory(const TransferSpec& transfer, uint32_t seed, double goodput);

} // namespace ns3::dml

#endif /* DML_PLUGIN_FACTORIES_H */
