/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_DESIGN_H
#define DML_RUN_DESIGN_H

#include <cstdint>
#include <optional>

namespace ns3::dml
{

/**
 * @ingroup dml-metrics
 * @brief How the throughputs of runs of one job spread, by the length of the runs.
 */
struct ThroughputSpread
{
    double deviation{0}; //!< standard deviation of the logarithm, for runs of #steps
    double steps{1};     //!< of each worker that are measured, from 1
    double exponent{
        0}; //!< deviation falls with this power of the steps: 0.5 if they vary independently

    /// @param count of measured steps of each worker, from 1 @return the deviation of such runs
    double GetDeviation(double count) const;
};

/**
 * @brief The spread of runs of any length from those of two lengths.
 * @param deviation of runs of @p steps measured steps
 * @param longer of runs of @p more measured steps
 * @param steps from 1
 * @param more above @p steps
 * @return the law through both, with an exponent from 0 (longer runs spread as much) to 0.5
 */
ThroughputSpread FitSpread(double deviation, double longer, double steps, double more);

/**
 * @param deviation of the logarithms of the runs' throughputs
 * @param runs at least 2
 * @return half of the 95 % interval of their mean (Student's t), relative to it
 */
double GetRelativeHalfWidth(double deviation, uint32_t runs);

/// Runs that fit in a budget, and what they are expected to tell.
struct RunDesign
{
    uint32_t runs{0};    //!< replications
    uint32_t steps{0};   //!< of each worker, with its warm-up
    double halfWidth{0}; //!< GetRelativeHalfWidth() of these
};

/**
 * @brief Find how many runs of which length have the narrowest interval for their cost.
 *
 * Each run has its warm-up, so fewer runs measure more steps; but of few runs nobody knows how much
 * they spread (Student's t of n - 1 degrees of freedom). Both are weighed for LEAST_FOR_INTERVAL to
 * 30 runs.
 *
 * @param budget seconds of CPU of all runs
 * @param cost seconds of CPU of a step of all workers, above 0
 * @param warmup steps of each worker before what is measured
 * @param spread of the runs
 * @return the design; nothing if the budget does not pay for LEAST_FOR_INTERVAL runs of one
 * measured step
 */
std::optional<RunDesign> DesignRuns(double budget,
                                    double cost,
                                    uint32_t warmup,
                                    uint32_t least,
                                    const ThroughputSpread& spread);

} // namespace ns3::dml

#endif /* DML_RUN_DESIGN_H */
