/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_KEYS_H
#define DML_SCENARIO_KEYS_H

#include "dml-key.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/// @return the keys of `overhead`
const Keys<OverheadSpec>& OverheadKeys();

/// @return the keys of `fair_share`
const Keys<FairShareSpec>& FairShareKeys();

/// @return the keys of `packet`
const Keys<PacketSpec>& PacketKeys();

/// @return the keys of `output`
const Keys<OutputSpec>& OutputKeys();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_KEYS_H */
