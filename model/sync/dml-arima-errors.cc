/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-arima-errors.h"

#include <algorithm>
#include <cmath>

namespace ns3::dml
{

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
ArimaErrors::inputs() const
{
    return m_p + m_q + (m_constant ? 1 : 0);
}

int
ArimaErrors::values() const
{
    return m_series.size() - m_p;
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

} // namespace ns3::dml
