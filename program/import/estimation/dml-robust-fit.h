/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ROBUST_FIT_H
#define DML_ROBUST_FIT_H

#include <Eigen/Core>
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
    double GetTail() const;
    /// @return derivatives of the losses of @p values, in units of those in the core
    Eigen::VectorXd GetScores(const Eigen::VectorXd& values) const;
    /// @return sum of losses of @p values
    double GetLoss(const Eigen::VectorXd& values) const;
    /// @return derivatives of the residuals at @p x, where they are @p values
    Eigen::MatrixXd GetJacobian(const Eigen::VectorXd& x, const Eigen::VectorXd& values) const;
    /// @return minus two log-likelihoods that a difference of losses is, for noise of `scale`
    double GetDeviance(double losses) const;
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

} // namespace ns3::dml

#endif /* DML_ROBUST_FIT_H */
