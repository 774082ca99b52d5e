/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_ALL_REDUCE_H
#define DML_SCENARIO_READER_ALL_REDUCE_H

#include "dml-key-values.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// @return `job.all_reduce`: a map
Value<AllReduceSpec> AllReduceValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_ALL_REDUCE_H */
