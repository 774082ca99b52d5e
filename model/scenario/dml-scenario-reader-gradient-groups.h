/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_GRADIENT_GROUPS_H
#define DML_SCENARIO_READER_GRADIENT_GROUPS_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// @return `job.gradient_groups`: a map with a rule, a list of lists of names, or a word
Value<GradientGroupSpec> GradientGroupsValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_GRADIENT_GROUPS_H */
