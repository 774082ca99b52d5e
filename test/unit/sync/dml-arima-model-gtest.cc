/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// ARIMA against series whose coefficients are known.

#include "ns3/dml-arima-model.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3::dml;

namespace
{

/// An ARMA series whose noise is uniform between -0.5 and 0.5, from the generator x -> 1664525 x +
/// 1013904223 modulo 2^32, which starts with 1: simple to draw elsewhere, too.
std::vector<double>
MakeArma(const std::vector<double>& ar, const std::vector<double>& ma)
{
    std::vector<double> noise;
    std::vector<double> series;
    uint32_t state = 1;
    for (std::size_t t = 0; t < 500; ++t)
    {
        state = 1664525U * state + 1013904223U;
        noise.push_back(state / 4294967296.0 - 0.5);
        double value = noise[t];
        for (std::size_t i = 0; i < ar.size() && i < t; ++i)
        {
            value += ar[i] * series[t - 1 - i];
        }
        for (std::size_t j = 0; j < ma.size() && j < t; ++j)
        {
            value += ma[j] * noise[t - 1 - j];
        }
        series.push_back(value);
    }
    return series;
}

/// @return the series plus something
std::vector<double>
Raise(std::vector<double> series, double level)
{
    for (double& value : series)
    {
        value += level;
    }
    return series;
}

/// @return the sums of the first values
std::vector<double>
Sum(std::vector<double> series)
{
    for (std::size_t t = 1; t < series.size(); ++t)
    {
        series[t] += series[t - 1];
    }
    return series;
}

ArimaModel
FitArima(const std::vector<double>& series, uint32_t p, uint32_t d, uint32_t q)
{
    ArimaModel model(p, d, q);
    model.Fit(series);
    return model;
}

} // namespace

// The expected values are from two programs that share nothing with this one: first the least
// conditional sum of squares by scipy 1.10's least_squares, to 1e-9; then the exact maximum
// likelihood of statsmodels 0.13 (ARIMA(series, order, trend="c" if d == 0 else "n").fit()), which
// is close in a series of 500 values. The true coefficients are two standard errors away at most.

TEST(ArimaModel, FindsAnAutoregression)
{
    const auto series = Raise(MakeArma({0.7}, {}), 10);
    ASSERT_NEAR(series.front(), 9.736455525271595, 1e-12);
    ASSERT_NEAR(series.back(), 10.11117602369834, 1e-12);
    const auto model = FitArima(series, 1, 0, 0);
    const auto& [constant, ar, ma] = model.GetCoefficients();
    EXPECT_NEAR(ar.at(0), 0.681151659, 1e-6);
    EXPECT_NEAR(constant, 3.215668258, 1e-5);
    EXPECT_TRUE(ma.empty());
    EXPECT_NEAR(model.Predict(series), 10.102912584, 1e-6);
    EXPECT_NEAR(ar.at(0), 0.680873, 1e-3);                   // statsmodels
    EXPECT_NEAR(constant / (1 - ar.at(0)), 10.081607, 5e-3); // its mean
    EXPECT_NEAR(model.Predict(series), 10.10174, 2e-3);      // its forecast
    EXPECT_NEAR(ar.at(0), 0.7, 2 * 0.033);                   // its standard error
}

TEST(ArimaModel, FindsAMovingAverage)
{
    const auto series = Raise(MakeArma({0.6}, {0.4}), 10);
    ASSERT_NEAR(series.back(), 9.972983672141972, 1e-12);
    const auto model = FitArima(series, 1, 0, 1);
    const auto& [constant, ar, ma] = model.GetCoefficients();
    EXPECT_NEAR(ar.at(0), 0.602699412, 1e-5);
    EXPECT_NEAR(ma.at(0), 0.356723008, 1e-5);
    EXPECT_NEAR(constant, 4.008155828, 1e-4);
    EXPECT_NEAR(model.Predict(series), 10.036254035, 1e-5);
    EXPECT_NEAR(ar.at(0), 0.601408, 5e-3);             // statsmodels
    EXPECT_NEAR(ma.at(0), 0.356921, 5e-3);             // statsmodels
    EXPECT_NEAR(model.Predict(series), 10.0357, 2e-3); // its forecast
    EXPECT_NEAR(ar.at(0), 0.6, 2 * 0.047);
    EXPECT_NEAR(ma.at(0), 0.4, 2 * 0.053);
}

TEST(ArimaModel, FindsWhatDifferencesFollow)
{
    const auto series = Raise(Sum(MakeArma({0.5}, {})), 100);
    ASSERT_NEAR(series.back(), 125.05933168193924, 1e-9);
    const auto model = FitArima(series, 1, 1, 0);
    EXPECT_NEAR(model.GetCoefficients().ar.at(0), 0.485792508, 1e-6);
    EXPECT_EQ(model.GetCoefficients().constant, 0);
    EXPECT_NEAR(model.Predict(series), 125.051839205, 1e-6);
    EXPECT_NEAR(model.GetCoefficients().ar.at(0), 0.485447, 1e-3); // statsmodels
    EXPECT_NEAR(model.Predict(series), 125.051845, 1e-3);          // its forecast
    EXPECT_NEAR(model.GetCoefficients().ar.at(0), 0.5, 2 * 0.039);
}

