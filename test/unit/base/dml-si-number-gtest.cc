/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-si-number.h"

#include <gtest/gtest.h>

using namespace ns3::dml;

namespace
{

TEST(SiNumber, HasAPrefixAndNoExponent)
{
    EXPECT_EQ(FormatSi(3672e9, "B"), "3.67 TB"); // and not 3.67e+03 GB
    EXPECT_EQ(FormatSi(2515e6, "segments"), "2.52 G segments");
    EXPECT_EQ(FormatSi(488e9, "B"), "488 GB");
    EXPECT_EQ(FormatSi(73400, "B"), "73.4 kB"); // and not 7.34e-05 GB
    EXPECT_EQ(FormatSi(52, "segments"), "52 segments");
    EXPECT_EQ(FormatSi(0, "B"), "0 B");
    EXPECT_EQ(FormatSi(5e26, "B"), "500 YB");
}

// %.3g of 999.5 is "1e+03": the next prefix begins there, and not at 1000.
TEST(SiNumber, RoundsBeforeItChoosesThePrefix)
{
    EXPECT_EQ(FormatSi(999.4e9, "B"), "999 GB");
    EXPECT_EQ(FormatSi(999.5e9, "B"), "1 TB");
    EXPECT_EQ(FormatSi(999.9, "B"), "1 kB");
    EXPECT_EQ(FormatSi(999.6e6, "segments"), "1 G segments");
}

} // namespace
