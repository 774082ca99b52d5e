/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_DISTRIBUTION_H
#define DML_DISTRIBUTION_H

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How the values of a metric are distributed, in memory that does not grow with their
 * number.
 *
 * Count, mean, least and largest value are exact. Quantiles come from bins, 128 for each power of
 * two, so they are within 0.4 % of a value that occurred; source of the idea: C.
 * Masson, J. E. Rim, H. K. Lee, DDSketch, VLDB 2019. Values closer to 0 than 1e-9 count as 0 there.
 * Which order the values come in has no effect on the bins, and distributions of parts can be
 * merged.
 */
struct Distribution
{
    uint64_t count{0};                                    //!< values
    uint64_t undefined{0};                                //!< times at which there was no value
    double sum{0};                                        //!< of the values
    double min{std::numeric_limits<double>::infinity()};  //!< least value; infinite without values
    double max{-std::numeric_limits<double>::infinity()}; //!< largest value
    std::vector<uint64_t>
        bins;            //!< number of values by bin from firstBin on, in the order of values
    int32_t firstBin{0}; //!< number of the first of them

    /// @param value counted; as undefined if it is not finite
    void Add(double value);
    /// @param other whose values are added to these
    void Merge(const Distribution& other);
    /// @return values in order, each with how often it occurred; the values within 0.4 %
    std::vector<std::pair<double, uint64_t>> GetValues() const;
    /// @return mean of the values; NaN without any
    double GetMean() const;
    /// @param fraction 0 to 1 @return value of the nearest rank, within 0.4 %; NaN without values
    double GetQuantile(double fraction) const;

  private:
    void Count(int32_t bin, uint64_t number);
};

} // namespace ns3::dml

#endif /* DML_DISTRIBUTION_H */
