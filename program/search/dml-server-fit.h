/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SERVER_FIT_H
#define DML_SERVER_FIT_H

#include <cstddef>
#include <cstdint>
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
 * value, as simulated throughput is not smooth). That finds a minimum, of which there are many
 * where deterministic workers lock in step; so the surroundings, three standard errors or at least
 * a quarter of the value either way, are searched as well (NLopt's DIRECT and Subplex), and the
 * best place of all is taken.
 *
 * Standard errors come from the derivatives, and from the variance of the errors that are left,
 * which is at least that of the points' standard errors, or of 0.1 %. They are at least so large
 * that 1.96 of them either way are as wide as all places that were seen and whose deviance is at
 * most 3.84 variances more than the best (the profile likelihood's 95 % interval, which has other
 * minima in it).
 *
 * @param question with more points than values and choices
 * @return the fit; the same for the same question
 * @throws what the model throws
 */
ThroughputFit FitThroughput(const ThroughputQuestion& question);

/// What tensors cost a parameter server.
struct ServerCost
{
    double alpha{0};   //!< seconds of a core per byte that it receives, >= 0
    double beta{0};    //!< seconds of a core per tensor that it receives, >= 0
    uint32_t cores{1}; //!< number of cores, at least 1
};

/// Throughputs that were measured, and an engine that predicts them.
struct ServerQuestion
{
    std::vector<double> measured; //!< of each point, samples/s
    std::vector<double> errors;   //!< their standard errors, relative; empty: unknown, all alike
    /// Where to start, with one core: each cost of such a size that it alone limits the points.
    ServerCost start;
    /// Whether points may tell bytes from tensors: not if all are of one job and number of servers.
    bool mayTellBoth{true};
    std::vector<uint32_t> cores; //!< numbers that may be right, from small to large, at least one
    std::function<std::vector<double>(const ServerCost&)> model; //!< samples/s of each point
};

/// What a server costs, as far as points tell.
struct ServerFit
{
    ServerCost cost;               //!< what is not told is 0
    double alphaError{0};          //!< standard error of the cost per byte, in s
    double betaError{0};           //!< standard error of the cost per tensor, in s
    bool tellsAlpha{false};        //!< the cost per byte is told
    bool tellsBeta{false};         //!< the cost per tensor is told
    bool either{false};            //!< one cost is told, and the other instead explains as much
    std::vector<uint32_t> cores;   //!< numbers of cores that explain the points about as well
    bool hasMore{false};           //!< so might larger ones than were tried
    std::vector<double> predicted; //!< samples/s of each point
    std::vector<double> leftOut;   //!< the same, by a fit to the others; NaN: they do not tell
};

/**
 * @ingroup dml-search
 * @brief Fit what tensors cost a server to measured throughputs.
 *
 * For each number of cores both costs are fitted (FitThroughput()); the number with the smallest
 * deviance is taken, and the smallest of those that do the same. Numbers go up until two in a row
 * are worse, and those count as explaining the points as well whose deviance is at most 3.84
 * variances more (the profile likelihood's 95 % interval). A cost is told if it is more than twice
 * its standard error. If both are not, one alone is fitted: that which is told, else that with the
 * smaller deviance.
 *
 * @param question points and engine
 * @return the fit; if it tells neither cost, that which was tried last
 * @throws InputError if there are fewer points than can tell a single cost; what the model throws
 */
ServerFit FitServer(const ServerQuestion& question);

} // namespace ns3::dml

#endif /* DML_SERVER_FIT_H */
