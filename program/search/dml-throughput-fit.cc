/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-throughput-fit.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <unsupported/Eigen/NonLinearOptimization>

namespace ns3::dml
{

namespace
{

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int FIT_EVALUATIONS = 10;    // of the errors in one search, without those for derivatives
constexpr double STEP = 0.3;           // of a logarithm, for derivatives
constexpr double FURTHEST = 12;        // logarithm of a value over its start, either way
constexpr double FIRST = 3;            // length of the first step, relative to the derivatives
constexpr double ENOUGH = 5e-3;        // relative gain for which a search goes on
constexpr double LEAST_ERROR = 1e-3;   // relative; no throughput is known better
constexpr double MOST_LEVERAGE = 0.95; // of a point that others can predict
// Sine of the angle below which two values change points alike: a simulated throughput is off by
// some per cent, by chance, and a derivative by some tenths of that over STEP.
constexpr double LEAST_ANGLE = 0.2;

/// Errors of all points, in the form that Eigen's LevenbergMarquardt takes.
class RelativeErrors
{
  public:
    using Scalar = double;
    using InputType = VectorXd;
    using ValueType = VectorXd;
    using JacobianType = MatrixXd;

    enum
    {
        InputsAtCompileTime = Eigen::Dynamic,
        ValuesAtCompileTime = Eigen::Dynamic
    };

    explicit RelativeErrors(const ThroughputQuestion& question)
        : m_question(question)
    {
    }

    int inputs() const
    {
        return m_question.start.size();
    }

    int values() const
    {
        return m_question.measured.size();
    }

    /// @param place logarithms of values over their starts @return the values
    std::vector<double> GetValues(const VectorXd& place) const
    {
        std::vector<double> values(m_question.start);
        for (int i = 0; i < inputs(); ++i)
        {
            values[i] *= std::exp(std::clamp(place(i), -FURTHEST, FURTHEST));
        }
        return values;
    }

    /// @return factor of the errors of a point
    double GetWeight(int point) const
    {
        return m_question.errors.empty() ? 1 : 1 / std::max(m_question.errors[point], LEAST_ERROR);
    }

    int operator()(const VectorXd& place, VectorXd& errors) const
    {
        const auto predicted = m_question.model(GetValues(place));
        errors.resize(values());
        for (int i = 0; i < values(); ++i)
        {
            errors(i) = GetWeight(i) * std::log(predicted[i] / m_question.measured[i]);
        }
        return 0;
    }

    int df(const VectorXd& place, MatrixXd& jacobian) const
    {
        jacobian.resize(values(), inputs());
        for (int i = 0; i < inputs(); ++i)
        {
            VectorXd low;
            VectorXd high;
            (*this)(place - STEP * VectorXd::Unit(inputs(), i), low);
            (*this)(place + STEP * VectorXd::Unit(inputs(), i), high);
            jacobian.col(i) = (high - low) / (2 * STEP);
        }
        return 0;
    }

  private:
    const ThroughputQuestion& m_question; //!< measured and predicted
};

/// Standard errors and predictions without a point, from the derivatives at the best place.
void
Judge(const RelativeErrors& residuals, const VectorXd& place, ThroughputFit& fit)
{
    VectorXd errors;
    MatrixXd jacobian;
    residuals(place, errors);
    residuals.df(place, jacobian);
    const Eigen::Index values = jacobian.cols();
    fit.errors.assign(values, std::numeric_limits<double>::infinity());
    fit.leftOut.assign(jacobian.rows(), std::numeric_limits<double>::quiet_NaN());
    const VectorXd norms = jacobian.colwise().norm();
    if (norms.minCoeff() < LEAST_ERROR)
    {
        return; // a value that changes nothing
    }
    Eigen::ColPivHouseholderQR<MatrixXd> qr(jacobian * norms.cwiseInverse().asDiagonal());
    qr.setThreshold(LEAST_ANGLE);
    if (qr.rank() < values)
    {
        return;
    }
    const MatrixXd upper = qr.matrixR().topLeftCorner(values, values);
    const MatrixXd inverse =
        upper.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(values, values));
    for (Eigen::Index i = 0; i < values; ++i)
    {
        const Eigen::Index value = qr.colsPermutation().indices()(i);
        fit.errors[value] = std::sqrt(fit.variance) * inverse.row(i).norm() / norms(value);
    }
    const MatrixXd basis =
        qr.householderQ() * MatrixXd::Identity(jacobian.rows(), values); // of what values change
    for (Eigen::Index i = 0; i < jacobian.rows(); ++i)
    {
        const double leverage = basis.row(i).squaredNorm();
        fit.leftOut[i] = leverage > MOST_LEVERAGE
                             ? std::numeric_limits<double>::quiet_NaN()
                             : fit.predicted[i] * std::exp(errors(i) * leverage / (1 - leverage) /
                                                           residuals.GetWeight(i));
    }
}

} // namespace

ThroughputFit
FitThroughput(const ThroughputQuestion& question)
{
    RelativeErrors residuals(question);
    VectorXd place = VectorXd::Zero(residuals.inputs());
    Eigen::LevenbergMarquardt<RelativeErrors> search(residuals);
    search.parameters.maxfev = FIT_EVALUATIONS;
    search.parameters.factor = FIRST;
    search.parameters.ftol = ENOUGH;
    search.parameters.xtol = ENOUGH;
    search.minimize(place);

    ThroughputFit fit;
    fit.values = residuals.GetValues(place);
    fit.predicted = question.model(fit.values);
    VectorXd errors;
    residuals(place, errors);
    fit.deviance = errors.squaredNorm();
    const double spare = residuals.values() - residuals.inputs() - double(question.choices);
    fit.variance =
        std::max(fit.deviance / spare, question.errors.empty() ? LEAST_ERROR * LEAST_ERROR : 1.0);
    Judge(residuals, place, fit);
    return fit;
}

} // namespace ns3::dml
