/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CLOCK_SEARCH_H
#define DML_CLOCK_SEARCH_H

#include "dml-clock-bounds.h"
#include "dml-clock-objective.h"

#include <vector>

namespace ns3::dml
{

/**
 * @brief Search for the offsets that make an objective least and let all messages arrive after they
 * were sent.
 *
 * The objective is neither smooth nor convex, so first each offset in turn is tried on a grid over
 * its interval until nothing gets better, then NLopt's COBYLA refines all of them.
 * @param objective to be made least
 * @param messages the constraints
 * @param bounds of the offsets; an offset that is bounded on one side only is searched for as far
 * from there as the longest transfer may have waited
 * @param start offsets to start from, by number of the machine, the first one fixed
 * @return the best offsets found; @p start if there are none better
 */
std::vector<double> MinimiseClocks(const ClockObjective& objective,
                                   const std::vector<ClockMessage>& messages,
                                   const ClockBounds& bounds,
                                   const std::vector<double>& start);

} // namespace ns3::dml

#endif /* DML_CLOCK_SEARCH_H */
