/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// TIC and TAC against a plain reading of Algorithm 1, which looks at all groups of ops after every
// pull: the same orders and properties, to the last bit, for less work.

#include "dml-profile-builder.h"

#include "ns3/dml-instant.h"
#include "ns3/dml-transfer-properties.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Properties M, P and M+, found anew after each pull.
class PlainProperties
{
  public:
    PlainProperties(const TransferDependencies& dependencies, std::vector<uint64_t> costs)
        : m_dependencies(dependencies),
          m_costs(std::move(costs)),
          loads(m_costs.size(), 0),
          m_outstanding(m_costs.size())
    {
        m_outstanding.set();
        for (const auto& group : dependencies.GetGroups())
        {
            m_blocked.push_back({group.pulls, group.seconds});
        }
        Update();
    }

    bool IsReady(uint32_t pull) const
    {
        return m_outstanding.test(pull) &&
               !m_dependencies.GetPredecessors(pull).intersects(m_outstanding);
    }

    void Complete(uint32_t pull)
    {
        m_outstanding.reset(pull);
        for (auto& blocked : m_blocked)
        {
            blocked.pulls.reset(pull);
        }
        Update();
    }

  private:
    struct Blocked
    {
        PullSet pulls;
        double seconds;
    };

    uint64_t CostOf(const PullSet& pulls) const
    {
        uint64_t cost = 0;
        for (auto i = pulls.find_first(); i != PullSet::npos; i = pulls.find_next(i))
        {
            cost += m_costs[i];
        }
        return cost;
    }

    void Update()
    {
        const auto single =
            std::stable_partition(m_blocked.begin(), m_blocked.end(), [](const auto& blocked) {
                return blocked.pulls.count() > 1;
            });
        for (auto blocked = single; blocked != m_blocked.end(); ++blocked)
        {
            loads[blocked->pulls.find_first()] += blocked->seconds;
        }
        m_blocked.erase(single, m_blocked.end());
        std::stable_sort(m_blocked.begin(), m_blocked.end(), [this](const auto& a, const auto& b) {
            return CostOf(a.pulls) < CostOf(b.pulls);
        });
        impending.assign(m_costs.size(), TransferProperties::INFINITE_COST);
        for (const auto& blocked : m_blocked)
        {
            for (uint32_t i = 0; i < m_costs.size(); ++i)
            {
                impending[i] = blocked.pulls.test(i) ? std::min(impending[i], CostOf(blocked.pulls))
                                                     : impending[i];
            }
        }
    }

    const TransferDependencies& m_dependencies;
    std::vector<uint64_t> m_costs;

  public:
    std::vector<double> loads;       //!< P
    std::vector<uint64_t> impending; //!< M+

  private:
    PullSet m_outstanding;
    std::vector<Blocked> m_blocked;
};

/// A step of pulls, some of which wait for others, and of compute, pushes and updates.
Profile
DrawProfile(uint32_t seed)
{
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    ProfileBuilder builder({{"cpu", 1}, {"gpu", 2}});
    std::vector<std::string> names;
    const auto deps = [&](uint32_t most) {
        std::vector<std::string> some;
        for (uint32_t k = names.empty() ? 0 : draw(most + 1); k > 0; --k)
        {
            some.push_back(names[draw(names.size())]);
        }
        return some;
    };
    const bool chained = draw(2) == 0;
    for (uint32_t i = 2 + draw(40); i > 0; --i)
    {
        const std::string tensor = "t" + std::to_string(i);
        builder.Pull(tensor, 4 * draw(20), deps(chained ? 1 : 0));
        names.push_back("pull/" + tensor);
        for (uint32_t k = draw(3); k > 0; --k)
        {
            const std::string op = "op" + tensor + "-" + std::to_string(k);
            builder.Compute(op, {0.01 * draw(20), 0.01 * draw(20)}, deps(3), draw(2));
            names.push_back(op);
        }
        if (draw(3) == 0)
        {
            builder.Push(tensor, 0, deps(2)).Update(tensor, 0.1);
            names.push_back("update/" + tensor);
        }
    }
    return builder.Build();
}

