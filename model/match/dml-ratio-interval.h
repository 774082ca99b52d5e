/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RATIO_INTERVAL_H
#define DML_RATIO_INTERVAL_H

#include "ns3/dml-confidence.h"

#include <optional>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @brief A jackknife: how sure a ratio of two sums is, leaving out one block after the other.
 * @param blocks what each adds to both sums; blocks are taken for independent of each other
 * @return half of the 95 % interval of the first sum divided by the second one; nothing with fewer
 * than four blocks
 */
std::optional<double> EstimateRatioInterval(const std::vector<std::pair<double, double>>& blocks);

/**
 * @brief The mean of some runs, and its interval.
 * @param runs value of each, and half of its interval within the run, if that is known
 * @return mean and interval between runs, or what follows from those within them, if that is wider
 */
Confidence CombineRuns(const std::vector<std::pair<double, std::optional<double>>>& runs);

} // namespace ns3::dml

#endif /* DML_RATIO_INTERVAL_H */
