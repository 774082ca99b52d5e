/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_CHECK_NETWORK_H
#define DML_SCENARIO_CHECK_NETWORK_H

#include "dml-scenario.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Check the network of a scenario, for every number of workers.
 *
 * Checked: TCP's buffers, variant and queues fit together; queues hold a packet; the network can be
 * built; hosts and links that are named exist.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckNetwork(const Scenario& scenario);

/**
 * @brief Choose numbers of workers whose networks stand for all: workers that the scenario does not
 * name are alike, so that two networks differ in kind only by the workers named in them, and by the
 * leaf at which a host of a leaf-spine comes to lie.
 * @param scenario the scenario
 * @return those of `job.workers` that are the first of their kind, in its order, the smallest and
 * the largest always among them
 */
std::vector<uint32_t> ListUnlikeClusters(const Scenario& scenario);

} // namespace ns3::dml

#endif /* DML_SCENARIO_CHECK_NETWORK_H */
