/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SCENARIO_READER_TRANSFER_H
#define DML_SCENARIO_READER_TRANSFER_H

#include "ns3/dml-transfer-spec.h"
#include "ns3/dml-yaml-field.h"

namespace ns3
{
namespace dml
{

/**
 * @brief Read the section `transfer`.
 * @param transfer the section, its keys checked; missing if it was not given
 * @return its values, each in its range; defaults that depend on the policy are filled in
 * @throws InputError with position and key path
 */
TransferSpec ReadTransferSection(const YamlField& transfer);

} // namespace dml
} // namespace ns3

#endif /* DML_SCENARIO_READER_TRANSFER_H */
