/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-machine.h"

#include "ns3/boolean.h"
#include "ns3/dml-auto-all-reduce.h"
#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-collective-schedule.h"
#include "ns3/dml-error.h"
#include "ns3/dml-hierarchical-all-reduce.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

Ptr<CollectiveAlgorithm>
Make(const std::string& name, const PluginAttributes& attributes = {})
{
    return CollectiveAlgorithms().Create<CollectiveAlgorithm>({name, attributes});
}

std::vector<Ptr<CollectiveAlgorithm>>
ListAll()
{
    std::vector<Ptr<CollectiveAlgorithm>> all;
    for (const auto& name : CollectiveAlgorithms().GetNames())
    {
        all.push_back(Make(name));
    }
    all.push_back(Make("ns3::dml::RingAllReduce", {{"Segments", "3"}}));
    all.push_back(Make("ns3::dml::TreeAllReduce", {{"Chunks", "1"}}));
    for (const uint64_t bytes : {1U, 1000U, 7000U}) // of 1, 1 and 7 chunks
    {
        all.push_back(ConstCast<CollectiveAlgorithm>(
            Make("ns3::dml::InNetworkAllReduce", {{"Chunk", "1000"}, {"Slots", "3"}})
                ->Choose(CollectiveOperation::ALL_REDUCE, bytes, 2)));
    }
    for (const char* size : {"1", "2", "3", "7", "100"})
    {
        all.push_back(Make("ns3::dml::HierarchicalAllReduce", {{"GroupSize", size}}));
    }
    return all;
}

/// Rank 0 sends a part that rank 1 does not expect.
class WrongAlgorithm : public CollectiveAlgorithm
{
  public:
    CollectiveProgram MakeProgram(uint32_t rank, uint32_t) const override
    {
        return {2,
                {{rank == 0 ? CollectiveRound{{{1, 0, 1}}, {}}
                            : CollectiveRound{{}, {{0, 1, 1, true}}}}}};
    }
};

} // namespace

TEST(Collective, EachRankGetsTheSumOfAll)
{
    for (const auto& algorithm : ListAll())
    {
        for (uint32_t ranks = 1; ranks <= 21; ++ranks)
        {
            const uint32_t all = ranks + algorithm->CountAggregators(ranks);
            for (const uint32_t order : {1U, 23U, all + 1}) // 23: prime, no multiple of any
            {
                SCOPED_TRACE(algorithm->GetInstanceTypeId().GetName() + " of " +
                             std::to_string(ranks));
                Machine machine(*algorithm, ranks, order);
                ASSERT_TRUE(machine.Run()) << "it does not end";
                for (const auto& buffer : machine.buffers)
                {
                    for (const auto& part : buffer)
                    {
                        ASSERT_EQ(part, Sum(ranks, 1));
                    }
                }
            }
        }
    }
}

TEST(Collective, GroupsMayBeOfAnySize)
{
    const auto algorithm =
        Make("ns3::dml::HierarchicalAllReduce", {{"Groups", "7 7 2 2 2 9 9 2 7 9 9"}});
    const auto groups = DynamicCast<HierarchicalAllReduce>(algorithm)->GetGroups(11);
    EXPECT_EQ(groups, (std::vector<std::vector<uint32_t>>{{2, 3, 4, 7}, {0, 1, 8}, {5, 6, 9, 10}}));
    Machine machine(*algorithm, 11, 1);
    ASSERT_TRUE(machine.Run());
    for (const auto& buffer : machine.buffers)
    {
        for (const auto& part : buffer)
        {
            ASSERT_EQ(part, Sum(11, 1));
        }
    }
}

