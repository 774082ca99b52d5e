/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Random shares of drop-tail ports. Rates are derived by hand in the comments.

#include "dml-random-network.h"

#include "ns3/dml-drop-tail-solver.h"
#include "ns3/dml-max-min-solver.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <utility>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Flows with these routes over links of one byte per second, with ports of these sizes.
FlowNetwork
UnitLinks(std::vector<std::vector<LinkId>> routes, std::vector<double> dropTail)
{
    FlowNetwork network;
    network.capacities.assign(dropTail.size(), 1);
    network.dropTail = std::move(dropTail);
    for (auto& route : routes)
    {
        NetworkFlow flow;
        flow.forward = std::move(route);
        network.flows.push_back(flow);
    }
    return network;
}

/// Rates when all flows start at once.
std::vector<double>
StartAll(DropTailSolver& solver, const FlowNetwork& network)
{
    std::vector<double> rates(network.flows.size(), 0);
    FlowChanges changes;
    changes.started = AllFlows(network);
    solver.SolveChanges(changes, changes.started, rates);
    return rates;
}

/// Logarithms of the ratio of two flows' shares of a port in many starts.
std::vector<double>
DrawRatios(const DropTailSolver::Shares& shares, uint32_t starts)
{
    const FlowNetwork network = UnitLinks({{0}, {0}}, {1});
    DropTailSolver solver(network, shares);
    std::vector<double> ratios;
    for (uint32_t i = 0; i < starts; ++i)
    {
        const auto rates = StartAll(solver, network);
        EXPECT_NEAR(rates[0] + rates[1], 1, 1e-12);
        ratios.push_back(std::log(rates[0] / rates[1]));
    }
    return ratios;
}

/// @return the mean product of what is @p lag apart
double
Correlate(const std::vector<double>& values, std::size_t lag)
{
    double sum = 0;
    for (std::size_t i = lag; i < values.size(); ++i)
    {
        sum += values[i] * values[i - lag];
    }
    return sum / (values.size() - lag);
}

TEST(DropTailSolver, IsMaxMinWithoutDropTailPorts)
{
    for (uint32_t seed = 1; seed <= 300; ++seed)
    {
        std::mt19937 random(seed);
        const FlowNetwork network = RandomNetwork(random, true);
        DropTailSolver solver(network, {0.5, 0.5, seed, 0});
        const auto rates = StartAll(solver, network);
        std::vector<double> expected(network.flows.size(), 0);
        MaxMinSolver(network).Solve(AllFlows(network), expected);
        for (FlowId flow = 0; flow < rates.size(); ++flow)
        {
            EXPECT_NEAR(rates[flow], expected[flow], 1e-9 * expected[flow])
                << "seed " << seed << ", flow " << flow;
        }
    }
}

TEST(DropTailSolver, UsesEveryPortAndNoneTwice)
{
    for (uint32_t seed = 1; seed <= 300; ++seed)
    {
        std::mt19937 random(seed);
        FlowNetwork network = RandomNetwork(random, true);
        for (LinkId link = 0; link < network.capacities.size(); ++link)
        {
            network.dropTail.push_back((seed + link) % 3);
        }
        DropTailSolver solver(network, {0.5, 0, seed, 0});
        const auto rates = StartAll(solver, network);
        const auto loads = LoadsOf(network, rates);
        for (LinkId link = 0; link < loads.size(); ++link)
        {
            EXPECT_LE(loads[link], network.capacities[link] * (1 + 1e-9))
                << "seed " << seed << ", link " << link;
        }
        for (FlowId id = 0; id < rates.size(); ++id)
        {
            const NetworkFlow& flow = network.flows[id];
            const bool full =
                std::any_of(flow.forward.begin(), flow.forward.end(), [&](LinkId link) {
                    return loads[link] >= network.capacities[link] * (1 - 1e-9);
                });
            EXPECT_TRUE(full || (flow.cap > 0 && rates[id] >= flow.cap * (1 - 1e-9)))
                << "seed " << seed << ", flow " << id;
        }
    }
}

TEST(DropTailSolver, DrawsNormalLogarithms)
{
    // the difference of two normal numbers of deviation 0.4 has variance 2 * 0.16
    const auto ratios = DrawRatios({0.4, 0, 1, 0}, 20000);
    EXPECT_NEAR(Correlate(ratios, 0), 0.32, 0.01);
    EXPECT_NEAR(Correlate(ratios, 1), 0, 0.01);
}

