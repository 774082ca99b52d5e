/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ARIMA_MODEL_H
#define DML_ARIMA_MODEL_H

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
    std::size_t GetFewestValues() const;
    /// @param values finite, at least GetFewestValues(), the latest last
    void Fit(const std::vector<double>& values);
    /// @param values as Fit() takes them @return the next one; only after Fit()
    double Predict(const std::vector<double>& values) const;
    /// @return what Fit() found
    const ArimaCoefficients& GetCoefficients() const;

  private:
    uint32_t m_p;                     //!< order
    uint32_t m_d;                     //!< order
    uint32_t m_q;                     //!< order
    ArimaCoefficients m_coefficients; //!< of the differences
};

} // namespace ns3::dml

#endif /* DML_ARIMA_MODEL_H */
