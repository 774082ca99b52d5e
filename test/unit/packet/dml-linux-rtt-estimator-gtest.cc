/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Retransmission timeouts as Linux has them: the smoothed round trip and at least 200 ms.

#include "ns3/dml-linux-rtt-estimator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// @return what TcpSocketBase makes of it, without its own least timeout, in ms
double
GetTimeout(const RttEstimator& estimator)
{
    return (estimator.GetEstimate() + estimator.GetVariation() * int64_t(4)).GetSeconds() * 1e3;
}

TEST(LinuxRttEstimatorTest, ATimeoutIsTheLeastOneLaterThanTheRoundTrip)
{
    const auto estimator = CreateObject<LinuxRttEstimator>();
    for (uint32_t i = 0; i < 100; ++i)
    {
        estimator->Measurement(MilliSeconds(320));
    }
    EXPECT_NEAR(GetTimeout(*estimator), 520, 0.01);
}

/// The estimate and the variation of RFC 6298, section 2, by hand: an eighth and a fourth of each
/// error.
TEST(LinuxRttEstimatorTest, TheBoundDoesNotChangeWhatItBounds)
{
    const auto estimator = CreateObject<LinuxRttEstimator>();
    const auto plain = CreateObject<RttMeanDeviation>();
    double estimate = 0;
    double variation = 0;
    for (const double sample : {400.0, 10.0, 700.0, 300.0, 310.0, 305.0})
    {
        estimator->Measurement(Seconds(sample / 1e3));
        plain->Measurement(Seconds(sample / 1e3));
        const double error = sample - estimate;
        variation = estimate == 0 ? sample / 2 : variation + (std::abs(error) - variation) / 4;
        estimate = estimate == 0 ? sample : estimate + error / 8;
        EXPECT_NEAR(GetTimeout(*estimator), estimate + std::max(200.0, 4 * variation), 0.01);
    }
    EXPECT_EQ(estimator->GetEstimate(), plain->GetEstimate());
    EXPECT_GT(4 * variation, 200); // else only the bound was seen
}

TEST(LinuxRttEstimatorTest, ACopyGoesOn)
{
    const auto estimator = CreateObject<LinuxRttEstimator>();
    estimator->Measurement(MilliSeconds(8));
    const auto copy = estimator->Copy();
    for (uint32_t i = 0; i < 50; ++i)
    {
        estimator->Measurement(MilliSeconds(10));
        copy->Measurement(MilliSeconds(10));
        EXPECT_EQ(GetTimeout(*estimator), GetTimeout(*copy));
    }
    EXPECT_NEAR(GetTimeout(*copy), 210, 0.1);
}

} // namespace
