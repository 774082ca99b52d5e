/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/data-rate.h"
#include "ns3/dml-unit-parser.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <regex>
#include <string>

using namespace ns3::dml;

namespace
{

constexpr uint64_t MAX = std::numeric_limits<uint64_t>::max();

TEST(UnitParser, SizesAreDecimalUnlessTheUnitHasAnI)
{
    EXPECT_EQ(ParseSize("28MB"), 28000000U);
    EXPECT_EQ(ParseSize("1MiB"), 1048576U);
    EXPECT_EQ(ParseSize("3KB"), 3000U);
    EXPECT_EQ(ParseSize("3KiB"), 3072U);
    EXPECT_EQ(ParseSize("2GB"), 2000000000U);
    EXPECT_EQ(ParseSize("2GiB"), 2147483648U);
    EXPECT_EQ(ParseSize("7B"), 7U);
    EXPECT_EQ(ParseSize("1500"), 1500U);
    EXPECT_EQ(ParseSize("0"), 0U);
}

TEST(UnitParser, FormatsAreTheShortestThatAreReadAsTheSame)
{
    EXPECT_EQ(FormatSize(0), "0B");
    EXPECT_EQ(FormatSize(1500), "1500B");
    EXPECT_EQ(FormatSize(262144), "256KiB");
    EXPECT_EQ(FormatSize(28000000), "28MB");
    EXPECT_EQ(FormatSize(MAX), "18446744073709551615B");
    EXPECT_EQ(FormatBitRate(16000000000), "16Gbps"); // not 2GBps
    EXPECT_EQ(FormatBitRate(1500000), "1500kbps");
    EXPECT_EQ(FormatNanoseconds(0), "0s");
    EXPECT_EQ(FormatNanoseconds(200000000), "200ms");
    EXPECT_EQ(FormatNanoseconds(1500), "1500ns");
}

TEST(UnitParser, PatternsMatchWhatIsReadAndNotSlips)
{
    const auto matches = [](const std::string& text, const std::string& pattern) {
        return std::regex_search(text, std::regex(pattern));
    };
    for (const auto* text : {"28MB", "1.5GB", "1500", "3KiB"})
    {
        EXPECT_TRUE(matches(text, SizePattern())) << text;
    }
    for (const auto* text : {"28 MB", "28mb", "MB", "-1", "1.", "1e6", "28MBx", ""})
    {
        EXPECT_FALSE(matches(text, SizePattern())) << text;
    }
    EXPECT_TRUE(matches("2.5Gb/s", RatePattern()));
    EXPECT_FALSE(matches("1000", RatePattern()));
    EXPECT_TRUE(matches("10us", TimePattern()));
    EXPECT_FALSE(matches("10", TimePattern()));
}

TEST(UnitParser, SizesMayHaveDecimalsThatGiveWholeBytes)
{
    EXPECT_EQ(ParseSize("1.5GB"), 1500000000U);
    EXPECT_EQ(ParseSize("0.5KiB"), 512U);
    EXPECT_EQ(ParseSize("2.50KB"), 2500U);
    EXPECT_EQ(ParseSize("5.000"), 5U);
    // 2^-10 KiB = 0.0009765625 KiB
    EXPECT_EQ(ParseSize("0.0009765625KiB"), 1U);
    EXPECT_EQ(ParseSize("1.5"), std::nullopt);
    EXPECT_EQ(ParseSize("0.0001KB"), std::nullopt);
    EXPECT_EQ(ParseSize("0.3KiB"), std::nullopt); // 307.2 bytes
}

TEST(UnitParser, SizesThatAreNone)
{
    for (const char* text :
         {"",    "MB",   "-1", "-1MB", "28 megs", "28 MB", "28mb", "28Mb", "28M", "28MB ", " 28MB",
          "1e6", "0x10", "1.", ".5KB", "1.2.3KB", "1,5GB", "+5",   "nan",  "inf", "MB28",  "1_000"})
    {
        EXPECT_EQ(ParseSize(text), std::nullopt) << text;
    }
}

TEST(UnitParser, SizesUpTo64Bits)
{
    EXPECT_EQ(ParseSize("18446744073709551615"), MAX);
    EXPECT_EQ(ParseSize("18446744073709551616"), std::nullopt);
    EXPECT_EQ(ParseSize("18446744073.709551615GB"), MAX);
    EXPECT_EQ(ParseSize("18446744073.709551616GB"), std::nullopt); // the fraction overflows
    EXPECT_EQ(ParseSize("99999999999GB"), std::nullopt);
    EXPECT_EQ(ParseSize("17179869184GiB"), std::nullopt); // 2^34 * 2^30
    EXPECT_EQ(ParseSize("0.0000000000000000001GB"), std::nullopt);
}

TEST(UnitParser, RatesAgreeWithNs3)
{
    for (const char* text :
         {"1bps",   "16b/s",  "2Bps",    "2B/s",    "3kbps",    "3kb/s",  "3Kbps",  "3Kb/s",
          "4kBps",  "4kB/s",  "4KBps",   "4KB/s",   "5Kib/s",   "5KiB/s", "6Mbps",  "6Mb/s",
          "7MBps",  "7MB/s",  "8Mib/s",  "8MiB/s",  "9Gbps",    "10Gb/s", "11GBps", "11GB/s",
          "2Gib/s", "3GiB/s", "1.5Mbps", "400Gbps", "0.125MBps"})
    {
        EXPECT_EQ(ParseBitRate(text), ns3::DataRate(text).GetBitRate()) << text;
    }
}

TEST(UnitParser, RatesThatAreNone)
{
    for (const char* text : {"",
                             "0bps",
                             "0Gbps",
                             "0.0Gbps",
                             "1",
                             "1000000",
                             "-1Gbps",
                             "1gbps",
                             "1 Gbps",
                             "1G",
                             "Gbps",
                             "1Tbps",
                             "1.5bps",
                             "1e9bps",
                             "infGbps",
                             "99999999999Gbps"})
    {
        EXPECT_EQ(ParseBitRate(text), std::nullopt) << text;
    }
}

TEST(UnitParser, Times)
{
    EXPECT_EQ(ParseNanoseconds("10us"), 10000);
    EXPECT_EQ(ParseNanoseconds("1.5ms"), 1500000);
    EXPECT_EQ(ParseNanoseconds("2s"), 2000000000);
    EXPECT_EQ(ParseNanoseconds("7ns"), 7);
    EXPECT_EQ(ParseNanoseconds("0.5min"), 30000000000);
    EXPECT_EQ(ParseNanoseconds("1h"), 3600000000000);
    EXPECT_EQ(ParseNanoseconds("0s"), 0);
    EXPECT_EQ(ParseNanoseconds("0"), 0);
    EXPECT_EQ(ParseNanoseconds("-3ms"), -3000000);
    // 2^63 - 1 ns is the longest
    EXPECT_EQ(ParseNanoseconds("9223372036854775807ns"), std::numeric_limits<int64_t>::max());
}

TEST(UnitParser, TimesThatAreNone)
{
    for (const char* text : {"",
                             "10",
                             "1.5",
                             "-1",
                             "0.0",
                             "00",
                             "10 us",
                             "10usec",
                             "10US",
                             "10m",
                             "1.5ns",
                             "0.0001us",
                             "nan",
                             "inf",
                             "infs",
                             "nans",
                             "--1s",
                             "-",
                             "1e3s",
                             "9223372036854775808ns",
                             "99999999999999s"})
    {
        EXPECT_EQ(ParseNanoseconds(text), std::nullopt) << text;
    }
}

TEST(UnitParser, Integers)
{
    EXPECT_EQ(ParseInteger("12"), 12);
    EXPECT_EQ(ParseInteger("-1"), -1);
    EXPECT_EQ(ParseInteger("+5"), 5);
    for (const char* text :
         {"", "+", "-", "+-5", "1.0", "1e3", "0x10", "1 ", " 1", "one", "9223372036854775808"})
    {
        EXPECT_EQ(ParseInteger(text), std::nullopt) << text;
    }
}

TEST(UnitParser, Numbers)
{
    EXPECT_EQ(ParseNumber("8.0e-9"), 8.0e-9);
    EXPECT_EQ(ParseNumber("+0.25"), 0.25);
    EXPECT_EQ(ParseNumber("-2"), -2.0);
    for (const char* text :
         {"", "+", "+-1", ".nan", "nan", "NaN", "inf", "-inf", "1e999", "0.1s", "0,1", "0x1p3"})
    {
        EXPECT_EQ(ParseNumber(text), std::nullopt) << text;
    }
}

TEST(UnitParser, NumbersOfPackets)
{
    EXPECT_EQ(ParsePackets("65 packets"), 65U);
    EXPECT_EQ(ParsePackets("1 packet"), 1U);
    EXPECT_EQ(ParsePackets("1 packets"), 1U);
    for (const auto* text : {"65",
                             "65packets",
                             "65  packets",
                             "65 packet",
                             "65 Packets",
                             "6.5 packets",
                             "-1 packets",
                             " packets",
                             "",
                             "18446744073709551616 packets"})
    {
        EXPECT_EQ(ParsePackets(text), std::nullopt) << text;
    }
}

} // namespace