TEST(DropTailSolver, RemembersShares)
{
    // autoregressive: variance 2 * 0.16, of which 0.7 and 0.49 are left one and two starts later
    const auto ratios = DrawRatios({0.4, 0.7, 1, 0}, 40000);
    EXPECT_NEAR(Correlate(ratios, 0), 0.32, 0.01);
    EXPECT_NEAR(Correlate(ratios, 1), 0.7 * 0.32, 0.01);
    EXPECT_NEAR(Correlate(ratios, 2), 0.49 * 0.32, 0.01);
    const auto fixed = DrawRatios({0.4, 1, 1, 0}, 3);
    EXPECT_NE(fixed[0], 0);
    EXPECT_EQ(fixed[0], fixed[2]);
}

TEST(DropTailSolver, DrawsByScenarioAndReplication)
{
    const auto first = DrawRatios({0.4, 0, 1, 0}, 5);
    EXPECT_EQ(first, DrawRatios({0.4, 0, 1, 0}, 5));
    EXPECT_NE(first, DrawRatios({0.4, 0, 2, 0}, 5));
    EXPECT_NE(first, DrawRatios({0.4, 0, 1, 1}, 5));
}

/// A solver of equal weights, whose flows start and end one by one.
class WithNewcomers
{
  public:
    explicit WithNewcomers(const FlowNetwork& network)
        : m_solver(network, {0, 0, 1, 0, 0.25}),
          m_rates(network.flows.size(), 0)
    {
    }

    /// @return rates of the flows that are active then
    std::vector<double> Change(std::vector<FlowId> started, std::vector<FlowId> ended = {})
    {
        FlowChanges changes;
        changes.started = std::move(started);
        changes.ended = std::move(ended);
        changes.now = m_now += 0.5;
        for (const FlowId flow : changes.ended)
        {
            m_active.erase(std::find(m_active.begin(), m_active.end(), flow));
            m_rates[flow] = 0;
        }
        m_active.insert(m_active.end(), changes.started.begin(), changes.started.end());
        m_solver.SolveChanges(changes, m_active, m_rates);
        return m_rates;
    }

  private:
    DropTailSolver m_solver;
    std::vector<double> m_rates;
    std::vector<FlowId> m_active;
    double m_now{0}; //!< half a second goes by from change to change
};

using Rates = std::vector<double>;

TEST(DropTailSolver, NewcomersGetLess)
{
    WithNewcomers port(UnitLinks({{0}, {0}, {0}}, {1}));
    EXPECT_EQ(port.Change({0}), (Rates{1, 0, 0}));
    EXPECT_EQ(port.Change({1}), (Rates{0.8, 0.2, 0})) << "a weight of 1/4 beside one of 1";
    const Rates three = port.Change({2}); // 1, 1/4 and 1/4
    EXPECT_NEAR(three[0], 2.0 / 3, 1e-12);
    EXPECT_NEAR(three[2], 1.0 / 6, 1e-12);
    const Rates late = port.Change({}, {0});
    EXPECT_NEAR(late[1], 0.5, 1e-12) << "both have come late";
}

TEST(DropTailSolver, NewcomersOnceAloneAreNoneAnyMore)
{
    WithNewcomers port(UnitLinks({{0}, {0}}, {1}));
    port.Change({0});
    EXPECT_EQ(port.Change({1}), (Rates{0.8, 0.2}));
    EXPECT_EQ(port.Change({}, {0}), (Rates{0, 1}));
    EXPECT_EQ(port.Change({0}), (Rates{0.5, 0.5})) << "it has sent before";
}

TEST(DropTailSolver, NewcomersThatPauseAreNoneAnyMore)
{
    WithNewcomers port(UnitLinks({{0}, {0}}, {1}));
    port.Change({0});
    port.Change({1});
    EXPECT_EQ(port.Change({}, {1}), (Rates{1, 0}));
    EXPECT_EQ(port.Change({1}), (Rates{0.5, 0.5}));
}

TEST(DropTailSolver, NewcomersStaySoWhateverHappensElsewhere)
{
    // flows 0 and 1 at port 0, flow 2 at port 1, which are solved apart
    DropTailSolver solver(UnitLinks({{0}, {0}, {1}}, {1, 1}), {0, 0, 1, 0, 0.25});
    Rates rates(3, 0);
    solver.SolveChanges({{0}, {}, false, 0}, {0}, rates);
    solver.SolveChanges({{1}, {}, false, 1}, {0, 1}, rates);
    EXPECT_EQ(rates[1], 0.2);
    solver.SolveChanges({{2}, {}, false, 1.5, 1}, {2}, rates);
    solver.SolveChanges({{}, {}, true, 2.9}, {0, 1}, rates);
    EXPECT_EQ(rates[1], 0.2);
    solver.SolveChanges({{}, {}, true, 3}, {0, 1}, rates);
    EXPECT_EQ(rates[1], 0.5) << "its window has grown in two seconds";
}

