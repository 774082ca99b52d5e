/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ARIMA_MODEL_H
#define DML_ARIMA_MODEL_H

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// w(t) = constant + sum of ar(i) w(t - i) + e(t) + sum of ma(j) e(t - j), where w is the series
/// after differencing and e what cannot be predicted of it.
struct ArimaCoefficients
{
    double constant{0};     //!< 0 with differencing, unless what remains does not vary
    std::vector<double> ar; //!< p of them
    std::vector<double> ma; //!< q of them
};

/**
 * @ingroup dml-sync
 * @brief An ARIMA(p, d, q) model of a series: autoregression and moving average of its d-th
 * differences.
 *
 * Coefficients are those with the least sum of squares of e, conditional on the first p values of
 * w and on no e before (Box and Jenkins, Time Series Analysis, section 7.1), by Levenberg-Marquardt
 * (Eigen's). It starts from the two regressions of Hannan and Rissanen (Biometrika 1982): a long
 * autoregression tells e, a second one the coefficients. The moving average stays invertible.
 */
class ArimaModel
{
  public:
    /// @param p terms of the autoregression, 0 to 10 @param d differences, 0 to 2 @param q terms of
    /// the moving average, 0 to 10
    ArimaModel(uint32_t p, uint32_t d, uint32_t q);

    /// @return values that Fit() needs at least
    std::size_t GetFewestValues() const
    {
        // a quarter of them, and q, go before the second regression has what it needs
        return m_d + 8 * (m_p + m_q + 1);
    }

    /// @param values finite, at least GetFewestValues(), the latest last
    void Fit(const std::vector<double>& values);
    /// @param values as Fit() takes them @return the next one; only after Fit()
    double Predict(const std::vector<double>& values) const;

    /// @return what Fit() found
    const ArimaCoefficients& GetCoefficients() const
    {
        return m_coefficients;
    }

  private:
    uint32_t m_p;                     //!< order
    uint32_t m_d;                     //!< order
    uint32_t m_q;                     //!< order
    ArimaCoefficients m_coefficients; //!< of the differences
};

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
    int inputs() const
    {
        return m_p + m_q + (m_constant ? 1 : 0);
    }

    /// @return number of errors
    int values() const
    {
        return m_series.size() - m_p;
    }

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

#endif /* DML_ARIMA_MODEL_H */
