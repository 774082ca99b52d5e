/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Many flows that meet on one link: virtual time says the same as rates that are solved flow by
// flow at every change, and takes no more steps for many flows than for few.

#include "dml-channel-words.h"
#include "dml-random-network.h"
#include "dml-run-recorder.h"

#include "ns3/dml-common-link.h"
#include "ns3/dml-drop-tail-solver.h"
#include "ns3/dml-fifo-solver.h"
#include "ns3/dml-max-min-solver.h"
#include "ns3/dml-rate-sharing.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <random>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A rule whose rates are solved flow by flow, however many there are.
template <typename Solver>
class FlowByFlow : public Solver
{
  public:
    using Solver::Solver;

    bool SharesByWeight([[maybe_unused]] const std::vector<LinkId>& links,
                        [[maybe_unused]] const std::vector<FlowId>& flows) const override
    {
        return false;
    }
};

/// What a rule is made of.
struct Rule
{
    std::string name;
    std::function<std::unique_ptr<RateSolver>(const FlowNetwork&)> make; //!< in virtual time
    std::function<std::unique_ptr<RateSolver>(const FlowNetwork&)> makeReference;
};

template <typename Solver, typename... Arguments>
Rule
MakeRule(const std::string& name, const Arguments&... arguments)
{
    return {
        name,
        [=](const FlowNetwork& network) { return std::make_unique<Solver>(network, arguments...); },
        [=](const FlowNetwork& network) {
            return std::make_unique<FlowByFlow<Solver>>(network, arguments...);
        }};
}

std::vector<Rule>
ListRules()
{
    return {
        MakeRule<MaxMinSolver>("max-min"),
        MakeRule<DropTailSolver>("drop-tail", DropTailSolver::Shares{0.3, 0.6, 7, 0, 0.43}),
        MakeRule<DropTailSolver>("drop-tail in time", DropTailSolver::Shares{0.3, {}, 7, 0, 0.43}),
        MakeRule<FifoSolver>("fifo")};
}

/**
 * Links 0 and 1 are the server's, at 100 bytes/s; each worker has a link in either direction. Of a
 * third of them these are slow, so that they limit flows while few others are active. Even flows go
 * to workers, odd ones come from them, or all flows go to workers of their own.
 */
FlowNetwork
MakeCluster(uint32_t workers, bool both, bool dropTail, std::mt19937& random)
{
    FlowNetwork network;
    const auto addLink = [&](double capacity) {
        network.capacities.push_back(capacity);
        network.dropTail.push_back(dropTail ? 100 : 0); // shares persist for about a second
        return static_cast<LinkId>(network.capacities.size() - 1);
    };
    const LinkId out = addLink(100);
    const LinkId in = addLink(100);
    network.serverLinks.push_back({MakeServerLink(Direction::DOWNLINK, 0), out});
    network.serverLinks.push_back({MakeServerLink(Direction::UPLINK, 0), in});
    const auto draw = [&] { return random() % 3 == 0 ? 1.0 + random() % 10 : 100.0; };
    for (uint32_t worker = 0; worker < workers; ++worker)
    {
        const LinkId down = addLink(draw());
        const LinkId up = addLink(draw());
        NetworkFlow flow;
        flow.forward = {out, down};
        flow.reverse = {up, in};
        flow.roundTrip = 0.5;
        flow.window = 2 + random() % 5;
        flow.cap = !both && random() % 5 == 0 ? 1 + random() % 4 : 0;
        network.flows.push_back(flow);
        if (both)
        {
            std::swap(flow.forward, flow.reverse);
            flow.window = 2 + random() % 5;
            network.flows.push_back(flow);
        }
    }
    return network;
}

/// Flows that come, go, end early, go on at once and meet links that change; the same every time.
class Traffic
{
  public:
    Traffic(const FlowNetwork& network, std::unique_ptr<RateSolver> solver, uint32_t seed)
        : m_flows(network.flows.size()),
          m_links(network.capacities.size()),
          m_sharing(network, std::move(solver), &m_recorder),
          m_random(seed),
          m_active(m_flows, false)
    {
    }

    void Run(uint32_t starts)
    {
        double nextStart = 0;
        for (uint32_t begun = 0; begun < starts || m_sharing.GetNextEnd().time < INFINITE;)
        {
            const FlowEnd end = m_sharing.GetNextEnd(begun < starts ? nextStart : INFINITE);
            if (begun < starts && nextStart <= end.time)
            {
                Begin(nextStart);
                ++begun;
                nextStart += 0.0001 * (m_random() % 2000);
                continue;
            }
            m_now = end.time;
            m_sharing.Finish();
            m_active[end.flow] = false;
            ends[end.order] = m_origin + end.time;
            if (m_random() % 2 == 0) // the next chunk of a busy connection
            {
                Start(end.flow);
            }
            if (m_now > 64)
            {
                m_sharing.MoveOrigin(32);
                m_origin += 32;
                m_now -= 32;
                nextStart -= 32;
            }
        }
        m_sharing.Flush(m_now);
    }

    /// @return bytes that the server's link has carried
    double GetCarried() const
    {
        double bytes = 0;
        for (const auto& record : m_recorder.links)
        {
            bytes += record.bytesPerSecond * (record.end - record.start);
        }
        return bytes;
    }

    static constexpr double INFINITE = std::numeric_limits<double>::infinity();

    std::map<uint64_t, double> ends; //!< by order of start: seconds

