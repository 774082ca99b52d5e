/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_BATCH_CONTROL_H
#define DML_SCENARIO_READER_BATCH_CONTROL_H

#include "dml-batch-control-spec.h"

#include "ns3/dml-yaml-field.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Read `job.batch_control`.
 * @param field the key, which was given: off, cpu, gpu, or a map with one of the last two
 * @return the control of batch sizes
 * @throws InputError with position and key path
 */
BatchControlSpec ReadBatchControl(const YamlField& field);

/**
 * @brief Read `job.shedding`.
 * @param field the key, which was given: off, or a map
 * @return what moves samples within a step
 * @throws InputError with position and key path
 */
SheddingSpec ReadShedding(const YamlField& field);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_BATCH_CONTROL_H */
