/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_PACKET_H
#define DML_SCENARIO_READER_PACKET_H

#include "dml-key-values.h"
#include "dml-scenario.h"

namespace ns3
{
namespace dml
{

/**
 * @ingroup dml-scenario
 * @brief The value of `packet.fast_forward`: true, false, or {check: PART}.
 * @return how it is read
 */
Value<FastForwardSpec> FastForwardValue();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_PACKET_H */
