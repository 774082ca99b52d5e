/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TAC_ORDER_H
#define DML_TAC_ORDER_H

#include "dml-transfer-properties.h"

#include <vector>

namespace ns3::dml
{

/**
 * @brief Timing-aware order of the pulls (TAC): the next one is always that which lets most compute
 * run behind the transfers that are still to come.
 *
 * Source: TicTac (S. H. Hashemi et al., MLSys 2019), section 4.3. Pull A goes before pull B if
 *
 *     min(P_B, M_A) < min(P_A, M_B)          (equation 6)
 *
 * that is, if A's compute hides more of B's transfer than the other way round; if both are the
 * same, if A's M+ is smaller. The comparison printed in Algorithm 3 of the paper is the opposite of
 * that and would choose what overlaps least.
 *
 * The comparison is not transitive, so what "the minimum" is depends on how one looks for it. Here:
 * the pulls that can start, in listing order; a later one replaces the best so far only if it goes
 * strictly before it. Times closer than an instant (InstantOf()) are equal, costs are compared in
 * bytes. A pull that waits for others is no candidate before they have been chosen.
 * @param profile a valid profile; compute ops count with the shortest of their measured steps
 * @param dependencies of the same profile
 * @param bytesPerSecond rate at which a pull is transferred, above 0
 * @return all pulls, first one first, with P and M+ (in bytes) when they were chosen
 */
std::vector<RankedPull> MakeTacOrder(const Profile& profile,
                                     const TransferDependencies& dependencies,
                                     double bytesPerSecond);

} // namespace ns3::dml

#endif /* DML_TAC_ORDER_H */
