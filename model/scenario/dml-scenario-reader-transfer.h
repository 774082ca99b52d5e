/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_TRANSFER_H
#define DML_SCENARIO_READER_TRANSFER_H

#include "dml-key.h"

#include "ns3/dml-transfer-spec.h"

namespace ns3
{
namespace dml
{

/// @return the keys of `transfer`; reading fills in the defaults that depend on the policy
const Keys<TransferSpec>& TransferKeys();

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_TRANSFER_H */
