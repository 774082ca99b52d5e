/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Intervals of a difference of biases that is 0: how many of them have 0 in them.

#include "dml-matched-study.h"

#include "ns3/dml-ratio-interval.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <utility>
#include <vector>

using namespace ns3::dml;
using namespace ns3::dml::matched;

namespace
{

/// Replications of two runs without a difference.
struct PairStudy
{
    uint32_t pairs{1};     //!< replications
    double correlation{0}; //!< of the residuals of blocks of both runs in the same place
    double ofRuns{0};      //!< standard deviation of a residual that all blocks of a run have
};

/// @return of how many of 2000 such studies the interval has 0 in it
double
MeasureCoverage(const PairStudy& study)
{
    constexpr uint32_t STUDIES = 2000;
    constexpr uint32_t BLOCKS = 8;
    std::mt19937_64 bits(1);
    std::normal_distribution<double> normal;
    const double own = std::sqrt(1 - study.correlation * study.correlation);
    uint32_t covered = 0;
    for (uint32_t i = 0; i < STUDIES; ++i)
    {
        std::vector<std::pair<double, std::optional<double>>> changes;
        for (uint32_t pair = 0; pair < study.pairs; ++pair)
        {
            const double shifts[]{study.ofRuns * normal(bits), study.ofRuns * normal(bits)};
            RatioBlocks blocks[2];
            double sums[]{0, 0};
            for (uint32_t block = 0; block < BLOCKS; ++block)
            {
                const double one = normal(bits);
                const double residuals[]{one, study.correlation * one + own * normal(bits)};
                for (const int run : {0, 1})
                {
                    blocks[run].emplace_back(residuals[run] + shifts[run], 1);
                    sums[run] += blocks[run].back().first;
                }
            }
            changes.emplace_back((sums[0] - sums[1]) / BLOCKS,
                                 EstimateDifferenceInterval(blocks[0], blocks[1]));
        }
        const Confidence change = CombinePairs(changes);
        covered += std::fabs(*change.mean) <= change.halfWidth.value() ? 1 : 0;
    }
    return static_cast<double>(covered) / STUDIES;
}

// 95 % of the intervals have 0 in them, whether blocks of both runs go together or not. (Taken for
// independent, blocks with a correlation of 0.9 have 0 in all intervals, those of -0.9 in 87 %.)
// Three standard errors of 2000 studies are 1.5 %; the mean of three intervals of seven degrees of
// freedom each is a little too wide: 97 %.
TEST(RatioInterval, CoversNoDifference)
{
    for (const double correlation : {0.0, 0.9, -0.9})
    {
        SCOPED_TRACE(correlation);
        EXPECT_NEAR(MeasureCoverage({1, correlation, 0}), 0.95, 0.015);
        EXPECT_NEAR(MeasureCoverage({3, correlation, 0}), 0.965, 0.02);
        EXPECT_NEAR(MeasureCoverage({4, correlation, 0}), 0.95, 0.015);
        // runs that differ by more than their blocks tell
        EXPECT_NEAR(MeasureCoverage({5, correlation, 1}), 0.95, 0.015);
    }
}

// The same run twice has no difference at all, however much its blocks vary.
TEST(RatioInterval, KnowsTheSameRun)
{
    const RatioBlocks blocks{{1, 1}, {-3, 2}, {2, 1}, {5, 3}, {0, 1}};
    ASSERT_GT(EstimateRatioInterval(blocks).value(), 1);
    EXPECT_EQ(EstimateDifferenceInterval(blocks, blocks), 0);
}

// A run without variation adds nothing, also where it has fewer blocks, or more.
TEST(RatioInterval, LeavesOutWhatOneRunHasNot)
{
    const RatioBlocks varied{{1, 1}, {-3, 1}, {2, 1}, {5, 1}, {0, 1}};
    const double half = EstimateRatioInterval(varied).value();
    EXPECT_NEAR(EstimateDifferenceInterval(varied, RatioBlocks(4, {2, 1})).value(), half, 1e-12);
    EXPECT_NEAR(EstimateDifferenceInterval(varied, RatioBlocks(5, {2, 1})).value(), half, 1e-12);
    EXPECT_FALSE(EstimateDifferenceInterval(varied, RatioBlocks(3, {2, 1})));
}

// From four pairs on what is between them counts, even where blocks tell more, or less.
TEST(RatioInterval, TakesPairsForClusters)
{
    const std::vector<std::pair<double, std::optional<double>>> three{{1, 3}, {2, 3}, {3, 3}};
    EXPECT_NEAR(CombinePairs(three).halfWidth.value(), std::sqrt(3), 1e-12);
    auto four = three;
    four.emplace_back(2, 3);
    // a standard deviation of 0.8165, and Student's 3.182 for three degrees of freedom
    EXPECT_NEAR(CombinePairs(four).halfWidth.value(), 3.182 * 0.8165 / 2, 1e-3);
    EXPECT_NEAR(CombineRuns(four).halfWidth.value(), 1.5, 1e-12);
}

// Runs of the fair-share engine whose shares are drawn anew: no effect, but for luck.
TEST(RatioInterval, FindsNoEffectWhereThereIsNone)
{
    constexpr uint32_t RUNS = 100;
    const Question question{"", "network: {queue: 300KB}", 4};
    const PreparedScenario prepared = Prepare(question);
    std::vector<std::pair<double, std::optional<double>>> changes;
    uint32_t singles = 0;
    for (uint32_t run = 0; run < RUNS; ++run)
    {
        LinkBias biases[2];
        std::vector<BiasBlock> blocks[2];
        for (const uint32_t which : {0U, 1U})
        {
            const uint32_t replication = 2 * run + which;
            biases[which] =
                Record(prepared, question.workers, replication)
                    .Match(prepared, question.workers, replication, std::nullopt, &blocks[which]);
        }
        changes.emplace_back(
            *biases[0].slower - *biases[1].slower,
            EstimateDifferenceInterval(ListRatios(blocks[0]), ListRatios(blocks[1])));
        singles += std::fabs(changes.back().first) <= changes.back().second.value() ? 1 : 0;
    }
    uint32_t groups = 0;
    for (uint32_t group = 0; group < RUNS / 5; ++group)
    {
        const auto first = changes.begin() + 5 * group;
        const Confidence change = CombinePairs({first, first + 5});
        groups += std::fabs(*change.mean) <= *change.halfWidth ? 1 : 0;
    }
    EXPECT_GE(singles, 88U);
    EXPECT_GE(groups, 17U);
}

} // namespace
