/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Sharing rules as functions of who is active.

#include "dml-random-network.h"

#include "ns3/dml-error.h"
#include "ns3/dml-max-min-solver.h"
#include "ns3/dml-two-server-solver.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Rates of all flows.
template <typename Solver>
std::vector<double>
Solve(const FlowNetwork& network, const std::vector<FlowId>& active)
{
    std::vector<double> rates(network.flows.size(), 0);
    Solver(network).Solve(active, rates);
    return rates;
}

/// Active flows of a star of two servers: two bits per worker in each direction.
std::vector<FlowId>
TwoServerState(uint32_t workers, uint32_t down, uint32_t up)
{
    std::vector<FlowId> active;
    for (uint32_t connection = 0; connection < 2 * workers; ++connection)
    {
        if (down >> connection & 1)
        {
            active.push_back(2 * connection);
        }
        if (up >> connection & 1)
        {
            active.push_back(2 * connection + 1);
        }
    }
    return active;
}

void
ExpectRefused(const FlowNetwork& network, const std::string& found)
{
    try
    {
        TwoServerSolver solver(network);
        FAIL() << "accepted " << found;
    }
    catch (const InputError& error)
    {
        EXPECT_NE(std::string(error.what()).find("found " + found + "; accepted"),
                  std::string::npos)
            << error.what();
    }
}

} // namespace

TEST(MaxMinSolver, EveryFlowHasABottleneck)
{
    std::mt19937 random(7);
    for (uint32_t round = 0; round < 500; ++round)
    {
        const FlowNetwork network = RandomNetwork(random, true);
        const auto rates = Solve<MaxMinSolver>(network, AllFlows(network));
        const auto loads = LoadsOf(network, rates);
        std::vector<double> fastest(loads.size(), 0);
        for (FlowId flow = 0; flow < rates.size(); ++flow)
        {
            for (const LinkId link : network.flows[flow].forward)
            {
                fastest[link] = std::max(fastest[link], rates[flow]);
            }
        }
        for (FlowId flow = 0; flow < rates.size(); ++flow)
        {
            const double cap = network.flows[flow].cap;
            EXPECT_TRUE(cap == 0 || rates[flow] <= cap * (1 + 1e-9));
            bool bottleneck = cap > 0 && rates[flow] > cap * (1 - 1e-9);
            for (const LinkId link : network.flows[flow].forward)
            {
                EXPECT_LE(loads[link], network.capacities[link] * (1 + 1e-9));
                bottleneck |= loads[link] > network.capacities[link] * (1 - 1e-9) &&
                              rates[flow] > fastest[link] * (1 - 1e-9);
            }
            EXPECT_TRUE(bottleneck) << "flow " << flow << " in round " << round;
        }
    }
}

TEST(MaxMinSolver, FlowsWaitForALinkThatIsDown)
{
    // flow 0 on links 0 and 1, flow 1 on link 0: without link 1, flow 1 has all of link 0
    FlowNetwork network;
    network.capacities = {10, 10};
    network.flows.resize(2);
    network.flows[0].forward = {0, 1};
    network.flows[1].forward = {0};
    MaxMinSolver solver(network);
    solver.SetCapacity(1, 0);
    std::vector<double> rates(2);
    solver.Solve({0, 1}, rates);
    EXPECT_EQ(rates, (std::vector<double>{0, 10}));
    solver.SetCapacity(1, 2);
    solver.Solve({0, 1}, rates);
    EXPECT_EQ(rates, (std::vector<double>{2, 8}));
}

TEST(MaxMinSolver, UnequalLinksOfTheWorkersCount)
{
    // server 100, workers 60: alone 60 each; two workers 50 each
    const FlowNetwork network = MakeStarFlowNetwork({2, 1}, 60, 100);
    EXPECT_DOUBLE_EQ(Solve<MaxMinSolver>(network, {0})[0], 60);
    EXPECT_DOUBLE_EQ(Solve<MaxMinSolver>(network, {0, 2})[2], 50);
}

TEST(TwoServerSolver, IsMaxMinInEveryState)
{
    constexpr double RATE = 125e6;
    for (uint32_t workers = 1; workers <= 6; ++workers)
    {
        const FlowNetwork network = MakeStarFlowNetwork({workers, 2}, RATE, RATE);
        const uint32_t states = 1u << (2 * workers); // idle, either server, both: 4 per worker
        for (uint32_t down = 0; down < states; ++down)
        {
            const auto active = TwoServerState(workers, down, states - 1 - down);
            const auto paper = Solve<TwoServerSolver>(network, active);
            const auto maxMin = Solve<MaxMinSolver>(network, active);
            for (const FlowId flow : active)
            {
                ASSERT_NEAR(paper[flow], maxMin[flow], 1e-12 * RATE)
                    << "flow " << flow << " of state " << down << ", W = " << workers;
            }
        }
    }
}

TEST(TwoServerSolver, DoesWhatThePaperSays)
{
    const FlowNetwork network = MakeStarFlowNetwork({4, 2}, 1, 1);
    // worker 0 on both servers, workers 1 to 3 on the second only: 1/4 there, 1 - 1/4 at the first
    const auto rates = Solve<TwoServerSolver>(network, TwoServerState(4, 0b10101011, 0));
    EXPECT_DOUBLE_EQ(rates[0], 0.75);
    for (const FlowId flow : {2, 6, 10, 14})
    {
        EXPECT_DOUBLE_EQ(rates[flow], 0.25);
    }
    // alone at both
    const auto alone = Solve<TwoServerSolver>(network, TwoServerState(4, 0b0011, 0));
    EXPECT_DOUBLE_EQ(alone[0], 0.5);
    EXPECT_DOUBLE_EQ(alone[2], 0.5);
}

TEST(TwoServerSolver, RefusesWhatItIsNotMeantFor)
{
    ExpectRefused(MakeStarFlowNetwork({4, 3}, 1, 1), "3 parameter servers");
    ExpectRefused(MakeStarFlowNetwork({4, 1}, 1, 1), "1 parameter servers");
    ExpectRefused(MakeStarFlowNetwork({4, 2}, 1, 2), "links of different rates");
    FlowNetwork network = MakeStarFlowNetwork({4, 2}, 1, 1);
    network.flows.push_back(network.flows[0]);
    ExpectRefused(network, "background flows");
    network = MakeStarFlowNetwork({4, 2}, 1, 1);
    network.flows[0].forward = network.flows[2].forward; // of the other server
    ExpectRefused(network, "another topology");
    network = MakeStarFlowNetwork({4, 2}, 1, 1);
    network.flows[0].forward[1] = network.flows[4].forward[1]; // to the next worker
    ExpectRefused(network, "another topology");
    TwoServerSolver solver(MakeStarFlowNetwork({4, 2}, 1, 1));
    EXPECT_THROW(solver.SetCapacity(0, 1), InputError);
}
