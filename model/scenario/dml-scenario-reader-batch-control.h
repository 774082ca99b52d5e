/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_BATCH_CONTROL_H
#define DML_SCENARIO_READER_BATCH_CONTROL_H

#include "dml-batch-control-spec.h"
#include "dml-key-values.h"

namespace ns3
{
namespace dml
{

/// @return `job.batch_control`: off, cpu, gpu, or a map with one of the last two
Value<BatchControlSpec> BatchControlValue();

/// @return `job.shedding`: off, or a map
Value<SheddingSpec> SheddingValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_BATCH_CONTROL_H */
