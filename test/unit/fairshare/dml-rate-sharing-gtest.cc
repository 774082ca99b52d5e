/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flows that come and go on networks of any topology.

#include "dml-channel-words.h"
#include "dml-random-network.h"
#include "dml-run-recorder.h"

#include "ns3/dml-error.h"
#include "ns3/dml-fifo-solver.h"
#include "ns3/dml-max-min-solver.h"
#include "ns3/dml-rate-sharing.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <memory>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// Max-min rates; by claiming to heed ACKs it makes one domain of what they couple.
class CoupledMaxMinSolver : public MaxMinSolver
{
  public:
    using MaxMinSolver::MaxMinSolver;

    bool HeedsAcks() const override
    {
        return true;
    }
};

/// Max-min rates, and how often they were asked for.
class CountingSolver : public MaxMinSolver
{
  public:
    CountingSolver(const FlowNetwork& network, uint32_t& count)
        : MaxMinSolver(network),
          m_count(count)
    {
    }

    const std::vector<FlowId>& SolveChanges(const FlowChanges& changes,
                                            const std::vector<FlowId>& active,
                                            std::vector<double>& rates) override
    {
        ++m_count;
        return MaxMinSolver::SolveChanges(changes, active, rates);
    }

  private:
    uint32_t& m_count;
};

/// When flows of given sizes end that come and go at random.
class RandomTraffic
{
  public:
    RandomTraffic(const FlowNetwork& network, uint32_t seed)
        : m_network(network),
          m_random(seed)
    {
    }

    template <typename Solver>
    void Run(RunObserver* observer, uint32_t starts)
    {
        RateSharing sharing(m_network, std::make_unique<Solver>(m_network), observer);
        std::vector<bool> active(m_network.flows.size(), false);
        double now = 0;
        double nextStart = 0;
        for (uint64_t order = 0; order < starts || sharing.GetNextEnd().time < INFINITE;)
        {
            const FlowEnd end = sharing.GetNextEnd();
            if (order < starts && nextStart <= end.time)
            {
                now = nextStart;
                nextStart += 0.01 * (m_random() % 100);
                const FlowId flow = m_random() % active.size();
                if (!active[flow])
                {
                    sizes.push_back(1 + m_random() % 20);
                    flows.push_back(flow);
                    sharing.Start(flow, sizes.back(), order, now);
                    active[flow] = true;
                }
                else if (m_random() % 4 == 0)
                {
                    const LinkId link = m_random() % m_network.serverLinks.size();
                    const double capacity = 1 + m_random() % 10;
                    sharing.SetCapacity(link, capacity, now);
                    m_changes.push_back({now, link, capacity});
                }
                ++order;
                continue;
            }
            now = end.time;
            sharing.Finish();
            active[end.flow] = false;
            ends.push_back(end);
        }
        sharing.Flush(now);
    }

    /// Rate of a link at a time.
    double GetCapacity(LinkId link, double time) const
    {
        double capacity = m_network.capacities[link];
        for (const auto& change : m_changes)
        {
            capacity = change.link == link && change.time <= time ? change.capacity : capacity;
        }
        return capacity;
    }

    static constexpr double INFINITE = std::numeric_limits<double>::infinity();

    std::vector<double> sizes; //!< of the flows started
    std::vector<FlowId> flows; //!< the same
    std::vector<FlowEnd> ends; //!< in order

  private:
    /// A link's new rate.
    struct Change
    {
        double time;
        LinkId link;
        double capacity;
    };

    const FlowNetwork& m_network;
    std::mt19937 m_random;
    std::vector<Change> m_changes;
};

/// Several copies of a network beside each other, so that there are several domains.
FlowNetwork
Copies(const FlowNetwork& network, uint32_t copies)
{
    FlowNetwork all;
    for (uint32_t copy = 0; copy < copies; ++copy)
    {
        const LinkId shift = all.capacities.size();
        all.capacities.insert(all.capacities.end(),
                              network.capacities.begin(),
                              network.capacities.end());
        for (auto flow : network.flows)
        {
            for (LinkId& link : flow.forward)
            {
                link += shift;
            }
            flow.reverse.clear();
            all.flows.push_back(flow);
        }
    }
    for (LinkId link = 0; link < all.capacities.size(); ++link)
    {
        all.serverLinks.push_back({MakeServerLink(Direction::DOWNLINK, link), link});
    }
    return all;
}

