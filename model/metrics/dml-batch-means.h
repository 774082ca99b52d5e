/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BATCH_MEANS_H
#define DML_BATCH_MEANS_H

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief A mean rate and how well one run knows it.
 */
struct RateInterval
{
    double rate{0};           //!< amount per second
    double halfWidth{0};      //!< of the confidence interval, over the rate
    double correlation{0};    //!< lag-1 autocorrelation of the batches, -1 to 1
    uint32_t batches{0};      //!< number of batches
    uint64_t observations{0}; //!< in each batch
};

/**
 * @ingroup dml-metrics
 * @brief Confidence interval of a rate, from one run, by non-overlapping batch means.
 *
 * Observations are pairs (amount, seconds) that follow each other in time. They are put into
 * batches of equal numbers of observations. As many batches as LEAST_BATCHES are enough: when there
 * are twice as many, neighbours are merged in pairs, so that the batches grow with the run and the
 * memory does not.
 *
 * The rate is that of all complete batches, sum S_j / sum T_j. It is a ratio, so its interval is
 * that of the mean of D_j = S_j - rate T_j (Law, Simulation Modeling and Analysis, section 9.5.3:
 * batch means, and the estimator of a ratio as for regenerative cycles):
 *
 *     half-width / rate = t(0.975, n - 1) s_D sqrt(A / n) / mean(S)
 *
 * The factor A = (1 + r) / (1 - r) with the lag-1 autocorrelation r of the D_j, where that is
 * above 0, corrects for batches that are still correlated, as in Tafazzoli, Wilson, Lada and
 * Steiger, Skart: a skewness- and autoregression-adjusted batch-means procedure, INFORMS Journal
 * on Computing 23 (2011). It is a correction for small r: whoever decides on the interval also
 * asks for a small RateInterval::correlation.
 */
class BatchMeans
{
  public:
    /// Fewest batches of a check point; there are never more than twice as many.
    static constexpr uint32_t LEAST_BATCHES = 20;
    /// Batches from one check point to the next, before neighbours are merged.
    static constexpr uint32_t CHECK_EVERY = 5;

    /**
     * @brief Add the next observation.
     * @param amount of what the rate is of, at least 0
     * @param seconds that it took, at least 0
     * @return true if this made a check point: LEAST_BATCHES batches, or a multiple of CHECK_EVERY
     * above that. Each lies at least 14 % after the one before, so a procedure that looks at the
     * interval at check points only does not look too often.
     */
    bool Add(double amount, double seconds);

    /// @return number of observations
    uint64_t GetCount() const
    {
        return m_batches.size() * m_size + m_inOpen;
    }

    /// @return interval of the rate; nothing with fewer than two batches, or nothing in them
    std::optional<RateInterval> GetInterval() const;

  private:
    /// Sum of observations that follow each other.
    struct Batch
    {
        double amount{0};  //!< of what the rate is of
        double seconds{0}; //!< time
    };

    std::vector<Batch> m_batches; //!< complete ones
    Batch m_open;                 //!< the one that is being filled
    uint64_t m_inOpen{0};         //!< observations in it
    uint64_t m_size{1};           //!< observations in each complete one
};

} // namespace ns3::dml

#endif /* DML_BATCH_MEANS_H */
