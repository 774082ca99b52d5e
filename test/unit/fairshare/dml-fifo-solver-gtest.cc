/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Fixed windows on first-in first-out queues. Rates are derived by hand in the comments: q is the
// delay of a queue, B = 1 a window, C = 1 a link.

#include "dml-random-network.h"

#include "ns3/dml-fifo-solver.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr double SOLVER_ERROR = 1e-8;

/// Links of one byte per second without flows.
FlowNetwork
UnitLinks(uint32_t links)
{
    FlowNetwork network;
    network.capacities.assign(links, 1);
    return network;
}

void
AddFlow(FlowNetwork& network, std::vector<LinkId> forward, std::vector<LinkId> reverse = {})
{
    NetworkFlow flow;
    flow.forward = std::move(forward);
    flow.reverse = std::move(reverse);
    network.flows.push_back(flow);
}

std::vector<double>
Solve(const FlowNetwork& network)
{
    std::vector<double> rates(network.flows.size(), 0);
    FifoSolver(network).Solve(AllFlows(network), rates);
    return rates;
}

/// Checks the definition: rates by delays, capacity, queues on full links only.
void
ExpectSolution(const FlowNetwork& network, const std::string& what)
{
    FifoSolver solver(network);
    std::vector<double> rates(network.flows.size(), 0);
    solver.Solve(AllFlows(network), rates);
    const auto loads = LoadsOf(network, rates);
    const auto& delays = solver.GetDelays();
    EXPECT_LT(solver.GetSweeps(), FifoSolver::MOST_SWEEPS) << what;
    for (FlowId id = 0; id < network.flows.size(); ++id)
    {
        const NetworkFlow& flow = network.flows[id];
        std::vector<LinkId> path(flow.forward);
        path.insert(path.end(), flow.reverse.begin(), flow.reverse.end());
        std::sort(path.begin(), path.end());
        path.erase(std::unique(path.begin(), path.end()), path.end());
        double round = flow.roundTrip;
        for (const LinkId link : path)
        {
            round += delays[link];
        }
        EXPECT_NEAR(rates[id] * round, flow.window, SOLVER_ERROR * flow.window)
            << what << ", flow " << id;
    }
    for (LinkId link = 0; link < loads.size(); ++link)
    {
        const double capacity = network.capacities[link];
        EXPECT_LE(loads[link], capacity * (1 + SOLVER_ERROR)) << what << ", link " << link;
        if (delays[link] > 0)
        {
            EXPECT_GE(loads[link], capacity * (1 - SOLVER_ERROR)) << what << ", link " << link;
        }
    }
}

} // namespace

TEST(FifoSolver, EqualWindowsShareOneLinkEqually)
{
    for (const uint32_t n : {1, 2, 7, 100})
    {
        FlowNetwork network = UnitLinks(1);
        for (uint32_t i = 0; i < n; ++i)
        {
            AddFlow(network, {0});
        }
        for (const double rate : Solve(network))
        {
            EXPECT_NEAR(rate, 1.0 / n, SOLVER_ERROR);
        }
    }
}

TEST(FifoSolver, UnequalWindowsShareInProportion)
{
    FlowNetwork network = UnitLinks(1);
    AddFlow(network, {0});
    AddFlow(network, {0});
    network.flows[1].window = 3;
    EXPECT_NEAR(Solve(network)[0], 0.25, SOLVER_ERROR);
    EXPECT_NEAR(Solve(network)[1], 0.75, SOLVER_ERROR);
}

TEST(FifoSolver, ALoneFlowIsHeldUpWhereItsAcksQueue)
{
    // n flows fill link 1: n B / q = C. The lone flow's own link has no queue, its ACKs wait for q:
    // B / q = C / n
    for (const uint32_t n : {2, 5, 8})
    {
        FlowNetwork network = UnitLinks(2);
        AddFlow(network, {0}, {1});
        for (uint32_t i = 0; i < n; ++i)
        {
            AddFlow(network, {1});
        }
        for (const double rate : Solve(network))
        {
            EXPECT_NEAR(rate, 1.0 / n, SOLVER_ERROR);
        }
    }
}

TEST(FifoSolver, TwoFlowsInOppositeDirectionsFillBoth)
{
    // B / (q0 + q1) is the rate of both: C, whatever the two delays are
    FlowNetwork network = UnitLinks(2);
    AddFlow(network, {0}, {1});
    AddFlow(network, {1}, {0});
    EXPECT_NEAR(Solve(network)[0], 1, SOLVER_ERROR);
    EXPECT_NEAR(Solve(network)[1], 1, SOLVER_ERROR);
}

TEST(FifoSolver, AFlowOverManyBottlenecksGetsLess)
{
    // one long flow over L links, n short ones on each, q on each link: n B / q + B / (L q) = C, so
    // the long flow has C / (L n + 1), the short ones L C / (L n + 1); max-min says C / (n + 1)
    for (const uint32_t links : {2, 3, 5})
    {
        for (const uint32_t n : {1, 2, 4})
        {
            FlowNetwork network = UnitLinks(links);
            AddFlow(network, {});
            for (LinkId link = 0; link < links; ++link)
            {
                network.flows[0].forward.push_back(link);
                for (uint32_t i = 0; i < n; ++i)
                {
                    AddFlow(network, {link});
                }
            }
            const auto rates = Solve(network);
            EXPECT_NEAR(rates[0], 1.0 / (links * n + 1), SOLVER_ERROR);
            EXPECT_NEAR(rates[1], 1.0 * links / (links * n + 1), SOLVER_ERROR);
            EXPECT_NEAR(rates.back(), 1.0 * links / (links * n + 1), SOLVER_ERROR);
        }
    }
}