uint32_t
CountDomains(const FlowNetwork& network, bool acks)
{
    const auto domains = FindFlowDomains(network, acks);
    return *std::max_element(domains.begin(), domains.end()) + 1;
}

std::string
MessageOf(const FlowNetwork& network)
{
    try
    {
        CheckFlowNetwork(network);
        return "";
    }
    catch (const InputError& error)
    {
        return error.what();
    }
}

} // namespace

TEST(FlowNetwork, DownlinksAndUplinksOfAStarAreTwoDomains)
{
    const FlowNetwork network = MakeStarFlowNetwork({3, 2}, 1, 1);
    const auto domains = FindFlowDomains(network, false);
    for (FlowId flow = 0; flow < domains.size(); ++flow)
    {
        EXPECT_EQ(domains[flow], flow % 2);
    }
    const auto coupled = FindFlowDomains(network, true);
    EXPECT_EQ(coupled, std::vector<uint32_t>(12, 0));
}

TEST(FlowNetwork, FlowsAreNumberedOverAllJobs)
{
    const auto flows = ListTrainingFlows({{2, 1}, {1, 2}});
    const std::vector<TransferChannel> expected{MakeChannel(Direction::DOWNLINK, 0, 0),
                                                MakeChannel(Direction::UPLINK, 0, 0),
                                                MakeChannel(Direction::DOWNLINK, 0, 1),
                                                MakeChannel(Direction::UPLINK, 0, 1),
                                                MakeChannel(Direction::DOWNLINK, 1, 2),
                                                MakeChannel(Direction::UPLINK, 1, 2),
                                                MakeChannel(Direction::DOWNLINK, 2, 2),
                                                MakeChannel(Direction::UPLINK, 2, 2)};
    EXPECT_TRUE(flows == expected);
}

TEST(FlowNetwork, MistakesAreNamed)
{
    const FlowNetwork good = MakeStarFlowNetwork({1, 1}, 1, 1);
    EXPECT_EQ(MessageOf(good), "");
    FlowNetwork network = good;
    network.capacities[2] = 0;
    EXPECT_EQ(MessageOf(network),
              "network: capacity of link 2: found 0.000000; accepted: bytes per second above 0");
    network = good;
    network.flows[1].forward[0] = 4;
    EXPECT_EQ(MessageOf(network),
              "network: flow 1: links: found 4.000000; accepted: links from 0 to 4, exclusive");
    network = good;
    network.flows[1].reverse = {2, 2};
    EXPECT_EQ(MessageOf(network),
              "network: flow 1: links of its ACKs: found 2.000000; accepted: each link once on a "
              "route");
    network = good;
    network.flows[0].cap = std::nan("");
    EXPECT_NE(MessageOf(network), "");
    network = good;
    network.flows[0].window = 0;
    EXPECT_NE(MessageOf(network), "");
    network = good;
    network.flows[0].delay = -1;
    EXPECT_NE(MessageOf(network), "");
    network = good;
    network.serverLinks[0].link = 4;
    EXPECT_NE(MessageOf(network), "");
    network = good;
    network.flows.pop_back();
    EXPECT_NE(MessageOf(network), "");
}

TEST(RateSharing, DomainsGiveTheSameAsOneDomain)
{
    std::mt19937 random(5);
    for (uint32_t round = 0; round < 100; ++round)
    {
        const FlowNetwork network = Copies(RandomNetwork(random, true), 3);
        FlowNetwork coupled = network;
        for (auto& flow : coupled.flows)
        {
            flow.reverse = {static_cast<LinkId>(network.capacities.size())};
        }
        coupled.capacities.push_back(1); // on the way of all ACKs
        EXPECT_GE(CountDomains(network, true), 3u);
        EXPECT_EQ(CountDomains(coupled, true), 1u);
        RandomTraffic apart(network, round);
        apart.Run<MaxMinSolver>(nullptr, 200);
        RandomTraffic together(coupled, round);
        together.Run<CoupledMaxMinSolver>(nullptr, 200);
        ASSERT_EQ(apart.ends.size(), together.ends.size());
        for (std::size_t i = 0; i < apart.ends.size(); ++i)
        {
            EXPECT_EQ(apart.ends[i].order, together.ends[i].order) << round;
            EXPECT_NEAR(apart.ends[i].time, together.ends[i].time, 1e-9 * apart.ends[i].time);
        }
    }
}

