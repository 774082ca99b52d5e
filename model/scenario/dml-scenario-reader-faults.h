/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_FAULTS_H
#define DML_SCENARIO_READER_FAULTS_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// @return the list `faults`: what happens to links goes into `network.faults`, the rest into
/// `processFaults`
Key<Scenario> FaultsKey();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_FAULTS_H */