TEST(DropTailSolver, WhoComesAMomentLaterIsNoNewcomer)
{
    DropTailSolver solver(UnitLinks({{0}, {0}}, {1}), {0, 0, 1, 0, 0.25});
    Rates rates(2, 0);
    solver.SolveChanges({{0}, {}, false, 1}, {0}, rates);
    solver.SolveChanges({{1}, {}, false, 1.09}, {0, 1}, rates);
    EXPECT_EQ(rates[1], 0.5);
}

TEST(DropTailSolver, NobodyIsNewAmongThoseThatComeTogetherOrElsewhere)
{
    WithNewcomers together(UnitLinks({{0}, {0}}, {1}));
    EXPECT_EQ(together.Change({0, 1}), (Rates{0.5, 0.5}));
    WithNewcomers fair(UnitLinks({{0}, {0}}, {0}));
    fair.Change({0});
    EXPECT_EQ(fair.Change({1}), (Rates{0.5, 0.5})) << "the port serves flows in turn";
    WithNewcomers ports(UnitLinks({{0, 1}, {0, 2}}, {0, 1, 1}));
    ports.Change({0});
    EXPECT_EQ(ports.Change({1}), (Rates{0.5, 0.5})) << "they meet where flows take turns";
}

TEST(DropTailSolver, SharesAHostsOwnLinkEvenly)
{
    // three flows of one host cross its link 0, then ports 1, 2 and 3 of their own
    const FlowNetwork network = UnitLinks({{0, 1}, {0, 2}, {0, 3}}, {0, 1, 1, 1});
    DropTailSolver solver(network, {1, 0, 1, 0});
    for (const double rate : StartAll(solver, network))
    {
        EXPECT_NEAR(rate, 1.0 / 3, 1e-12);
    }
}

TEST(DropTailSolver, GivesWhatOneCannotUseToOthers)
{
    // flows 0 and 1 meet at port 1 of one byte/s; the host of flow 0 sends 0.1 at most
    FlowNetwork network = UnitLinks({{0, 1}, {1}}, {0, 1});
    network.capacities[0] = 0.1;
    DropTailSolver solver(network, {0.3, 0, 1, 0});
    const auto rates = StartAll(solver, network);
    EXPECT_NEAR(rates[0], 0.1, 1e-12);
    EXPECT_NEAR(rates[1], 0.9, 1e-12);
}

TEST(DropTailSolver, KeepsSharesUntilAFlowStarts)
{
    const FlowNetwork network = UnitLinks({{0}, {0}, {0}}, {1});
    DropTailSolver solver(network, {0.5, 0, 1, 0});
    const auto all = StartAll(solver, network);
    std::vector<double> rates(3, 0);
    FlowChanges changes;
    changes.ended = {2};
    solver.SolveChanges(changes, {0, 1}, rates);
    // the others divide what it had as they divided the rest
    EXPECT_NEAR(rates[0] / rates[1], all[0] / all[1], 1e-12);
    EXPECT_NEAR(rates[0] + rates[1], 1, 1e-12);
}

TEST(DropTailSolver, StopsFlowsAcrossALinkThatIsDown)
{
    const FlowNetwork network = UnitLinks({{0, 1}, {1}}, {0, 1});
    DropTailSolver solver(network, {0.3, 0, 1, 0});
    solver.SetCapacity(0, 0);
    const auto rates = StartAll(solver, network);
    EXPECT_EQ(rates[0], 0);
    EXPECT_NEAR(rates[1], 1, 1e-12);
}

/// Flows of a host each through one port of a megabyte that sends a megabyte per second.
class MegabytePort
{
  public:
    explicit MegabytePort(uint32_t flows, uint32_t seed = 1, bool begun = false)
        : m_network(UnitLinks(std::vector<std::vector<LinkId>>(flows, {0}), {1e6})),
          m_rates(flows, 0)
    {
        m_network.capacities[0] = 1e6;
        m_solver =
            std::make_unique<DropTailSolver>(m_network,
                                             DropTailSolver::Shares{{}, {}, seed, 0, 1, begun});
    }

