/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_WARMUP_DETECTOR_H
#define DML_WARMUP_DETECTOR_H

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @brief How many of the first values belong to the warm-up, by the marginal standard error rule.
 *
 * MSER (White, An effective truncation heuristic for bias reduction in simulation output,
 * Simulation 69 (1997); White, Cobb and Spratt, WSC 2000): of all truncations d the one that
 * minimises sum over i > d of (y_i - mean of these)^2 / (n - d)^2, the squared standard error of
 * the mean of what is left. Of equally good ones the smallest. At least LEAST_LEFT values are left,
 * because the last few are alike by chance (Hoad, Robinson and Davies, Automating warm-up length
 * estimation, Journal of the Operational Research Society 61 (2010)).
 *
 * @param values in order
 * @return d; 0 if there are LEAST_LEFT values or fewer
 */
std::size_t FindTruncation(const std::vector<double>& values);

/**
 * @ingroup dml-metrics
 * @brief Says while a run goes on when its warm-up is over.
 *
 * Values are put into batches, as MSER-5 does with five at a time, and MSER is asked where to cut,
 * first after LEAST_BATCHES batches and then whenever there are a tenth more. A cut in the middle
 * or behind it says that there are too few values to tell (White, Cobb and Spratt); the first one
 * before the middle says that the warm-up is over by now. What came before is then not used: all
 * that is measured of a run begins at the same time, when it has been steady for half of its time.
 *
 * Memory: at most MOST_BATCHES batches; then neighbours are merged in pairs.
 */
class WarmupDetector
{
  public:
    /// Fewest batches for a verdict.
    static constexpr uint32_t LEAST_BATCHES = 10;
    /// Most batches.
    static constexpr uint32_t MOST_BATCHES = 1024;
    /// Fewest values that a cut leaves.
    static constexpr uint32_t LEAST_LEFT = 5;

    /// @param batch values in a batch, at least 1 @param least fewest values for a verdict
    WarmupDetector(uint64_t batch, uint64_t least);

    /**
     * @brief Add the next value.
     * @param value anything finite
     * @return true if the warm-up is over; then the object has done its work
     */
    bool Add(double value);

    /// @return number of values
    uint64_t GetCount() const
    {
        return m_batches.size() * m_size + m_inOpen;
    }

  private:
    std::vector<double> m_batches; //!< means of complete ones
    double m_open{0};              //!< sum of the one that is being filled
    uint64_t m_inOpen{0};          //!< values in it
    uint64_t m_size;               //!< values in each
    uint64_t m_next;               //!< values at which to ask next
};

} // namespace ns3::dml

#endif /* DML_WARMUP_DETECTOR_H */
