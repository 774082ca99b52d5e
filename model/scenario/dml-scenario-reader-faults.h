/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_FAULTS_H
#define DML_SCENARIO_READER_FAULTS_H

#include "dml-scenario.h"

#include "ns3/dml-yaml-field.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Read the list `faults`.
 * @param faults the list; missing if it was not given
 * @param scenario gets what happens to links in `network.faults`, the rest in `processFaults`
 * @throws InputError naming the position and key of the first mistake
 */
void ReadFaults(const YamlField& faults, Scenario& scenario);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_FAULTS_H */