TEST(RateSharing, BytesAreConservedAndCapacityKept)
{
    std::mt19937 random(9);
    for (uint32_t round = 0; round < 60; ++round)
    {
        const FlowNetwork network = Copies(RandomNetwork(random, round % 2), 2);
        RunRecorder recorder;
        RandomTraffic traffic(network, round);
        if (round % 3 == 0)
        {
            traffic.Run<FifoSolver>(&recorder, 100);
        }
        else
        {
            traffic.Run<MaxMinSolver>(&recorder, 100);
        }
        EXPECT_GT(traffic.ends.size(), 1u);
        EXPECT_EQ(traffic.ends.size(), traffic.sizes.size());
        std::vector<double> expected(network.capacities.size(), 0);
        for (std::size_t i = 0; i < traffic.flows.size(); ++i)
        {
            for (const LinkId link : network.flows[traffic.flows[i]].forward)
            {
                expected[link] += traffic.sizes[i];
            }
        }
        std::vector<double> found(network.capacities.size(), 0);
        for (const auto& record : recorder.links)
        {
            found[record.link.endpoint.index] +=
                record.bytesPerSecond * (record.end - record.start);
            const double middle = 0.5 * (record.start + record.end);
            EXPECT_LE(record.bytesPerSecond,
                      traffic.GetCapacity(record.link.endpoint.index, middle) * (1 + 1e-9));
        }
        for (LinkId link = 0; link < expected.size(); ++link)
        {
            EXPECT_NEAR(found[link], expected[link], 1e-6) << "link " << link << ", " << round;
        }
    }
}

// A flow of its own way always has the same rate: 8 bytes at 4 bytes/s from 0, 4 bytes from 5 on,
// and 8 from 7 on, of which 4 are left at 8 when the link goes down to 2 bytes/s. Solved once, and
// again for that; then 4 more bytes from 20 on end at 22.
TEST(RateSharing, AFlowAloneIsSolvedOnce)
{
    FlowNetwork network;
    network.capacities = {4, 1};
    network.flows.resize(2);
    network.flows[0].forward = {0};
    network.flows[1].forward = {1};
    uint32_t solved = 0;
    RateSharing sharing(network, std::make_unique<CountingSolver>(network, solved), nullptr);
    sharing.Start(0, 8, 0, 0);
    EXPECT_EQ(sharing.GetNextEnd().time, 2);
    sharing.Finish();
    sharing.Start(0, 4, 1, 5);
    EXPECT_EQ(sharing.GetNextEnd().time, 6);
    sharing.Finish();
    sharing.Start(0, 8, 2, 7);
    EXPECT_EQ(sharing.GetNextEnd().time, 9);
    EXPECT_EQ(solved, 1u);
    sharing.SetCapacity(0, 2, 8);
    EXPECT_EQ(sharing.GetNextEnd().time, 10);
    EXPECT_EQ(solved, 2u);
    sharing.Finish();
    sharing.Start(0, 4, 3, 20);
    EXPECT_EQ(sharing.GetNextEnd().time, 22);
}

// The same where nothing is under way when the link changes: the solver learns of that end late.
TEST(RateSharing, AFlowAloneHearsOfItsLinkLater)
{
    FlowNetwork network;
    network.capacities = {4};
    network.flows.resize(1);
    network.flows[0].forward = {0};
    RateSharing sharing(network, std::make_unique<MaxMinSolver>(network), nullptr);
    sharing.Start(0, 8, 0, 0);
    EXPECT_EQ(sharing.GetNextEnd().time, 2);
    sharing.Finish();
    sharing.SetCapacity(0, 1, 3);
    sharing.Start(0, 4, 1, 5);
    EXPECT_EQ(sharing.GetNextEnd().time, 9);
    sharing.Finish();
    sharing.SetCapacity(0, 2, 10);
    sharing.SetCapacity(0, 8, 11);
    sharing.Start(0, 4, 2, 12);
    EXPECT_EQ(sharing.GetNextEnd().time, 12.5);
}
