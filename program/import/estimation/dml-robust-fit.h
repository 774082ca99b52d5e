/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ROBUST_FIT_H
#define DML_ROBUST_FIT_H

#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-import
 * @brief Numbers to fit to records, by the least sum of Huber's losses.
 *
 * Far away from its core the loss grows only as a logarithm, so that one record that is wrong by
 * thousands of times the noise, as of a message that another one overtook, outweighs no others.
 *
 * A number's unit is chosen so that it is about 1; derivatives are forward differences.
 */
struct RobustProblem
{
    /// Huber's constant: 95 % efficient with normal noise.
    static constexpr double HUBER = 1.345;
    /// The loss is a logarithm from this many units of noise on, or scales if these are more.
    static constexpr double TAIL = 30;
    /// A scale of the loss that makes it quadratic nearly everywhere.
    static constexpr double SMOOTH = 1e6;

    /// Errors of the model at some numbers, one per record and always as many, in units of noise.
    std::function<Eigen::VectorXd(const Eigen::VectorXd&)> residuals;
    Eigen::VectorXd least; //!< bounds of the numbers
    Eigen::VectorXd most;  //!< bounds of the numbers
    Eigen::VectorXd steps; //!< least steps of their derivatives
    double scale{SMOOTH};  //!< standard deviation of good residuals; 0: the loss is their size

    /// @return residual from which on the loss is a logarithm
    double GetTail() const
    {
        return TAIL * std::max(1.0, scale);
    }

    /// @return derivatives of the losses of @p values, in units of those in the core
    Eigen::VectorXd GetScores(const Eigen::VectorXd& values) const;
    /// @return sum of losses of @p values
    double GetLoss(const Eigen::VectorXd& values) const;
    /// @return derivatives of the residuals at @p x, where they are @p values
    Eigen::MatrixXd GetJacobian(const Eigen::VectorXd& x, const Eigen::VectorXd& values) const;

    /// @return minus two log-likelihoods that a difference of losses is, for noise of `scale`
    double GetDeviance(double losses) const
    {
        return 2 * HUBER / scale * losses;
    }
};

/**
 * @brief Standard deviation of the good ones among residuals, by the median of their sizes.
 * @param values residuals
 * @return at least 0
 */
double GetRobustScale(const Eigen::VectorXd& values);

/**
 * @brief Go down by Gauss-Newton steps, halved where they are too long.
 *
 * Ends are nearly linear in the numbers, so this follows the narrow valley of two that make up for
 * each other, in which searches by trial come to rest.
 * @param problem what to fit
 * @param[in,out] x where to start, then where the loss is least
 * @param fixed index of a number that stays as it is; -1: none
 * @return the loss
 */
double PolishFit(const RobustProblem& problem, Eigen::VectorXd& x, Eigen::Index fixed = -1);

/**
 * @brief Search by NLopt's Subplex (LN_SBPLX), then PolishFit().
 * @param problem what to fit
 * @param[in,out] x where to start, then where the loss is least
 * @return the loss
 */
double SearchFit(const RobustProblem& problem, Eigen::VectorXd& x);

/// Which records belong together: their errors may be the same ones.
struct FitClusters
{
    std::vector<uint32_t> groups;  //!< of each residual: its connection and step, rising
    std::vector<uint32_t> tensors; //!< of each residual: its tensor, from 0
};

/// What may be wrong with records, and is not seen in their residuals.
struct FitErrors
{
    FitClusters clusters; //!< records whose errors may be the same
    /// Changes of the residuals at the best numbers by errors of the model with a standard
    /// deviation of 1 each, one per column; none if there are no columns.
    Eigen::MatrixXd model;
};

/// Ends of an interval.
struct FitInterval
{
    double lower{0}; //!< the number's bound if the records give none
    double upper{0}; //!< the number's bound if the records give none
};

/**
 * @ingroup dml-import
 * @brief 95 % intervals of fitted numbers.
 *
 * An interval has all values of a number that do about as well as the best one, when the other
 * numbers are fitted anew (profile likelihood): so it ends at a bound, and is one-sided or
 * boundless where the records cannot tell. How much worse is too much follows from how much the fit
 * would vary between records: the sandwich estimator of the covariance over its value for
 * independent errors of the loss' scale (J. T. Kent, Robust properties of likelihood ratio tests,
 * Biometrika 69, 1982). Records of one group, or of blocks of consecutive ones where there are few
 * groups, may err together; what the same tensors add to that in all groups is added (A. C.
 * Cameron, J. B. Gelbach and D. L. Miller, Robust inference with multiway clustering, 2011).
 * Residuals are those that each cluster would have if it were left out (CR3), the quantile is
 * Student's with as many degrees of freedom as there are blocks, less one. What known errors of the
 * model add to the covariance is added too.
 * @param problem what was fitted
 * @param optima numbers at which the loss is least near by, at least one, the best ones first: a
 * link and a parser that take one message after the other can stand for each other, so that there
 * may be several that are about as good, and an interval reaches from each that is
 * @param errors of the records
 * @return one interval for each number, with the best one in it
 */
std::vector<FitInterval> FindIntervals(const RobustProblem& problem,
                                       const std::vector<Eigen::VectorXd>& optima,
                                       const FitErrors& errors);

} // namespace ns3::dml

#endif /* DML_ROBUST_FIT_H */