std::vector<uint64_t>
BytesOf(const Profile& profile, const TransferDependencies& dependencies)
{
    std::vector<uint64_t> bytes;
    for (const OpIndex op : dependencies.GetPulls())
    {
        bytes.push_back(profile.tensors[profile.graph.Get(op).tensor].bytes);
    }
    return bytes;
}

} // namespace

TEST(TransferOrderReference, TacIsTheSameToTheLastBit)
{
    constexpr double RATE = 300;
    for (uint32_t seed = 1; seed <= 300; ++seed)
    {
        const Profile profile = DrawProfile(seed);
        const TransferDependencies dependencies(profile);
        const auto bytes = BytesOf(profile, dependencies);
        PlainProperties plain(dependencies, bytes);
        for (const RankedPull& found : MakeTacOrder(profile, dependencies, RATE))
        {
            uint32_t best = NO_INDEX;
            for (uint32_t pull = 0; pull < bytes.size(); ++pull)
            {
                if (!plain.IsReady(pull))
                {
                    continue;
                }
                const auto overlap = [&](uint32_t first, uint32_t second) {
                    return InstantOf(std::min(plain.loads[first], bytes[second] / RATE));
                };
                const bool before = best == NO_INDEX || overlap(best, pull) < overlap(pull, best) ||
                                    (overlap(best, pull) == overlap(pull, best) &&
                                     plain.impending[pull] < plain.impending[best]);
                best = before ? pull : best;
            }
            ASSERT_EQ(found.pull, best) << "seed " << seed;
            EXPECT_EQ(found.load, plain.loads[best]) << "seed " << seed;
            EXPECT_EQ(found.impending, plain.impending[best]) << "seed " << seed;
            plain.Complete(best);
        }
    }
}

TEST(TransferOrderReference, TicIsTheSame)
{
    for (uint32_t seed = 1; seed <= 300; ++seed)
    {
        const Profile profile = DrawProfile(seed);
        const TransferDependencies dependencies(profile);
        const std::size_t size = dependencies.GetPulls().size();
        const PlainProperties plain(dependencies, std::vector<uint64_t>(size, 1));
        std::vector<uint32_t> wanted(size);
        std::iota(wanted.begin(), wanted.end(), 0);
        std::stable_sort(wanted.begin(), wanted.end(), [&](uint32_t a, uint32_t b) {
            return plain.impending[a] < plain.impending[b];
        });
        PullSet waiting(size);
        waiting.set();
        for (const RankedPull& found : MakeTicOrder(dependencies))
        {
            const auto first = std::find_if(wanted.begin(), wanted.end(), [&](uint32_t pull) {
                return !dependencies.GetPredecessors(pull).intersects(waiting);
            });
            ASSERT_EQ(found.pull, *first) << "seed " << seed;
            EXPECT_EQ(found.impending, plain.impending[*first]) << "seed " << seed;
            waiting.reset(*first);
            wanted.erase(first);
        }
        EXPECT_TRUE(wanted.empty()) << "seed " << seed;
    }
}

// A chain of n layers has n groups, of which those behind a pull wait for it: n (n + 1) / 2 in all,
// each looked at once, and each pull's first group once more. All groups after each pull would be
// n^2, and with the pulls in each group n^3.
TEST(TransferOrderReference, LooksAtEachGroupOnceForEachPull)
{
    constexpr uint32_t LAYERS = 400;
    ProfileBuilder builder({{"cpu", 1}});
    for (uint32_t i = 0; i < LAYERS; ++i)
    {
        const std::string name = std::to_string(i);
        builder.Pull(name, 4);
        std::vector<std::string> deps{"pull/" + name};
        if (i > 0)
        {
            deps.push_back("layer" + std::to_string(i - 1));
        }
        builder.Compute("layer" + name, {0.1}, deps, 0);
    }
    const Profile profile = builder.Build();
    const TransferDependencies dependencies(profile);
    TransferProperties properties(dependencies, BytesOf(profile, dependencies));
    for (uint32_t pull = 0; pull < LAYERS; ++pull)
    {
        properties.Complete(pull);
    }
    EXPECT_LE(properties.GetSteps(), uint64_t{LAYERS} * (LAYERS + 1) / 2 + 2 * LAYERS);
}
