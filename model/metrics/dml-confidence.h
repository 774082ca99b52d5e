/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_CONFIDENCE_H
#define DML_CONFIDENCE_H

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief Fewest values from which a confidence interval is computed.
 *
 * Student's quantile for 95 % is 12.7 with two values and 4.3 with three: such an interval is wider
 * than anything that the values show. Of fewer values, reports show the least and the greatest.
 */
inline constexpr uint32_t LEAST_FOR_INTERVAL = 4;

/// Pairs from which a regression tells more than they do themselves: it takes one degree of
/// freedom.
inline constexpr uint32_t LEAST_FOR_REGRESSION = 5;

/**
 * @ingroup dml-metrics
 * @brief Mean over replications and how far it is known: its confidence interval, or the range of
 * the values where there are too few for one.
 */
struct Confidence
{
    uint32_t count{0};               //!< values that were defined
    uint32_t skipped{0};             //!< values that were undefined and left out
    std::optional<double> mean;      //!< nothing if no value was defined
    std::optional<double> halfWidth; //!< nothing with fewer than LEAST_FOR_INTERVAL values
    std::optional<double> least;     //!< of the values; nothing if none was defined
    std::optional<double> greatest;  //!< of the values; nothing if none was defined

    /// @return whether there are some values, but too few for an interval
    bool IsRange() const
    {
        return count > 1 && !halfWidth;
    }

    /// @return both ends of the interval, or the least and the greatest of fewer than
    /// LEAST_FOR_INTERVAL values; nothing with fewer than two
    std::optional<std::pair<double, double>> GetBounds() const;

    /// @return a remark such as "2 of 5 replications undefined", or empty if none was skipped
    std::string GetRemark() const;
};

/**
 * @brief Mean and Student-t confidence interval of independent replications.
 *
 * From LEAST_FOR_INTERVAL values on, the half-width is t(1 - (1 - level) / 2, n - 1) * s / sqrt(n),
 * with the sample standard deviation s; it takes the replications' values for normally distributed.
 *
 * @param values one per replication; undefined (or not finite) ones are left out and counted
 * @param level confidence level in (0, 1)
 * @return the mean and its interval
 */
Confidence ComputeConfidence(const std::vector<std::optional<double>>& values, double level = 0.95);

/**
 * @ingroup dml-metrics
 * @brief How much larger one quantity is than another, estimated from pairs.
 */
struct RelativeDifference
{
    uint32_t pairs{0};           //!< in which both were defined and above 0
    uint32_t further{0};         //!< values of one of both that count without a partner
    std::optional<double> value; //!< ratio - 1; nothing without a pair
    /// Lower end of its interval, with fewer than LEAST_FOR_INTERVAL pairs the least of their
    /// ratios - 1; nothing with fewer than two pairs.
    std::optional<double> low;
    std::optional<double> high; //!< upper end, may be infinite, or the greatest ratio - 1

    /// @return whether the ends are those of an interval, and not the least and the greatest
    bool HasInterval() const
    {
        return pairs >= LEAST_FOR_INTERVAL && low && high;
    }

    /// @return whether there is an interval, and 0 is not in it (but for rounding errors)
    bool IsSignificant() const;
};

/**
 * @brief Ratio of two quantities that were measured in pairs, less 1, and its interval.
 *
 * A ratio has no preferred side: the estimate is the geometric mean of the pairs' ratios, the
 * interval that of the mean logarithm (Student's t, one degree of freedom less than pairs). So
 * exchanging both gives the reciprocal ratio and interval, and the interval stays above -1. Fewer
 * than LEAST_FOR_INTERVAL pairs have no interval, but the least and the greatest of their ratios.
 *
 * @param pairs numerator and denominator; pairs without both, or with one that is not above 0, are
 * left out
 * @param level confidence level in (0, 1)
 * @return the difference
 */
RelativeDifference EstimateDifference(
    const std::vector<std::pair<std::optional<double>, std::optional<double>>>& pairs,
    double level = 0.95);

/**
 * @brief The same where one of both quantities has more values than there are pairs.
 *
 * Many values of the quantity that is cheap tell its mean better than those in pairs do. The other
 * one is corrected by the regression of the pairs' logarithms on it, at that mean (control
 * variates: S. S. Lavenberg, P. D. Welch, "A perspective on the use of control variables to
 * increase the efficiency of Monte Carlo simulations", Management Science 27, 1981). So pairs that
 * go together count as pairs, and those that do not are two samples. The interval is that of the
 * regression's mean (Student's t, two degrees of freedom less than pairs), and of what the other
 * mean is uncertain by.
 *
 * @param pairs as above
 * @param values all of the numerator, those of the pairs included
 * @param references all of the denominator
 * @param level confidence level in (0, 1)
 * @return the difference: that of the pairs alone where no quantity has more values, and with fewer
 * than LEAST_FOR_REGRESSION pairs
 */
RelativeDifference EstimateDifference(
    const std::vector<std::pair<std::optional<double>, std::optional<double>>>& pairs,
    const std::vector<std::optional<double>>& values,
    const std::vector<std::optional<double>>& references,
    double level = 0.95);

/**
 * @brief Pair what two alternatives gave in the same replications.
 * @param one values by replication; nothing where there is none
 * @param other those of the other alternative
 * @return pairs, as EstimateDifference() takes them, as many as the shorter list has
 */
std::vector<std::pair<std::optional<double>, std::optional<double>>> PairReplications(
    const std::vector<std::optional<double>>& one,
    const std::vector<std::optional<double>>& other);

} // namespace ns3::dml

#endif /* DML_CONFIDENCE_H */