    void StartAll(double now)
    {
        m_active = AllFlows(m_network);
        Change({m_active, {}, false, now});
    }

    void EndAll(double now)
    {
        FlowChanges changes{{}, m_active, false, now};
        m_active.clear();
        Change(changes);
    }

    /// Something happens that concerns no flow.
    void Pass(double now)
    {
        Change({{}, {}, true, now});
    }

    double GetRatio() const
    {
        return std::log(m_rates[0] / m_rates[1]);
    }

  private:
    void Change(const FlowChanges& changes)
    {
        m_solver->SolveChanges(changes, m_active, m_rates);
    }

    FlowNetwork m_network;
    std::vector<double> m_rates;
    std::vector<FlowId> m_active;
    std::unique_ptr<DropTailSolver> m_solver;
};

TEST(PortShares, AreThoseOfTheTable)
{
    // 167 * 2^-0.445 = 167 * 0.7346 times 8 ms
    const PortShares two = GetPortShares(1e6, 125e6, 2);
    EXPECT_NEAR(two.spread, 0.35, 1e-12);
    EXPECT_NEAR(two.persistence, 0.9814, 1e-3);
    // 167 * 8^-0.445 * 4^0.332 = 167 * 0.3964 * 1.5845 times 32 ms
    const PortShares eight = GetPortShares(4e6, 125e6, 8);
    EXPECT_NEAR(eight.spread, 0.24, 1e-12);
    EXPECT_NEAR(eight.persistence, 3.356, 4e-3);
}

TEST(PortShares, AreBetweenThoseOfTheTable)
{
    EXPECT_NEAR(GetPortShares(2e6, 125e6, 8).spread, std::sqrt(0.33 * 0.24), 1e-9);
    EXPECT_NEAR(GetPortShares(1e6, 125e6 * std::sqrt(3), 8).spread, std::sqrt(0.33 * 0.40), 1e-9);
    const double three = std::log(1.5) / std::log(2); // of the way from 2 to 4 connections
    EXPECT_NEAR(GetPortShares(1e6, 125e6, 3).spread,
                std::pow(0.35, 1 - three) * std::pow(0.3, three),
                1e-9);
    // half-way on all three axes: the mean of eight logarithms
    const double corners = 0.33 * 0.40 * 0.36 * 0.66 * 0.24 * 0.27 * 0.30 * 0.39;
    EXPECT_NEAR(GetPortShares(2e6, 125e6 * std::sqrt(3), 11).spread,
                std::pow(corners, 1.0 / 8),
                0.005)
        << "log2(11) = 3.46";
}

TEST(PortShares, AreThoseOfTheNearestPortBeyondTheTable)
{
    EXPECT_EQ(GetPortShares(16e3, 125e6, 8).spread, GetPortShares(64e3, 125e6, 8).spread);
    EXPECT_EQ(GetPortShares(16e6, 125e6, 8).spread, GetPortShares(4e6, 125e6, 8).spread);
    EXPECT_EQ(GetPortShares(1e6, 125e3, 8).spread, GetPortShares(1e6, 12.5e6, 8).spread);
    EXPECT_EQ(GetPortShares(1e6, 125e8, 8).spread, GetPortShares(1e6, 3125e6, 8).spread);
    EXPECT_EQ(GetPortShares(1e6, 125e6, 1).spread, GetPortShares(1e6, 125e6, 2).spread);
    EXPECT_EQ(GetPortShares(1e6, 125e6, 0).persistence, GetPortShares(1e6, 125e6, 2).persistence);
    EXPECT_EQ(GetPortShares(1e6, 125e6, 900).spread, GetPortShares(1e6, 125e6, 32).spread);
}

TEST(DropTailSolver, SpreadsSharesByTheNumberOfConnections)
{
    for (const auto& [flows, spread] : {std::pair{2U, 0.72}, {8U, 0.55}})
    {
        MegabytePort port(flows);
        port.StartAll(0);
        std::vector<double> ratios;
        for (uint32_t i = 1; i <= 20000; ++i)
        {
            port.Pass(1e5 * i); // so many losses later that nothing is left of the last shares
            ratios.push_back(port.GetRatio());
        }
        EXPECT_NEAR(Correlate(ratios, 0) / (2 * spread * spread), 1, 0.03) << flows;
        EXPECT_NEAR(Correlate(ratios, 1) / (2 * spread * spread), 0, 0.03) << flows;
    }
}

