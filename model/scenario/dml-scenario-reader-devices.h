/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_DEVICES_H
#define DML_SCENARIO_READER_DEVICES_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// @return the keys of a job that say what workers and servers compute on
const Keys<JobSpec>& DeviceKeys();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_DEVICES_H */
