/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What must hold for the order of any step, and how good TIC and TAC are where all orders can be
// tried.

#include "dml-fair-share-fixture.h"
#include "dml-order-rule.h"
#include "dml-random-step.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-transfer-order.h"
#include "ns3/dml-transfer-properties.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <map>
#include <set>

using namespace ns3;
using namespace ns3::dml;

namespace
{

using Shape = RandomStep::Shape;

const std::vector<std::string> RULES{"forward", "tic", "tac", "reverse", "random"};

/// Run a step with its pulls in an order, enforced at the sender.
FairShareCase
RunInOrder(const ProfileBuilder& builder, const std::vector<OpIndex>& order)
{
    FairShareCase test(builder);
    test.run.policy.SetTypeId("ns3::dml::OrderedPolicy");
    const Profile profile = builder.Build();
    for (const OpIndex op : order)
    {
        test.facts.ranks.emplace(profile.graph.Get(op).name, test.facts.ranks.size());
    }
    test.Run();
    return test;
}

/// Makespan of a step whose pulls are served as they are listed: no order, no ranks.
double
RunAsListed(const ProfileBuilder& builder)
{
    FairShareCase test(builder);
    test.run.policy.SetTypeId("ns3::dml::FifoPolicy");
    test.Run();
    return test.recorder.steps.at(0).end;
}

/// A step of 2 to 30 pulls, many of which wait for compute ops and so for other pulls.
ProfileBuilder
StepWithChainedPulls(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    ProfileBuilder builder({{"cpu", 1}, {"gpu", 2}});
    std::vector<std::string> names;
    for (uint32_t i = 2 + draw(29); i > 0; --i)
    {
        const auto deps = [&]() {
            std::vector<std::string> some;
            for (uint32_t k = names.empty() ? 0 : draw(3); k > 0; --k)
            {
                some.push_back(names[draw(names.size())]);
            }
            return some;
        };
        const std::string tensor = "t" + std::to_string(i);
        builder.Pull(tensor, draw(300), deps());
        names.push_back("pull/" + tensor);
        builder.Compute("op" + tensor, {0.1 * draw(20), 0.1 * draw(20)}, deps(), draw(2));
        names.push_back("op" + tensor);
        if (draw(3) == 0)
        {
            builder.Push(tensor, 0, deps()).Update(tensor, 0.1 * draw(5));
            names.push_back("update/" + tensor);
        }
    }
    return builder;
}

/// Pulls that an op waits for, by walking back from it.
std::set<OpIndex>
FindPulls(const Profile& profile, OpIndex op)
{
    std::set<OpIndex> pulls;
    for (const OpIndex before : profile.graph.GetDependencies(op))
    {
        if (profile.graph.Get(before).kind == OpKind::PULL)
        {
            pulls.insert(before);
        }
        pulls.merge(FindPulls(profile, before));
    }
    return pulls;
}

class TransferOrderProperty : public testing::TestWithParam<uint32_t>
{
};

} // namespace

TEST_P(TransferOrderProperty, EveryPullOnceAndWhenItCanStart)
{
    const auto builder = StepWithChainedPulls(GetParam());
    const Profile profile = builder.Build();
    for (const auto& rule : RULES)
    {
        SCOPED_TRACE(rule);
        const auto order = MakeTransferOrder(profile, Rule(rule, GetParam()));
        std::set<OpIndex> done;
        for (const OpIndex op : order)
        {
            EXPECT_EQ(profile.graph.Get(op).kind, OpKind::PULL);
            for (const OpIndex awaited : FindPulls(profile, op))
            {
                EXPECT_EQ(done.count(awaited), 1u) << "op " << op << " before op " << awaited;
            }
            EXPECT_TRUE(done.insert(op).second) << "op " << op << " twice";
        }
        EXPECT_EQ(done.size(), TransferDependencies(profile).GetPulls().size());

        // the engine serves them in this order, to the end
        const auto test = RunInOrder(builder, order);
        std::vector<OpIndex> served;
        for (const auto& record : test.recorder.transfers)
        {
            if (GetDirection(record.channel) == Direction::DOWNLINK)
            {
                served.push_back(record.op);
            }
        }
        EXPECT_EQ(served, order);
    }
}

