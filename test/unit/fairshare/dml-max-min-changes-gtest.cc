/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Max-min fair rates after some flows have started or ended: to the last bit those of a solver that
// knows nothing of the time before.

#include "dml-random-network.h"

#include "ns3/dml-channel-label.h"
#include "ns3/dml-max-min-solver.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Progressive filling, written down plainly: all links at each level. @return rates by flow
std::vector<double>
FillPlainly(const FlowNetwork& network, const std::vector<FlowId>& active)
{
    std::vector<double> left = network.capacities;
    std::vector<uint32_t> open(left.size(), 0);
    std::vector<std::vector<LinkId>> routes(network.flows.size());
    for (const FlowId flow : active)
    {
        routes[flow] = network.flows[flow].forward;
        if (network.flows[flow].cap > 0)
        {
            routes[flow].push_back(left.size());
            left.push_back(network.flows[flow].cap);
            open.push_back(0);
        }
        for (const LinkId link : routes[flow])
        {
            ++open[link];
        }
    }
    const auto capacity = left;
    std::vector<double> rates(network.flows.size(), 0);
    for (std::vector<FlowId> rest = active; !rest.empty();)
    {
        std::vector<double> shares(left.size(), INFINITY);
        for (LinkId link = 0; link < left.size(); ++link)
        {
            if (open[link] > 0)
            {
                shares[link] = std::max(left[link] / open[link], 1e-12 * capacity[link]);
            }
        }
        const double level = *std::min_element(shares.begin(), shares.end());
        std::vector<FlowId> later;
        for (const FlowId flow : rest)
        {
            const bool full = std::any_of(routes[flow].begin(),
                                          routes[flow].end(),
                                          [&](LinkId link) { return shares[link] <= level; });
            if (!full)
            {
                later.push_back(flow);
                continue;
            }
            rates[flow] = level;
            for (const LinkId link : routes[flow])
            {
                left[link] -= level;
                --open[link];
            }
        }
        rest = later;
    }
    return rates;
}

/// Flows that come and go, as RateSharing would tell of them.
class ComingAndGoing
{
  public:
    ComingAndGoing(const FlowNetwork& network, uint32_t seed)
        : ComingAndGoing(network,
                         seed,
                         std::make_shared<MaxMinSolver>(network),
                         0,
                         network.flows.size())
    {
    }

    /// Of the flows from @p first before @p end, with a solver that is also told of others.
    ComingAndGoing(const FlowNetwork& network,
                   uint32_t seed,
                   std::shared_ptr<MaxMinSolver> solver,
                   FlowId first,
                   FlowId end)
        : m_network(network),
          m_solver(std::move(solver)),
          m_random(seed),
          m_first(first),
          m_count(end - first),
          m_rates(network.flows.size(), 0)
    {
    }

    /// Some flows start or end; expects the rates of a new solver.
    void Change(uint32_t flips)
    {
        FlowChanges changes;
        for (uint32_t i = 0; i < flips; ++i)
        {
            const FlowId flow = m_first + m_random() % m_count;
            const auto place = std::find(m_active.begin(), m_active.end(), flow);
            auto& list = place == m_active.end() ? changes.started : changes.ended;
            const auto& other = place == m_active.end() ? changes.ended : changes.started;
            if (std::count(list.begin(), list.end(), flow) +
                    std::count(other.begin(), other.end(), flow) >
                0)
            {
                continue;
            }
            list.push_back(flow);
            if (place == m_active.end())
            {
                m_active.push_back(flow);
            }
            else
            {
                *place = m_active.back();
                m_active.pop_back();
            }
        }
        const std::vector<FlowId> solved = m_solver->SolveChanges(changes, m_active, m_rates);
        std::vector<double> expected(m_rates.size(), 0);
        MaxMinSolver(m_network).Solve(m_active, expected);
        const auto plain = FillPlainly(m_network, m_active);
        for (const FlowId flow : m_active)
        {
            EXPECT_EQ(m_rates[flow], plain[flow]) << "flow " << flow;
            EXPECT_EQ(m_rates[flow], expected[flow]) << "flow " << flow;
        }
        m_partly += solved.size() < m_active.size() ? 1 : 0;
    }

    /// All flows end.
    void EndAll()
    {
        const FlowChanges changes{{}, m_active, false};
        m_active.clear();
        m_solver->SolveChanges(changes, m_active, m_rates);
    }

    /// How often not all flows were solved.
    uint32_t GetPartly() const
    {
        return m_partly;
    }

