/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SAMPLE_SHARES_H
#define DML_SAMPLE_SHARES_H

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @brief Divide the samples of a step among workers in proportion to their speeds.
 *
 * Each gets at least 1 and at most what its memory holds; what one cannot take, or needs more, is
 * divided among the others in proportion too. Rounded by the largest remainder, ties by number;
 * remainders that differ by less than 1e-9 of all samples are equal.
 * @param speeds by worker, above 0, in any unit
 * @param total samples
 * @param largest by worker, each at least 1
 * @return samples by worker, @p total in all; empty if that cannot be
 */
std::vector<uint32_t> ShareSamples(const std::vector<double>& speeds,
                                   uint64_t total,
                                   const std::vector<uint32_t>& largest);

} // namespace ns3::dml

#endif /* DML_SAMPLE_SHARES_H */
