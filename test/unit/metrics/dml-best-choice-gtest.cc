/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dml-best-choice.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ns3::dml;

namespace
{

using Table = std::vector<std::vector<std::optional<double>>>;

/// How often a statement was made about alternatives that are equal.
struct FalseAlarms
{
    double certain{0};  //!< share of the studies whose best one was called certainly better
    double excluded{0}; //!< share in which a fixed alternative, as good as any, may not be the best
};

/// Equal alternatives whose values differ by chance and by what their replications have in common.
FalseAlarms
SimulateEqual(std::size_t alternatives, std::size_t replications)
{
    constexpr std::size_t STUDIES = 2000;
    std::mt19937_64 random(7 + 1000 * alternatives + replications);
    std::normal_distribution<double> normal;
    FalseAlarms alarms;
    for (std::size_t study = 0; study < STUDIES; ++study)
    {
        Table values(alternatives);
        for (std::size_t i = 0; i < replications; ++i)
        {
            const double shared = 0.3 * normal(random);
            for (auto& row : values)
            {
                row.emplace_back(50 * std::exp(shared + 0.1 * normal(random)));
            }
        }
        const BestChoice choice = ChooseBest(values);
        alarms.certain +=
            choice.IsCertain() || choice.lead[*choice.next].IsSignificant() ? 1.0 / STUDIES : 0;
        alarms.excluded += choice.mayBeBest.front() ? 0 : 1.0 / STUDIES;
    }
    return alarms;
}

} // namespace

// The standard error of a share of 0.05 in 2000 studies is 0.0049: 0.065 is three of them above.
TEST(DmlBestChoice, EqualAlternativesAreSeldomCertain)
{
    for (const std::size_t alternatives : {2, 3, 4, 10})
    {
        for (const std::size_t replications : {2, 3, 4, 5, 10})
        {
            const FalseAlarms alarms = SimulateEqual(alternatives, replications);
            SCOPED_TRACE(std::to_string(alternatives) + " alternatives, " +
                         std::to_string(replications) + " replications: certain " +
                         std::to_string(alarms.certain) + ", excluded " +
                         std::to_string(alarms.excluded));
            EXPECT_LE(alarms.certain, replications < 4 ? 0 : 0.065);
            EXPECT_LE(alarms.excluded, replications < 4 ? 0 : 0.065);
        }
    }
    // Two alternatives are one comparison at the level itself: neither too bold nor too timid.
    EXPECT_GT(SimulateEqual(2, 5).certain, 0.035);
}

TEST(DmlBestChoice, CertainIfItLeadsInAllReplications)
{
    const BestChoice choice =
        ChooseBest({{20, 21, 19, 20, 22}, {10, 10.4, 9.6, 10, 11}, {5, 5, 5, 5, 5}});
    EXPECT_EQ(choice.best, 0U);
    EXPECT_EQ(choice.next, 1U);
    EXPECT_TRUE(choice.IsCertain());
    // 20 / 10, 21 / 10.4, 19 / 9.6, 20 / 10, 22 / 11: mean of the logarithms is that of 2 (0.9992)
    EXPECT_NEAR(*choice.lead[1].value, std::pow(21 / 10.4 * 19 / 9.6 * 8, 0.2) - 1, 1e-12);
    EXPECT_FALSE(choice.lead[0].value);
}

// The arithmetic mean of the first is greater (15.5 and 15), its geometric one less (12.2 and 15):
// a lead that is negative could not be explained.
TEST(DmlBestChoice, ChoosesByTheMeasureThatItCompares)
{
    const BestChoice choice = ChooseBest({{6, 25, 6, 25}, {15, 15, 15, 15}});
    EXPECT_EQ(choice.best, 1U);
    EXPECT_NEAR(*choice.lead[0].value, 15 / std::sqrt(150.0) - 1, 1e-12);
    EXPECT_EQ(choice.mayBeBest, (std::vector<bool>{true, true}));
}

// The first one is better in the replication that both have, though its mean over all is less.
TEST(DmlBestChoice, ComparesTheReplicationsThatAllHave)
{
    const BestChoice choice = ChooseBest(
        {{11, 1, 1, 1}, {10, std::nullopt, 0, std::nullopt}, {std::nullopt, {}, {}, {}}});
    EXPECT_EQ(choice.best, 0U);
    EXPECT_NEAR(*choice.lead[1].value, 0.1, 1e-12);
    EXPECT_FALSE(choice.IsCertain());
    EXPECT_FALSE(choice.mayBeBest[2]);
}

// Without a common replication each stands for itself, and nothing is certain.
TEST(DmlBestChoice, NothingIsCertainWithoutCommonReplications)
{
    const BestChoice choice = ChooseBest({{10, {}, 10, {}}, {{}, 20, {}, 20}});
    EXPECT_EQ(choice.best, 1U);
    EXPECT_FALSE(choice.IsCertain());
    EXPECT_FALSE(choice.lead[0].value);
}

// The more comparisons, the wider their intervals; their number counts those made elsewhere.
TEST(DmlBestChoice, MoreComparisonsNeedMore)
{
    const Table values{{11, 12, 11.4, 12.2, 11.1}, {10, 10.3, 10.1, 10.6, 10.2}};
    EXPECT_TRUE(ChooseBest(values).IsCertain());
    const BestChoice many = ChooseBest(values, 200);
    EXPECT_FALSE(many.IsCertain());
    EXPECT_LT(*many.lead[1].low, *ChooseBest(values).lead[1].low);
}

TEST(DmlBestChoice, NoValues)
{
    EXPECT_FALSE(ChooseBest({}).best);
    EXPECT_FALSE(ChooseBest({{std::nullopt, 0}, {}}).best);
    const BestChoice one = ChooseBest({{1, 2}});
    EXPECT_EQ(one.best, 0U);
    EXPECT_FALSE(one.IsCertain());
}
