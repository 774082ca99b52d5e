/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Max-min fair rates after some flows have started or ended: to the last bit those of a solver that
// knows nothing of the time before.

#include "dml-random-network.h"

#include "ns3/dml-max-min-solver.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Flows that come and go, as RateSharing would tell of them.
class ComingAndGoing
{
  public:
    ComingAndGoing(const FlowNetwork& network, uint32_t seed)
        : m_network(network),
          m_solver(network),
          m_random(seed),
          m_rates(network.flows.size(), 0)
    {
    }

    /// Some flows start or end; expects the rates of a new solver.
    void Change(uint32_t flips)
    {
        FlowChanges changes;
        for (uint32_t i = 0; i < flips; ++i)
        {
            const FlowId flow = m_random() % m_network.flows.size();
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
        const std::vector<FlowId> solved = m_solver.SolveChanges(changes, m_active, m_rates);
        std::vector<double> expected(m_rates.size(), 0);
        MaxMinSolver(m_network).Solve(m_active, expected);
        for (const FlowId flow : m_active)
        {
            EXPECT_EQ(m_rates[flow], expected[flow]) << "flow " << flow;
        }
        m_partly += solved.size() < m_active.size() ? 1 : 0;
    }

    /// How often not all flows were solved.
    uint32_t GetPartly() const
    {
        return m_partly;
    }

  private:
    FlowNetwork m_network;
    MaxMinSolver m_solver;
    std::mt19937 m_random;
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
            ComingAndGoing flows(MakeStarFlowNetwork(workers, 4, workerRate, 1), workers);
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
    const FlowNetwork network = MakeStarFlowNetwork(2, 1, 1, 1);
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
