/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-arima-model.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/NonLinearOptimization>

namespace ns3::dml
{

namespace
{

using Series = Eigen::VectorXd;

constexpr Eigen::Index LONGEST_REGRESSION = 20; // terms of the one that tells the errors
constexpr int ARIMA_EVALUATIONS = 100;          // of the errors, without those for derivatives
constexpr double SHRINK = 0.9;                  // of a moving average that is not invertible
constexpr double NO_VARIATION = 1e-9;           // of the largest value: rounding

Series
Difference(const std::vector<double>& values, uint32_t times)
{
    Series series = Eigen::Map<const Series>(values.data(), values.size());
    for (; times > 0; --times)
    {
        series = (series.tail(series.size() - 1) - series.head(series.size() - 1)).eval();
    }
    return series;
}

/// Least squares of a series over its own last values and those of another one.
Series
Regress(const Series& series,
        Eigen::Index p,
        const Series& errors,
        Eigen::Index q,
        Eigen::Index first)
{
    const Eigen::Index rows = series.size() - first;
    Eigen::MatrixXd terms(rows, p + q);
    for (Eigen::Index i = 0; i < p; ++i)
    {
        terms.col(i) = series.segment(first - 1 - i, rows);
    }
    for (Eigen::Index j = 0; j < q; ++j)
    {
        terms.col(p + j) = errors.segment(first - 1 - j, rows);
    }
    return terms.colPivHouseholderQr().solve(series.tail(rows));
}

/// @return the coefficients to begin with, by Hannan and Rissanen
Series
GuessCoefficients(const Series& series, Eigen::Index p, Eigen::Index q)
{
    Series errors = Series::Zero(series.size());
    Eigen::Index first = p;
    if (q > 0)
    {
        const Eigen::Index terms = std::min(LONGEST_REGRESSION, series.size() / 4);
        const Series regression = Regress(series, terms, {}, 0, terms);
        for (Eigen::Index t = terms; t < series.size(); ++t)
        {
            errors(t) = series(t) - regression.dot(series.segment(t - terms, terms).reverse());
        }
        first = std::max(p, terms + q);
    }
    Series guess = p + q > 0 ? Regress(series, p, errors, q, first) : Series();
    if (!guess.allFinite())
    {
        guess.setZero();
    }
    while (!IsInvertible(guess.tail(q)))
    {
        for (Eigen::Index j = 0; j < q; ++j)
        {
            guess(p + j) *= std::pow(SHRINK, j + 1);
        }
    }
    return guess;
}

} // namespace

ArimaErrors::ArimaErrors(const Eigen::VectorXd& series,
                         Eigen::Index p,
                         Eigen::Index q,
                         bool constant)
    : m_series(series),
      m_p(p),
      m_q(q),
      m_constant(constant)
{
}

int
ArimaErrors::operator()(const Eigen::VectorXd& coefficients, Eigen::VectorXd& errors) const
{
    errors.resize(values());
    if (!IsInvertible(coefficients.segment(m_p, m_q)))
    {
        errors.setConstant(INADMISSIBLE);
        return 0;
    }
    const double constant = m_constant ? coefficients(m_p + m_q) : 0;
    for (Eigen::Index t = 0; t < errors.size(); ++t)
    {
        double error = m_series(m_p + t) - constant;
        for (Eigen::Index i = 0; i < m_p; ++i)
        {
            error -= coefficients(i) * m_series(m_p + t - 1 - i);
        }
        for (Eigen::Index j = 0; j < std::min(m_q, t); ++j)
        {
            error -= coefficients(m_p + j) * errors(t - 1 - j);
        }
        errors(t) = error;
    }
    return 0;
}

int
ArimaErrors::df(const Eigen::VectorXd& coefficients, Eigen::MatrixXd& jacobian) const
{
    Eigen::VectorXd errors;
    (*this)(coefficients, errors);
    for (Eigen::Index t = 0; t < errors.size(); ++t)
    {
        for (Eigen::Index i = 0; i < m_p; ++i)
        {
            jacobian(t, i) = -m_series(m_p + t - 1 - i);
        }
        for (Eigen::Index j = 0; j < m_q; ++j)
        {
            jacobian(t, m_p + j) = j < t ? -errors(t - 1 - j) : 0;
        }
        if (m_constant)
        {
            jacobian(t, m_p + m_q) = -1;
        }
        for (Eigen::Index j = 0; j < std::min(m_q, t); ++j)
        {
            jacobian.row(t) -= coefficients(m_p + j) * jacobian.row(t - 1 - j);
        }
    }
    return 0;
}

/// By the recursion of Levinson and Durbin backwards: all partial autocorrelations of the
/// autoregression with the opposite coefficients are between -1 and 1.
bool
IsInvertible(const Eigen::VectorXd& ma)
{
    Eigen::VectorXd rest = -ma;
    for (Eigen::Index k = rest.size(); k > 0; --k)
    {
        const double last = rest(k - 1);
        if (!(std::abs(last) < 1))
        {
            return false;
        }
        const Eigen::VectorXd shorter = rest.head(k - 1);
        rest = (shorter + last * shorter.reverse()) / (1 - last * last);
    }
    return true;
}

ArimaModel::ArimaModel(uint32_t p, uint32_t d, uint32_t q)
    : m_p(p),
      m_d(d),
      m_q(q)
{
}

void
ArimaModel::Fit(const std::vector<double>& values)
{
    Series series = Difference(values, m_d);
    const double mean = series.mean();
    const double deviation = std::sqrt((series.array() - mean).square().mean());
    const double largest =
        Eigen::Map<const Series>(values.data(), values.size()).cwiseAbs().maxCoeff();
    if (!(deviation > NO_VARIATION * largest))
    {
        m_coefficients = {mean, std::vector<double>(m_p), std::vector<double>(m_q)};
        return;
    }
    const bool constant = m_d == 0;
    const double center = constant ? mean : 0;
    series = ((series.array() - center) / deviation).matrix().eval();
    Series found = Series::Zero(m_p + m_q + (constant ? 1 : 0));
    found.head(m_p + m_q) = GuessCoefficients(series, m_p, m_q);
    if (found.size() > 0)
    {
        ArimaErrors errors(series, m_p, m_q, constant);
        Eigen::LevenbergMarquardt<ArimaErrors> solver(errors);
        solver.parameters.maxfev = ARIMA_EVALUATIONS;
        solver.minimize(found);
    }
    m_coefficients.ar.assign(found.data(), found.data() + m_p);
    m_coefficients.ma.assign(found.data() + m_p, found.data() + m_p + m_q);
    m_coefficients.constant =
        constant ? deviation * found(m_p + m_q) + center * (1 - found.head(m_p).sum()) : 0;
}

double
ArimaModel::Predict(const std::vector<double>& values) const
{
    const auto& [constant, ar, ma] = m_coefficients;
    const Series series = Difference(values, m_d);
    Series errors = Series::Zero(series.size() + 1);
    double expected = 0; // of the next value of the differences
    for (Eigen::Index t = m_p; t <= series.size(); ++t)
    {
        expected = constant;
        for (uint32_t i = 0; i < m_p; ++i)
        {
            expected += ar[i] * series(t - 1 - i);
        }
        for (uint32_t j = 0; j < m_q && j < t; ++j)
        {
            expected += ma[j] * errors(t - 1 - j);
        }
        if (t < series.size())
        {
            errors(t) = series(t) - expected;
        }
    }
    for (uint32_t d = 0; d < m_d; ++d)
    {
        const Series lower = Difference(values, d);
        expected += lower(lower.size() - 1);
    }
    return expected;
}

} // namespace ns3::dml
