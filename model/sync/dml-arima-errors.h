/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ARIMA_ERRORS_H
#define DML_ARIMA_ERRORS_H

#include <Eigen/Core>

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief What an ARMA(p, q) model does not predict of a series, and how that depends on its
 * coefficients; in the form that Eigen's LevenbergMarquardt takes.
 *
 * Coefficients are those of the autoregression, of the moving average, and the constant if there is
 * one. There is an error for each value but the first p; those before are 0. Where the moving
 * average is not invertible, so that errors would grow without end, they are INADMISSIBLE.
 */
class ArimaErrors
{
  public:
    using Scalar = double;
    using InputType = Eigen::VectorXd;
    using ValueType = Eigen::VectorXd;
    using JacobianType = Eigen::MatrixXd;

    enum
    {
        InputsAtCompileTime = Eigen::Dynamic,
        ValuesAtCompileTime = Eigen::Dynamic
    };

    static constexpr double INADMISSIBLE = 1e6; //!< far above errors of a normalised series

    /// @param series normalised, kept by reference, longer than p @param p order @param q order
    /// @param constant whether there is one
    ArimaErrors(const Eigen::VectorXd& series, Eigen::Index p, Eigen::Index q, bool constant);

    /// @return number of coefficients
    int inputs() const;
    /// @return number of errors
    int values() const;
    /// @param coefficients inputs() @param[out] errors values() @return 0
    int operator()(const Eigen::VectorXd& coefficients, Eigen::VectorXd& errors) const;
    /// @param coefficients inputs() @param[out] jacobian derivatives of the errors, a row each; it
    /// has that size already @return 0
    int df(const Eigen::VectorXd& coefficients, Eigen::MatrixXd& jacobian) const;

  private:
    const Eigen::VectorXd& m_series; //!< normalised
    Eigen::Index m_p;                //!< order
    Eigen::Index m_q;                //!< order
    bool m_constant;                 //!< whether there is one
};

/// @param ma moving average @return whether its errors are a sum of values whose weights decrease
bool IsInvertible(const Eigen::VectorXd& ma);

} // namespace ns3::dml

#endif /* DML_ARIMA_ERRORS_H */