  private:
    FlowNetwork m_network;
    std::shared_ptr<MaxMinSolver> m_solver;
    std::mt19937 m_random;
    FlowId m_first;
    uint32_t m_count;
    std::vector<FlowId> m_active;
    std::vector<double> m_rates;
    uint32_t m_partly{0};
};

} // namespace

TEST(MaxMinChanges, AreThoseOfANewSolverOnAStar)
{
    // With few workers their own links are full now and then, with many they never are.
    for (const uint32_t workers : {2, 5, 12, 40})
    {
        for (const double workerRate : {1.0, 1.0 / 3, 7.0})
        {
            ComingAndGoing flows(MakeStarFlowNetwork({workers, 4}, workerRate, 1), workers);
            for (uint32_t i = 0; i < 1000; ++i)
            {
                flows.Change(1 + i % 3);
            }
            if (workers == 40)
            {
                EXPECT_GT(flows.GetPartly(), 500) << workerRate;
            }
        }
    }
}

TEST(MaxMinChanges, AreThoseOfANewSolverThroughOneLink)
{
    // Of 40 workers that pull from one server, one has a link of a tenth of the server's: with more
    // than ten active workers the server's link alone limits all of them, with fewer perhaps not.
    FlowNetwork network = MakeStarFlowNetwork({40, 1}, 1, 1);
    for (std::size_t flow = network.flows.size(); flow-- > 0;)
    {
        if (GetDirection(network.training[flow]) == Direction::UPLINK)
        {
            network.flows.erase(network.flows.begin() + flow);
        }
    }
    network.capacities[network.flows[7].forward.back()] = 0.1;
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        ComingAndGoing flows(network, seed);
        for (uint32_t i = 0; i < 200; ++i)
        {
            flows.Change(1 + i / 50);
        }
    }
}

// Down- and uplinks are solved in turns, though they share no link: what is known of the ones is
// not known of the others.
TEST(MaxMinChanges, KeepDomainsApart)
{
    for (const uint32_t workers : {2, 4, 6})
    {
        FlowNetwork network = MakeStarFlowNetwork({workers, 2}, 1, 1);
        std::stable_partition(network.flows.begin(), network.flows.end(), [](const auto& flow) {
            return flow.forward.front() < 4; // sent by one of the two servers
        });
        const auto solver = std::make_shared<MaxMinSolver>(network);
        const uint32_t half = network.flows.size() / 2;
        for (uint32_t seed = 0; seed < 5; ++seed)
        {
            ComingAndGoing down(network, seed, solver, 0, half);
            ComingAndGoing up(network, seed + 100, solver, half, 2 * half);
            for (uint32_t i = 0; i < 500; ++i)
            {
                (i % 3 == 0 ? down : up).Change(1);
            }
            down.EndAll();
            up.EndAll();
        }
    }
}

TEST(MaxMinChanges, AreThoseOfANewSolverOnRandomNetworks)
{
    std::mt19937 random(11);
    uint32_t partly = 0;
    for (uint32_t round = 0; round < 200; ++round)
    {
        ComingAndGoing flows(RandomNetwork(random, true), round);
        for (uint32_t i = 0; i < 100; ++i)
        {
            flows.Change(1);
        }
        partly += flows.GetPartly();
    }
    EXPECT_GT(partly, 1000);
}

TEST(MaxMinChanges, KnowOfLinksThatGoDown)
{
    // Two workers and one server of rate 1: 1/2 each. Without the first worker's link the other has
    // all, and 1/2 again when it is back.
    const FlowNetwork network = MakeStarFlowNetwork({2, 1}, 1, 1);
    MaxMinSolver solver(network);
    std::vector<double> rates(network.flows.size(), 0);
    solver.SolveChanges({{0, 2}, {}, false}, {0, 2}, rates);
    EXPECT_EQ(rates[0], 0.5);
    const LinkId link = network.flows[0].forward.back();
    solver.SetCapacity(link, 0);
    solver.SolveChanges({{}, {}, true}, {0, 2}, rates);
    EXPECT_EQ(rates[0], 0);
    EXPECT_EQ(rates[2], 1);
    solver.SetCapacity(link, 1);
    solver.SolveChanges({{}, {}, true}, {0, 2}, rates);
    EXPECT_EQ(rates[0], 0.5);
    EXPECT_EQ(rates[2], 0.5);
    solver.SolveChanges({{}, {2}, false}, {0}, rates);
    EXPECT_EQ(rates[0], 1);
}
