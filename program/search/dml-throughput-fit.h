/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_THROUGHPUT_FIT_H
#define DML_THROUGHPUT_FIT_H

#include <cstddef>
#include <functional>
#include <vector>

namespace ns3::dml
{

/// Throughputs that were measured, and a model of them.
struct ThroughputQuestion
{
    /// @param values of what is fitted, above 0 @return throughput of each point, above 0
    using Model = std::function<std::vector<double>(const std::vector<double>& values)>;

    std::vector<double> measured; //!< of each point, above 0
    std::vector<double> errors;   //!< their standard errors, relative; empty: unknown, all alike
    std::vector<double> start;    //!< values to start from, above 0
    std::size_t choices{0};       //!< numbers that are chosen by the same points besides
    Model model;                  //!< predicts
};

/// Values with which a model explains measured throughputs.
struct ThroughputFit
{
    std::vector<double> values;    //!< fitted values
    std::vector<double> errors;    //!< their standard errors, relative; infinite: not told
    std::vector<double> predicted; //!< throughput of each point
    std::vector<double> leftOut; //!< by a fit to the others (to first order); NaN: they do not tell
    double deviance{0};          //!< sum of the squares of errors, over their variance if known
    double variance{0};          //!< of such an error
};

/**
 * @ingroup dml-search
 * @brief Least squares of relative errors.
 *
 * An error is the logarithm of predicted over measured, over its standard error where that is
 * known. Values stay above 0, as their logarithms are what is searched (Eigen's
 * LevenbergMarquardt, after MINPACK; derivatives are differences between 3/4 and 4/3 of a
 * value, as simulated throughput is not smooth). Standard errors come from these derivatives, and
 * from the variance of the errors that are left, which is at least that of the points' standard
 * errors, or of 0.1 %.
 *
 * @param question with more points than values and choices
 * @return the fit; the same for the same question
 * @throws what the model throws
 */
ThroughputFit FitThroughput(const ThroughputQuestion& question);

} // namespace ns3::dml

#endif /* DML_THROUGHPUT_FIT_H */
