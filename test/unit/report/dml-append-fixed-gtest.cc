/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Numbers in result files: those of the C library, which rounds the exact value half to even.

#include "ns3/dml-result-file.h"

#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <random>
#include <string>

using namespace ns3::dml;

namespace
{

std::string
Fixed(double value, int decimals)
{
    std::string text;
    AppendFixed(text, value, decimals);
    return text;
}

void
ExpectAsPrinted(double value, int decimals)
{
    char text[400];
    std::snprintf(text, sizeof(text), "%.*f", decimals, value);
    EXPECT_EQ(Fixed(value, decimals), text) << std::hexfloat << value << " " << decimals;
}

} // namespace

TEST(AppendFixed, KnowsCasesByHand)
{
    EXPECT_EQ(Fixed(0, 3), "0.000");
    EXPECT_EQ(Fixed(-0.0, 3), "0.000");
    EXPECT_EQ(Fixed(12.5, 9), "12.500000000");
    EXPECT_EQ(Fixed(0.125, 2), "0.12"); // a tie goes to the even digit
    EXPECT_EQ(Fixed(0.375, 2), "0.38");
    EXPECT_EQ(Fixed(0.9999999996, 9), "1.000000000");
    EXPECT_EQ(Fixed(999999999.9999999, 6), "1000000000.000000");
    EXPECT_EQ(Fixed(1e9, 9), "1000000000.000000000");
    EXPECT_EQ(Fixed(-1.5, 1), "-1.5");
    EXPECT_EQ(Fixed(NAN, 9), "");
    EXPECT_EQ(Fixed(INFINITY, 9), "");
}

TEST(AppendFixed, AgreesWithTheLibrary)
{
    std::mt19937_64 random(5);
    for (int i = 0; i < 300000; ++i)
    {
        const int decimals = 1 + static_cast<int>(random() % 11);
        const auto exponent = static_cast<int>(random() % 140) - 100;
        ExpectAsPrinted(std::ldexp(static_cast<double>(random() >> 11), exponent - 53), decimals);
        // few bits behind the point: ties
        ExpectAsPrinted(
            std::ldexp(static_cast<double>(random() % 4096), -static_cast<int>(random() % 12)),
            decimals);
        // decimals of few digits, and their neighbours
        const double decimal = static_cast<double>(random() % 100000) / 1e4;
        ExpectAsPrinted(decimal, decimals);
        ExpectAsPrinted(std::nextafter(decimal, 1e9), decimals);
    }
    for (const double value : {5e-324, 2.2e-308, 1e-20, 4.9999999999999e-10, 5e-10, 999999999.4999})
    {
        ExpectAsPrinted(value, 9);
    }
}
