/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_CHECK_NETWORK_H
#define DML_SCENARIO_CHECK_NETWORK_H

#include "dml-scenario.h"

namespace ns3
{
namespace dml
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

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_CHECK_NETWORK_H */
