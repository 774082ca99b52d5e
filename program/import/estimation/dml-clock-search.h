/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_SEARCH_H
#define DML_CLOCK_SEARCH_H

#include "dml-clock-bounds.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// Messages between two machines, at least two, whose receive times should be the same.
using ClockFamily = std::vector<ClockMessage>;

/**
 * @ingroup dml-import
 * @brief What AlignClocks() minimises.
 * @param families of messages
 * @param offsets of the machines in seconds, by number
 * @return sum of the variances of the families' receive times, s^2
 */
double GetReceiveVariance(const std::vector<ClockFamily>& families,
                          const std::vector<double>& offsets);

/**
 * @brief Tell how much more likely some offsets are than others by what touches one machine.
 *
 * Of each family of n members the deviance, (n - 1) ln(variance before / variance after): the
 * log-likelihood ratio, twice, of normal receive times whose variance is unknown. So a family
 * whose receive times vary for another reason takes nothing from one that tells the offset.
 * @param families of messages
 * @param machine its number
 * @param before offsets in seconds, by number
 * @param after as above
 * @return sum of deviances, positive if @p after is more likely
 */
double GetClockDeviance(const std::vector<ClockFamily>& families,
                        uint32_t machine,
                        const std::vector<double>& before,
                        const std::vector<double>& after);

/**
 * @brief Search for the offsets that make GetReceiveVariance() least and let all messages arrive
 * after they were sent.
 *
 * It is neither smooth nor convex, so first each offset in turn is tried on a grid over
 * its interval until nothing gets better, then NLopt's COBYLA refines all of them.
 * @param families of messages
 * @param messages the constraints
 * @param bounds of the offsets; an offset that is bounded on one side only is searched for as far
 * from there as the longest transfer may have waited
 * @param start offsets to start from, by number of the machine, the first one fixed
 * @return the best offsets found; @p start if there are none better
 */
std::vector<double> MinimiseClocks(const std::vector<ClockFamily>& families,
                                   const std::vector<ClockMessage>& messages,
                                   const ClockBounds& bounds,
                                   const std::vector<double>& start);

} // namespace ns3::dml

#endif /* DML_CLOCK_SEARCH_H */
