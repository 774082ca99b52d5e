/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TIC_ORDER_H
#define DML_TIC_ORDER_H

#include "dml-transfer-properties.h"

#include <vector>

namespace ns3::dml
{

/**
 * @brief Timing-independent order of the pulls (TIC): those first that are least in the way of
 * compute, by the op graph alone.
 *
 * Source: TicTac (S. H. Hashemi et al., MLSys 2019), section 4.2, Algorithm 2: pulls by growing M+,
 * where a pull costs 1 and compute nothing (equation 5). Pulls of equal M+ keep their listing
 * order, those of infinite M+ come last. A pull that waits for others comes after them in any case.
 * @param dependencies of the profile
 * @return all pulls, first one first; M+ is a number of pulls, P is 0
 */
std::vector<RankedPull> MakeTicOrder(const TransferDependencies& dependencies);

} // namespace ns3::dml

#endif /* DML_TIC_ORDER_H */