  private:
    void Start(FlowId flow)
    {
        m_active[flow] = true;
        m_sharing.Start(flow, 1 + m_random() % 15, m_order++, m_now);
    }

    void Begin(double now)
    {
        m_now = now;
        const FlowId flow = m_random() % m_flows;
        if (!m_active[flow])
        {
            Start(flow);
        }
        else if (m_random() % 4 == 0)
        {
            m_sharing.Stop(flow, m_now);
            m_active[flow] = false;
        }
        else if (m_random() % 8 == 0)
        {
            const LinkId link = m_random() % 3 == 0 ? m_random() % 2 : m_random() % m_links;
            m_sharing.SetCapacity(link, link < 2 ? 60 + m_random() % 80 : 1 + m_random() % 9, now);
        }
    }

    uint32_t m_flows;
    uint32_t m_links;
    RunRecorder m_recorder;
    RateSharing m_sharing;
    std::mt19937 m_random;
    std::vector<bool> m_active;
    uint64_t m_order{0};
    double m_now{0};
    double m_origin{0};
};

TEST(CommonLink, GivesTheRatesThatAreSolvedFlowByFlow)
{
    for (const Rule& rule : ListRules())
    {
        for (uint32_t seed = 1; seed <= 12; ++seed)
        {
            std::mt19937 random(seed);
            const bool fifo = rule.name == "fifo"; // whose solver is slow, and iterates
            const uint32_t workers =
                fifo ? RateSharing::MANY_FLOWS / 2 + 1 + seed : RateSharing::MANY_FLOWS + 10 * seed;
            const uint32_t starts = fifo ? 300 : 1500;
            const FlowNetwork network =
                MakeCluster(workers, fifo || seed % 3 == 0, seed % 2 == 0, random);
            Traffic found(network, rule.make(network), seed);
            found.Run(starts);
            Traffic expected(network, rule.makeReference(network), seed);
            expected.Run(starts);
            ASSERT_EQ(found.ends.size(), expected.ends.size()) << rule.name << ", seed " << seed;
            ASSERT_GT(found.ends.size(), starts / 2);
            for (const auto& [order, end] : expected.ends)
            {
                ASSERT_NEAR(found.ends.at(order), end, (fifo ? 1e-6 : 1e-9) * end)
                    << rule.name << ", seed " << seed << ", start " << order;
            }
            EXPECT_NEAR(found.GetCarried(), expected.GetCarried(), fifo ? 1e-2 : 1e-6);
        }
    }
}

// Ten flows of 10 bytes at weight 1 and limits of 20 over a link of 100 bytes/s: 10 bytes/s each.
// With the first five gone the others would have 20 each, which is what their limits let through;
// four of them leave some of the link free.
TEST(CommonLink, FlowsAreLimitedByTheLinkOrByThemselves)
{
    FlowNetwork network;
    network.capacities.push_back(100);
    std::vector<FlowId> flows;
    for (FlowId id = 0; id < 10; ++id)
    {
        network.flows.emplace_back();
        network.flows.back().forward = {0, id + 1};
        network.capacities.push_back(20);
        flows.push_back(id);
    }
    CommonLink link(network,
                    network.capacities,
                    *FindCommonLinks(network, flows, false),
                    std::numeric_limits<double>::infinity(),
                    1);
    for (const FlowId id : flows)
    {
        link.Start(id, id < 5 ? 10 : 30, id, 0);
        link.Enter(id, 1, 0);
    }
    link.Settle();
    EXPECT_NEAR(link.GetLoad(0), 100, 1e-9);
    for (FlowId id = 0; id < 5; ++id)
    {
        EXPECT_NEAR(link.FindFirst().time, 1, 1e-12);
        EXPECT_EQ(link.FindFirst().flow, id);
        link.Leave(id, 1);
    }
    link.Settle();
    EXPECT_NEAR(link.FindFirst().time, 2, 1e-12) << "20 bytes are left, at 20 bytes/s";
    link.Leave(5, 1.5);
    link.Settle();
    EXPECT_NEAR(link.GetLoad(0), 80, 1e-9);
    EXPECT_NEAR(link.FindFirst().time, 2, 1e-12) << "nobody is faster for that";
}

/// @return moves from one limit to the other per change of what is active, at most @p flows
double
CountSteps(uint32_t flows)
{
    std::mt19937 random(1);
    const FlowNetwork network = MakeCluster(flows, false, true, random);
    CommonLink link(network,
                    network.capacities,
                    *FindCommonLinks(network, AllFlows(network), false),
                    std::numeric_limits<double>::infinity(),
                    1);
    std::lognormal_distribution<double> weights(0, 0.24);
    constexpr uint32_t CHANGES = 20000;
    std::vector<bool> served(flows, false);
    for (uint32_t i = 0; i < CHANGES; ++i)
    {
        const uint32_t place = random() % flows;
        if (served[place])
        {
            link.Leave(place, 0);
        }
        else
        {
            link.Start(place, 1, i, 0);
            link.Enter(place, weights(random), 0);
        }
        served[place] = !served[place];
        link.Settle();
    }
    return static_cast<double>(link.GetSteps()) / CHANGES;
}

// A change of one of n flows moves the level by its nth part, so only flows whose limits are as
// close to it change sides, whatever n is.
TEST(CommonLink, AChangeConcernsFewFlows)
{
    EXPECT_LT(CountSteps(64), 2);
    EXPECT_LT(CountSteps(512), 2);
    EXPECT_LT(CountSteps(8192), 2);
}

} // namespace