TEST(DropTailSolver, SharesFadeWhileConnectionsSend)
{
    // persistence 122.7 s, so there is a loss each 85.05 s. Within 120 s there is one with
    // probability 0.589, else there are two: 0.589 / 2 + 0.411 / 4 of the correlation is left.
    MegabytePort port(2);
    port.StartAll(0);
    std::vector<double> ratios;
    for (uint32_t i = 1; i <= 400000; ++i)
    {
        port.Pass(10 * i);
        ratios.push_back(port.GetRatio());
    }
    const double variance = Correlate(ratios, 0);
    EXPECT_NEAR(variance / (2 * 0.72 * 0.72), 1, 0.04);
    EXPECT_NEAR(Correlate(ratios, 12) / variance, 0.3972, 0.02);
}

TEST(DropTailSolver, SharesStayBetweenLossesAndInPauses)
{
    // a loss each 85.05 s in which both send: in 10 of 34 cases after 25 s, when a weight stays
    // with probability 1/2, whatever the pause
    MegabytePort port(2);
    std::vector<double> ratios;
    uint32_t same = 0;
    for (uint32_t i = 0; i < 40000; ++i)
    {
        port.StartAll(1000.0 * i);
        same += i > 0 && port.GetRatio() == ratios.back();
        ratios.push_back(port.GetRatio());
        port.EndAll(1000.0 * i + 25);
    }
    const double losses = 25 / 85.05;
    EXPECT_NEAR(Correlate(ratios, 1) / Correlate(ratios, 0), 1 - losses / 2, 0.02);
    EXPECT_NEAR(same / 39999.0, 1 - losses * 3 / 4, 0.01) << "of two weights none changes in 1/4";
}

TEST(DropTailSolver, SharesAreEqualUntilThePortLosesPackets)
{
    // the first loss comes at a random part of 85.05 s
    std::vector<double> firsts;
    for (uint32_t seed = 1; seed <= 2000; ++seed)
    {
        MegabytePort port(2, seed);
        port.StartAll(0);
        EXPECT_EQ(port.GetRatio(), 0);
        double now = 0;
        while (port.GetRatio() == 0 && now < 1000)
        {
            port.Pass(++now);
        }
        firsts.push_back(now);
    }
    std::sort(firsts.begin(), firsts.end());
    // it changes a weight in three of four cases, so that three eighths are done at half of it
    EXPECT_NEAR(firsts[750], 85.05 / 2, 5);
    EXPECT_NEAR(firsts[1500], 85.05, 5);
    MegabytePort before(2, 1, true);
    before.StartAll(0);
    EXPECT_NE(before.GetRatio(), 0) << "connections that have sent before";
}

TEST(DropTailSolver, LossesOfOthersChangeNoWeight)
{
    // flows 0 and 1 pause while 2 and 3 have losses at the same port
    DropTailSolver solver(UnitLinks({{0}, {0}, {0}, {0}}, {1}), {{}, {}, 1, 0, 1, true});
    Rates rates(4, 0);
    solver.SolveChanges({{0, 1}, {}, false, 0}, {0, 1}, rates);
    const double ratio = rates[0] / rates[1];
    solver.SolveChanges({{2, 3}, {0, 1}, false, 1e-3}, {2, 3}, rates);
    solver.SolveChanges({{0, 1}, {2, 3}, false, 1e6}, {0, 1}, rates);
    EXPECT_NEAR(rates[0] / rates[1], ratio, 1e-12);
}

TEST(DropTailSolver, ManySharesWaitForOthersThatStart)
{
    for (const uint32_t flows : {20U, 40U})
    {
        MegabytePort port(flows);
        port.StartAll(0);
        const double first = port.GetRatio();
        port.Pass(1e6);
        EXPECT_EQ(port.GetRatio() == first, flows == 40) << "of more than 32, none is drawn";
    }
}

TEST(DropTailSolver, SharesStayWhereMemoryIsFixed)
{
    const FlowNetwork network = UnitLinks({{0}, {0}}, {1});
    for (const auto& spread : {std::optional<double>(), std::optional(0.4)})
    {
        DropTailSolver solver(network, {spread, 0, 1, 0});
        Rates rates(2, 0);
        solver.SolveChanges({{0, 1}, {}, false, 0}, {0, 1}, rates);
        const double first = rates[0];
        solver.SolveChanges({{}, {}, true, 1e6}, {0, 1}, rates);
        EXPECT_EQ(rates[0], first);
    }
}

} // namespace
