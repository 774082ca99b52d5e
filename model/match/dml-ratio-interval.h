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

/// What blocks of a run add to both sums of a ratio, in the order of time.
using RatioBlocks = std::vector<std::pair<double, double>>;

/**
 * @brief A jackknife: how sure a ratio of two sums is, leaving out one block after the other.
 * @param blocks they are taken for independent of each other
 * @return half of the 95 % interval of the first sum divided by the second one; nothing with fewer
 * than four blocks
 */
std::optional<double> EstimateRatioInterval(const RatioBlocks& blocks);

/**
 * @brief The same for the difference of the ratios of two runs of one replication, leaving out the
 * blocks of both that are in the same place: they may go together, as both runs have the same
 * random numbers.
 * @param one blocks of one run
 * @param other blocks of the other one
 * @return half of the 95 % interval of one ratio less the other; nothing if a run has fewer than
 * four blocks
 */
std::optional<double> EstimateDifferenceInterval(const RatioBlocks& one, const RatioBlocks& other);

/**
 * @brief The mean of some runs, and its interval.
 * @param runs value of each, and half of its interval within the run, if that is known
 * @return mean and interval between runs, or what follows from those within them, if that is wider
 */
Confidence CombineRuns(const std::vector<std::pair<double, std::optional<double>>>& runs);

/**
 * @brief The mean difference of two runs over some replications, and its interval.
 * @param pairs difference of each, and half of its interval within the pair, if that is known
 * @return mean and interval between pairs; with fewer than LEAST_FOR_INTERVAL of them what follows
 * from the intervals within them
 */
Confidence CombinePairs(const std::vector<std::pair<double, std::optional<double>>>& pairs);

} // namespace ns3::dml

#endif /* DML_RATIO_INTERVAL_H */