TEST(ArimaModel, FindsTheOrdersOfThePaper)
{
    const auto series = Raise(Sum(Sum(MakeArma({0.5, -0.3}, {0.4}))), 1000);
    ASSERT_NEAR(series.back(), 2937.1320545043304, 1e-7);
    const auto model = FitArima(series, 2, 2, 1);
    const auto& [constant, ar, ma] = model.GetCoefficients();
    EXPECT_NEAR(ar.at(0), 0.430098738, 1e-4);
    EXPECT_NEAR(ar.at(1), -0.243992350, 1e-4);
    EXPECT_NEAR(ma.at(0), 0.423060238, 1e-4);
    EXPECT_NEAR(model.Predict(series), 2958.914708096, 1e-4);
    EXPECT_NEAR(ar.at(0), 0.430428, 5e-3);               // statsmodels
    EXPECT_NEAR(ar.at(1), -0.245328, 5e-3);              // statsmodels
    EXPECT_NEAR(ma.at(0), 0.420489, 5e-3);               // statsmodels
    EXPECT_NEAR(model.Predict(series), 2958.9145, 1e-3); // its forecast
}

/// What does not vary goes on as it is: a level, and in differences a slope or a curve.
TEST(ArimaModel, GoesOnWithWhatDoesNotVary)
{
    std::vector<double> level(100, 12.3);
    std::vector<double> slope;
    std::vector<double> curve;
    for (int t = 0; t < 100; ++t)
    {
        slope.push_back(5 + 2 * t);
        curve.push_back(t * t);
    }
    for (const uint32_t d : {0, 1, 2})
    {
        EXPECT_NEAR(FitArima(level, 2, d, 1).Predict(level), 12.3, 1e-12);
    }
    EXPECT_NEAR(FitArima(slope, 2, 1, 1).Predict(slope), 205, 1e-9);
    EXPECT_NEAR(FitArima(curve, 2, 2, 1).Predict(curve), 10000, 1e-9);
}

/// No terms at all: the mean, or with one difference the last value.
TEST(ArimaModel, MayHaveNoTerms)
{
    const auto series = Raise(MakeArma({0.7}, {}), 10);
    double mean = 0;
    for (const double value : series)
    {
        mean += value / series.size();
    }
    EXPECT_NEAR(FitArima(series, 0, 0, 0).Predict(series), mean, 1e-9);
    EXPECT_NEAR(FitArima(series, 0, 1, 0).Predict(series), series.back(), 1e-12);
}

/// 1 + ma(1) x + ... has its roots outside the unit circle: (1 + 0.5 x)(1 - 0.9 x) = 1 - 0.4 x -
/// 0.45 x^2 has, (1 + 0.5 x)(1 - 1.1 x) = 1 - 0.6 x - 0.55 x^2 has not.
TEST(ArimaModel, TellsWhatIsInvertible)
{
    EXPECT_TRUE(IsInvertible(Eigen::VectorXd(0)));
    EXPECT_TRUE(IsInvertible(Eigen::VectorXd::Constant(1, -0.99)));
    EXPECT_FALSE(IsInvertible(Eigen::VectorXd::Constant(1, 1.01)));
    EXPECT_TRUE(IsInvertible(Eigen::Vector2d(-0.4, -0.45)));
    EXPECT_FALSE(IsInvertible(Eigen::Vector2d(-0.6, -0.55)));
}

/// Differences of what was no sum: the best moving average is at the edge of what is invertible,
/// and must stay inside.
TEST(ArimaModel, StaysInvertible)
{
    const auto series = Raise(MakeArma({}, {}), 10);
    const auto model = FitArima(series, 0, 1, 1);
    const double ma = model.GetCoefficients().ma.at(0);
    EXPECT_LT(ma, -0.9);
    EXPECT_GT(ma, -1);
    EXPECT_NEAR(model.Predict(series), 10, 0.2); // about the mean
}

/// Derivatives against central differences.
TEST(ArimaModel, KnowsItsDerivatives)
{
    const auto values = MakeArma({0.6}, {0.4});
    const Eigen::VectorXd series = Eigen::Map<const Eigen::VectorXd>(values.data(), 60);
    const ArimaErrors errors(series, 2, 2, true);
    Eigen::VectorXd at(5);
    at << 0.3, -0.2, 0.5, -0.1, 0.7;
    Eigen::MatrixXd jacobian(errors.values(), errors.inputs());
    errors.df(at, jacobian);
    for (int i = 0; i < errors.inputs(); ++i)
    {
        constexpr double STEP = 1e-6;
        Eigen::VectorXd low;
        Eigen::VectorXd high;
        errors(at - STEP * Eigen::VectorXd::Unit(5, i), low);
        errors(at + STEP * Eigen::VectorXd::Unit(5, i), high);
        EXPECT_LT(((high - low) / (2 * STEP) - jacobian.col(i)).cwiseAbs().maxCoeff(), 1e-8);
    }
}
