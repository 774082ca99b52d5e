/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-error.h"
#include "ns3/dml-key-tuner.h"

#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>

using namespace ns3::dml;

namespace
{

/// Trials of a score that is largest, 0, at 30 and 700.
std::vector<KeyTrial>
TunePeak(uint32_t trials, uint32_t& calls)
{
    return TuneKeys(
        ReadKeyRanges("a=0..100,b=0..1000"),
        trials,
        [&calls](const std::vector<std::string>& values) -> std::optional<double> {
            ++calls;
            const double a = std::atof(values[0].c_str()) - 30;
            const double b = std::atof(values[1].c_str()) - 700;
            return -a * a - b * b / 100;
        },
        [](const KeyTrial&) {});
}

} // namespace

TEST(DmlKeyRange, HasUnitsAndScales)
{
    const KeyRange size("transfer.partition=64KB..16MB");
    EXPECT_EQ(size.GetKey(), "transfer.partition");
    EXPECT_EQ(size.GetValue(0), "64000B");
    EXPECT_EQ(size.GetValue(1), "16000000B");
    EXPECT_EQ(size.GetValue(0.5), "1011929B"); // sqrt(64000 * 16000000)
    EXPECT_EQ(KeyRange("x=1MB..5MB").GetValue(0.5), "3000000B");
    EXPECT_EQ(KeyRange("x=5ms..10ms").GetValue(0.2), "6000000ns");
    EXPECT_EQ(KeyRange("x=2..8").GetValue(0.6), "6");
    EXPECT_EQ(KeyRange("x=0..8").GetValue(0.5), "4"); // no logarithm of 0
    EXPECT_EQ(KeyRange("x=0.000001..0.0001").GetValue(0.5), "1e-05");
    EXPECT_EQ(KeyRange("x=0.5..1.5").GetValue(0.25), "0.75");
}

TEST(DmlKeyRange, RefusesWhatIsNone)
{
    for (const char* text : {"", "x", "x=", "=1..2", "x=1", "x=1..", "x=a..b"})
    {
        EXPECT_NE(ErrorOf([&] { KeyRange range(text); }).find("accepted: KEY=LOW..HIGH"),
                  std::string::npos)
            << text;
    }
    EXPECT_NE(ErrorOf([] { KeyRange range("x=2..2"); }).find("not below the second"),
              std::string::npos);
    EXPECT_EQ(ErrorOf([] { ReadKeyRanges("x=1..2,x=1..3"); }),
              "--keys: found x twice; accepted: each key once");
    EXPECT_NE(ErrorOf([] { ReadKeyRanges(""); }).find("found nothing"), std::string::npos);
}

TEST(DmlKeyTuner, FindsAPeak)
{
    uint32_t calls = 0;
    const auto best = FindBest(TunePeak(80, calls));
    ASSERT_TRUE(best);
    EXPECT_NEAR(std::atof(best->values[0].c_str()), 30, 3);
    EXPECT_NEAR(std::atof(best->values[1].c_str()), 700, 30);
}

TEST(DmlKeyTuner, MakesAsManyTrialsAsItMayAndNoneTwice)
{
    for (const uint32_t most : {1, 2, 7, 40})
    {
        uint32_t calls = 0;
        const auto trials = TunePeak(most, calls);
        EXPECT_EQ(trials.size(), calls);
        EXPECT_LE(trials.size(), most);
        EXPECT_GE(2 * trials.size(), most);
        std::set<std::vector<std::string>> different;
        for (const auto& trial : trials)
        {
            different.insert(trial.values);
        }
        EXPECT_EQ(different.size(), trials.size());
    }
    uint32_t calls = 0;
    const auto first = TunePeak(30, calls);
    const auto second = TunePeak(30, calls);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i)
    {
        EXPECT_EQ(first[i].values, second[i].values);
    }
}

// Five values: they are all tried, and then it ends.
TEST(DmlKeyTuner, EndsWhenAllHasBeenTried)
{
    uint32_t calls = 0;
    const auto trials = TuneKeys(
        ReadKeyRanges("a=1..5"),
        1000,
        [&calls](const std::vector<std::string>& values) -> std::optional<double> {
            ++calls;
            return values[0] == "4" ? 1 : 0;
        },
        [](const KeyTrial&) {});
    EXPECT_LE(calls, 5U);
    EXPECT_EQ(FindBest(trials)->values[0], "4");
}

TEST(DmlKeyTuner, GoesRoundWhatIsRefused)
{
    const auto trials = TuneKeys(
        ReadKeyRanges("a=0..1000"),
        40,
        [](const std::vector<std::string>& values) -> std::optional<double> {
            const double a = std::atof(values[0].c_str());
            return a > 600 ? std::nullopt : std::optional<double>(a);
        },
        [](const KeyTrial&) {});
    EXPECT_GT(*FindBest(trials)->score, 500);
    EXPECT_FALSE(FindBest({}));
}

TEST(DmlKeyTuner, LetsErrorsThrough)
{
    const auto fail = [] {
        TuneKeys(
            ReadKeyRanges("a=0..1000"),
            40,
            [](const std::vector<std::string>&) -> std::optional<double> {
                throw InputError("no disk");
            },
            [](const KeyTrial&) {});
    };
    EXPECT_EQ(ErrorOf(fail), "no disk");
}
