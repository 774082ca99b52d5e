/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_CHECK_TRANSFER_H
#define DML_SCENARIO_CHECK_TRANSFER_H

#include "dml-scenario.h"

namespace ns3::dml
{

/**
 * @brief Check the order of transfers and flow control against each other and the job.
 *
 * Checked: connections that exist; windows that the grant rule takes; keys that the policy uses. A
 * key of another policy is accepted where the policy comes from a sweep or an override: it is there
 * for the sweep's other values.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckTransfer(const Scenario& scenario);

} // namespace ns3::dml

#endif /* DML_SCENARIO_CHECK_TRANSFER_H */
