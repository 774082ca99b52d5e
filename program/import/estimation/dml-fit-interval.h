/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_FIT_INTERVAL_H
#define DML_FIT_INTERVAL_H

#include "dml-robust-fit.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

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

#endif /* DML_FIT_INTERVAL_H */
