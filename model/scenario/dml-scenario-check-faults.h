/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_CHECK_FAULTS_H
#define DML_SCENARIO_CHECK_FAULTS_H

#include "dml-scenario.h"

namespace ns3::dml
{

/**
 * @brief Check what happens to workers and servers against the jobs; CheckNetwork() checks the
 * faults of links.
 *
 * Checked, for every number of workers that is swept: there is such a worker or server; only a
 * worker of the first job crashes, not while it is gone already, and with the protocol run-graph.
 * @param scenario scenario whose values are each in their range
 * @throws InputError as ScenarioError()
 */
void CheckProcessFaults(const Scenario& scenario);

} // namespace ns3::dml

#endif /* DML_SCENARIO_CHECK_FAULTS_H */
