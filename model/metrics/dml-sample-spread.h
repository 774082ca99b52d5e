/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SAMPLE_SPREAD_H
#define DML_SAMPLE_SPREAD_H

#include "ns3/dml-profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How long the steps were of which a profile has samples.
 * @param profile valid
 * @return of each measured step, seconds of its ops, added up, though some may have run at the same
 * time
 */
std::vector<double> AddUpSamples(const Profile& profile);

/**
 * @brief Find warm-up among measured steps: caches are cold, memory is allocated, kernels compiled.
 *
 * The first steps count as such as long as each lasts more than 1.25 times the median of those
 * behind them all; at most half of the steps do, and two are left.
 *
 * @param seconds of steps, in order
 * @return of each of the first ones that are warm-up, its length over that median
 */
std::vector<double> FindSlowFirst(const std::vector<double>& seconds);

/**
 * @brief Say that measured steps differ by so much that their mean, and every throughput that
 * follows from it, is not well known.
 *
 * @param seconds of steps, in order
 * @return a sentence with least, largest, mean and its standard error, and with warm-up steps if
 * there are any; empty if there are none and the standard error is at most 10 % of the mean
 */
std::string DescribeSpread(const std::vector<double>& seconds);

/**
 * @brief The same of a profile.
 * @param profile valid
 * @param lists indices of the steps that workers replay; empty: all do all
 */
std::string DescribeSpread(const Profile& profile, const std::vector<std::vector<uint32_t>>& lists);

} // namespace ns3::dml

#endif /* DML_SAMPLE_SPREAD_H */