/// Thakur, Rabenseifner and Gropp 2005, table 1 and section 4.5; Patarasuk and Yuan 2009.
TEST(Collective, SendsAndRoundsAreThoseOfTheLiterature)
{
    for (const uint32_t ranks : {2U, 4U, 8U, 16U})
    {
        SCOPED_TRACE(ranks);
        const uint32_t log = std::lround(std::log2(ranks));
        for (const char* name : {"ring", "halving-doubling"})
        {
            const auto algorithm = Make(name);
            Machine machine(*algorithm, ranks, 1);
            ASSERT_TRUE(machine.Run());
            const uint32_t parts = algorithm->MakeProgram(0, ranks).parts;
            EXPECT_EQ(parts, ranks);
            for (const uint64_t sent : machine.sentParts)
            {
                EXPECT_EQ(sent, 2 * (ranks - 1)) << name; // of `ranks` parts
            }
            EXPECT_EQ(machine.mostRounds, std::string(name) == "ring" ? 2 * (ranks - 1) : 2 * log);
        }
        Machine doubling(*Make("recursive-doubling"), ranks, 1);
        ASSERT_TRUE(doubling.Run());
        EXPECT_EQ(doubling.sentParts, std::vector<uint64_t>(ranks, log)); // of one part
        EXPECT_EQ(doubling.mostRounds, log);
    }
}

/// Two trees: nobody is inner node in both, so that each rank sends at most two buffers.
TEST(Collective, TreesShareTheLoad)
{
    for (uint32_t ranks = 2; ranks <= 40; ++ranks)
    {
        SCOPED_TRACE(ranks);
        const auto tree = Make("ns3::dml::TreeAllReduce", {{"Chunks", "1"}});
        uint64_t sent = 0;
        for (uint32_t rank = 0; rank < ranks; ++rank)
        {
            uint64_t own = 0;
            for (const auto& lane : tree->MakeProgram(rank, ranks).lanes)
            {
                for (const auto& round : lane)
                {
                    own += round.sends.size();
                }
            }
            EXPECT_LE(own, 2 * 2U) << rank; // halves
            sent += own;
        }
        EXPECT_EQ(sent, 2 * 2 * (ranks - 1)); // each edge of each tree, up and down
    }
}

TEST(Collective, ScheduleJoinsBothEndsOfAMessage)
{
    for (const auto& algorithm : ListAll())
    {
        for (const uint32_t ranks : {1U, 2U, 3U, 5U, 8U, 13U})
        {
            SCOPED_TRACE(algorithm->GetInstanceTypeId().GetName() + " of " + std::to_string(ranks));
            std::vector<uint32_t> workers = ListWorkers(ranks);
            std::rotate(workers.begin(), workers.begin() + ranks / 3, workers.end());
            std::reverse(workers.begin(), workers.begin() + ranks / 2);
            CollectivePeers peers = MakeCollectivePeers({algorithm}, workers);
            const CollectiveSchedule schedule(*algorithm, peers);
            // channels of workers, and of aggregators
            const std::array to{peers.ByChannel(peers.send, false),
                                peers.ByChannel(peers.send, true)};
            const std::array from{peers.ByChannel(peers.receive, false),
                                  peers.ByChannel(peers.receive, true)};
            constexpr uint64_t BYTES = 1000003; // a prime
            for (uint32_t own = 0; own < ranks + peers.aggregators; ++own)
            {
                const auto& moves = schedule.Get(own).moves;
                for (uint32_t i = 0; i < moves.size(); ++i)
                {
                    const auto& move = moves[i];
                    const uint32_t peer = (move.sends ? to : from)[own >= ranks][move.channel][own];
                    ASSERT_NE(peer, own);
                    const auto& other = schedule.Get(peer).moves.at(move.counterpart);
                    EXPECT_EQ(other.counterpart, i);
                    EXPECT_NE(other.sends, move.sends);
                    EXPECT_EQ((other.sends ? to : from)[peer >= ranks][other.channel][peer], own);
                    EXPECT_EQ(schedule.GetBytes(own, move, BYTES),
                              schedule.GetBytes(peer, other, BYTES));
                }
            }
        }
    }
}