// Algorithm 1 word by word, for every outstanding set on the way, against the incremental one.
TEST_P(TransferOrderProperty, PropertiesAreThoseOfAlgorithm1)
{
    const Profile profile = StepWithChainedPulls(GetParam()).Build();
    const TransferDependencies dependencies(profile);
    const auto& pulls = dependencies.GetPulls();
    std::vector<uint64_t> costs;
    std::map<OpIndex, uint32_t> numbers;
    for (const OpIndex op : pulls)
    {
        numbers[op] = costs.size();
        costs.push_back(profile.tensors[profile.graph.Get(op).tensor].bytes);
    }
    TransferProperties properties(dependencies, costs);
    std::set<OpIndex> outstanding(pulls.begin(), pulls.end());
    for (const OpIndex next : MakeTransferOrder(profile, Rule("random", GetParam())))
    {
        std::map<OpIndex, double> loads;
        std::map<OpIndex, uint64_t> impending;
        for (OpIndex op = 0; op < profile.graph.GetSize(); ++op)
        {
            if (!RunsOnDevice(profile.graph.Get(op).kind))
            {
                continue;
            }
            std::set<OpIndex> awaited;
            uint64_t cost = 0;
            for (const OpIndex pull : FindPulls(profile, op))
            {
                if (outstanding.count(pull) == 1)
                {
                    awaited.insert(pull);
                    cost += costs[numbers[pull]];
                }
            }
            if (awaited.size() == 1)
            {
                loads[*awaited.begin()] += std::min(profile.samples[op][0], profile.samples[op][1]);
            }
            for (const OpIndex pull : awaited)
            {
                if (awaited.size() > 1)
                {
                    const auto known = impending.emplace(pull, cost).first;
                    known->second = std::min(known->second, cost);
                }
            }
        }
        for (const OpIndex pull : outstanding)
        {
            EXPECT_NEAR(properties.GetLoad(numbers[pull]), loads[pull], 1e-12);
            EXPECT_EQ(properties.GetImpendingCost(numbers[pull]),
                      impending.emplace(pull, TransferProperties::INFINITE_COST).first->second);
        }
        ASSERT_TRUE(properties.IsReady(numbers[next]));
        properties.Complete(numbers[next]);
        outstanding.erase(next);
        EXPECT_FALSE(properties.IsReady(numbers[next]));
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, TransferOrderProperty, testing::Range(1u, 41u));

namespace
{

/// How good an order was over many steps.
struct Score
{
    uint32_t optimal{0}; //!< times that no order was better
    double meanGap{0};   //!< mean of makespan / best - 1
    double worstGap{0};  //!< largest of these
};

/// All orders of many small steps of one shape, against TIC, TAC and the listing.
class AllOrders
{
  public:
    static constexpr uint32_t STEPS = 60;

    explicit AllOrders(Shape shape)
    {
        for (uint32_t seed = 1; seed <= STEPS; ++seed)
        {
            Try(seed, shape);
        }
    }

    /// Print and record how good a rule was.
    Score Report(const std::string& rule)
    {
        const Score& score = m_scores[rule];
        std::cout << "           " << rule << ": optimal in " << score.optimal << " of " << STEPS
                  << " steps, above the best by " << 100 * score.meanGap << " % on average, "
                  << 100 * score.worstGap << " % at most\n";
        testing::Test::RecordProperty(rule + "_optimal", static_cast<int>(score.optimal));
        testing::Test::RecordProperty(rule + "_mean_gap", std::to_string(score.meanGap));
        testing::Test::RecordProperty(rule + "_worst_gap", std::to_string(score.worstGap));
        return score;
    }

  private:
    void Try(uint32_t seed, Shape shape)
    {
        SCOPED_TRACE("seed " + std::to_string(seed));
        RandomStep step(seed, shape, 2 + seed % 6);
        const auto listing = step.DrawListing();
        std::vector<uint32_t> order = listing;
        std::sort(order.begin(), order.end());
        double best = std::numeric_limits<double>::infinity();
        double worst = 0;
        do
        {
            const double makespan = RunAsListed(step.Build(order));
            best = std::min(best, makespan);
            worst = std::max(worst, makespan);
        } while (std::next_permutation(order.begin(), order.end()));

        const auto builder = step.Build(listing);
        for (const std::string rule : {"listing", "tic", "tac"})
        {
            const double makespan =
                rule == "listing"
                    ? RunAsListed(builder)
                    : RunInOrder(builder, MakeTransferOrder(builder.Build(), Rule(rule)))
                          .recorder.steps.at(0)
                          .end;
            EXPECT_GE(makespan, best * (1 - 1e-9)) << rule;
            EXPECT_LE(makespan, worst * (1 + 1e-9)) << rule;
            Score& score = m_scores[rule];
            const double gap = makespan <= best * (1 + 1e-9) ? 0 : makespan / best - 1;
            score.optimal += gap == 0 ? 1 : 0;
            score.meanGap += gap / STEPS;
            score.worstGap = std::max(score.worstGap, gap);
        }
    }

    std::map<std::string, Score> m_scores; //!< by rule
};

/// A shape, and in how many of AllOrders::STEPS steps TAC must be optimal.
struct Expectation
{
    const char* name;
    Shape shape;
    uint32_t tacOptimal;

    friend void PrintTo(const Expectation& expectation, std::ostream* out)
    {
        *out << expectation.tacOptimal << " of 60";
    }
};

class TransferOrderOptimality : public testing::TestWithParam<Expectation>
{
};

} // namespace

// Steps of 2 to 7 pulls, so at most 5040 orders each, run as FIFO without any order. The bounds lie
// below what was found (60, 33, 54) and far above what the comparison as printed in Algorithm 3
// reaches (3, 1, 6).
TEST_P(TransferOrderOptimality, AgainstAllOrders)
{
    AllOrders all(GetParam().shape);
    const Score listing = all.Report("listing");
    const Score tic = all.Report("tic");
    const Score tac = all.Report("tac");
    EXPECT_GE(tac.optimal, GetParam().tacOptimal);
    EXPECT_LT(tac.meanGap, tic.meanGap);
    EXPECT_LT(tic.meanGap, listing.meanGap);
    EXPECT_GT(tic.optimal, listing.optimal);
}

INSTANTIATE_TEST_SUITE_P(Shapes,
                         TransferOrderOptimality,
                         testing::Values(Expectation{"Chain", Shape::CHAIN, 57},
                                         Expectation{"Branches", Shape::BRANCHES, 27},
                                         Expectation{"Any", Shape::ANY, 48}),
                         [](const auto& info) { return std::string(info.param.name); });
