/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_SPEEDS_H
#define DML_SCENARIO_READER_SPEEDS_H

#include "dml-device-spec.h"
#include "dml-key-values.h"

namespace ns3
{
namespace dml
{

/// @return `trace` of a device: a path, or a map
Value<SpeedTraceSpec> SpeedTraceValue();

/// @return `changes` of a device
Value<SpeedProcessSpec> SpeedChangesValue();

/// @return `spikes` of a device
Value<SpeedProcessSpec> SpeedSpikesValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_SPEEDS_H */