/// Of any number of bytes, however few, nothing is lost by rounding.
TEST(Collective, PartsMakeUpTheBuffer)
{
    const auto ring = Make("ring");
    for (const uint32_t ranks : {2U, 3U, 7U, 64U})
    {
        CollectivePeers peers = MakeCollectivePeers({ring}, ListWorkers(ranks));
        EXPECT_TRUE(peers.symmetric);
        const CollectiveSchedule schedule(*ring, peers);
        for (const uint64_t bytes : {0UL, 1UL, 6UL, 1000003UL, 1UL << 40})
        {
            for (uint32_t rank = 0; rank < ranks; ++rank)
            {
                uint64_t sent = 0;
                uint64_t most = 0;
                for (const auto& move : schedule.Get(rank).moves)
                {
                    if (move.sends)
                    {
                        const uint64_t part = schedule.GetBytes(rank, move, bytes);
                        EXPECT_LE(part, bytes / ranks + 1);
                        EXPECT_GE(part, bytes / ranks);
                        sent += part;
                        most = std::max(most, part);
                    }
                }
                // two rounds around the ring, but for one part each
                EXPECT_GE(sent + 2 * most, 2 * bytes);
                EXPECT_LE(sent, 2 * bytes);
            }
        }
    }
}

/// coll_tuned_decision_fixed.c of Open MPI, as the docstring tells it.
TEST(Collective, AutoGoesBySizeAndRanks)
{
    const auto chooser = Make("auto");
    const auto choose = [&](uint64_t bytes, uint32_t ranks) {
        const auto algorithm = chooser->Choose(CollectiveOperation::ALL_REDUCE, bytes, ranks);
        EXPECT_EQ(algorithm, chooser->Choose(CollectiveOperation::ALL_REDUCE, bytes, ranks))
            << "one object for one choice";
        UintegerValue segments;
        return algorithm->GetAttributeFailSafe("Segments", segments) ? segments.Get() : 0;
    };
    EXPECT_EQ(choose(9999, 4), 0U); // recursive doubling
    EXPECT_EQ(choose(10000, 4), 1U);
    EXPECT_EQ(choose(4 * 1048576, 4), 1U);
    EXPECT_EQ(choose(4 * 1048576 + 1, 4), 2U);
    EXPECT_EQ(choose(26214400, 4), 7U);
    EXPECT_EQ(choose(26214400, 25), 1U);
    EXPECT_EQ(choose(uint64_t{1} << 60, 2), 64U);
    const auto ring = Make("ring");
    EXPECT_EQ(ring->Choose(CollectiveOperation::ALL_REDUCE, 1, 2), ring);
}

TEST(Collective, AutoGoesByHostsWhereTheseAreShared)
{
    const auto chooser = Make("auto");
    const auto name = [](const Ptr<const CollectiveAlgorithm>& algorithm, uint64_t bytes) {
        return algorithm->Choose(CollectiveOperation::ALL_REDUCE, bytes, 4)
            ->GetInstanceTypeId()
            .GetName();
    };
    EXPECT_EQ(name(chooser->Place({{0, 0, 1, 1}, {}}), 10000), "ns3::dml::RingAllReduce");
    const auto shared =
        CreateObjectWithAttributes<AutoAllReduce>("SharedHosts", BooleanValue(true));
    EXPECT_EQ(name(shared->Place({{0, 0, 1, 1}, {}}), 10000), "ns3::dml::HierarchicalAllReduce");
    EXPECT_EQ(name(shared->Place({{0, 0, 1, 1}, {}}), 9999),
              "ns3::dml::RecursiveDoublingAllReduce");
    EXPECT_EQ(name(shared->Place({{0, 0, 0, 0}, {}}), 10000),
              "ns3::dml::RingAllReduce"); // one host
}

TEST(Collective, WrongAlgorithmIsRefused)
{
    const auto wrong = CreateObject<WrongAlgorithm>();
    CollectivePeers peers = MakeCollectivePeers({wrong}, {0, 1});
    EXPECT_THROW(CollectiveSchedule(*wrong, peers), InputError);
}