TEST(FifoSolver, RoundTripsWithoutQueuesCount)
{
    // 1 / (1 + q) + 1 / (3 + q) = 1, so q = sqrt(2) - 1
    FlowNetwork network = UnitLinks(1);
    AddFlow(network, {0});
    AddFlow(network, {0});
    network.flows[0].roundTrip = 1;
    network.flows[1].roundTrip = 3;
    EXPECT_NEAR(Solve(network)[0], 1 / std::sqrt(2.0), SOLVER_ERROR);
    EXPECT_NEAR(Solve(network)[1], 1 / (2 + std::sqrt(2.0)), SOLVER_ERROR);
    // 0.5 / 4 does not fill the link, nor does 0.5 / 3 beside it
    network.flows[0] = network.flows[1];
    network.flows[0].roundTrip = 4;
    network.flows[0].window = 0.5;
    network.flows[1].window = 0.5;
    EXPECT_NEAR(Solve(network)[0], 0.125, SOLVER_ERROR);
    EXPECT_NEAR(Solve(network)[1], 0.5 / 3, SOLVER_ERROR);
}

TEST(FifoSolver, ConstantRatesComeFirst)
{
    // 0.7 is sent whatever happens; two windows share the rest
    FlowNetwork network = UnitLinks(1);
    AddFlow(network, {0});
    AddFlow(network, {0});
    AddFlow(network, {0});
    network.flows[2].cap = 0.7;
    EXPECT_NEAR(Solve(network)[0], 0.15, SOLVER_ERROR);
    EXPECT_NEAR(Solve(network)[2], 0.7, SOLVER_ERROR);
    network.flows[2].cap = 5; // more than there is; windows still keep something
    EXPECT_NEAR(Solve(network)[0], FifoSolver::LEAST_LEFT / 2, SOLVER_ERROR);
    EXPECT_NEAR(Solve(network)[2], 1 - FifoSolver::LEAST_LEFT, SOLVER_ERROR);
}

TEST(FifoSolver, FlowsWaitForALinkThatIsDown)
{
    FlowNetwork network = UnitLinks(3);
    AddFlow(network, {0, 1});
    AddFlow(network, {0}, {2});
    AddFlow(network, {0});
    FifoSolver solver(network);
    std::vector<double> rates(3);
    solver.Solve({0, 1, 2}, rates);
    EXPECT_NEAR(rates[2], 1.0 / 3, SOLVER_ERROR);
    solver.SetCapacity(1, 0);
    solver.Solve({0, 1, 2}, rates);
    EXPECT_EQ(rates[0], 0);
    EXPECT_NEAR(rates[1], 0.5, SOLVER_ERROR);
    solver.SetCapacity(2, 0); // nor do ACKs pass
    solver.Solve({0, 1, 2}, rates);
    EXPECT_EQ(rates[1], 0);
    EXPECT_NEAR(rates[2], 1, SOLVER_ERROR);
}

TEST(FifoSolver, AnOldStateIsRemembered)
{
    FlowNetwork network = UnitLinks(1);
    for (const double window : {1, 2, 3})
    {
        AddFlow(network, {0});
        network.flows.back().window = window;
    }
    FifoSolver solver(network);
    std::vector<double> first(network.flows.size());
    std::vector<double> second(network.flows.size());
    auto active = AllFlows(network);
    solver.Solve(active, first);
    solver.Solve({0}, second);
    std::reverse(active.begin(), active.end());
    solver.Solve(active, second);
    EXPECT_EQ(first, second);
}

TEST(FifoSolver, QueuesAreWhereLinksAreFull)
{
    std::mt19937 random(11);
    for (uint32_t round = 0; round < 300; ++round)
    {
        FlowNetwork network = RandomNetwork(random, false);
        for (auto& flow : network.flows)
        {
            flow.roundTrip = round % 2 ? 0.01 * (random() % 100) : 0;
            if (round % 3 == 0)
            {
                flow.reverse.clear();
            }
        }
        ExpectSolution(network, "round " + std::to_string(round));
    }
}

TEST(FifoSolver, EveryStateOfTwoServersIsSolved)
{
    // three workers, both directions at once: 4096 states, some of which make delays go in circles
    const FlowNetwork star = MakeStarFlowNetwork({3, 2}, 1, 1);
    for (uint32_t state = 1; state < 1u << star.flows.size(); ++state)
    {
        FlowNetwork network = UnitLinks(star.capacities.size());
        for (FlowId flow = 0; flow < star.flows.size(); ++flow)
        {
            if (state >> flow & 1)
            {
                network.flows.push_back(star.flows[flow]);
            }
        }
        ExpectSolution(network, "state " + std::to_string(state));
    }
}
