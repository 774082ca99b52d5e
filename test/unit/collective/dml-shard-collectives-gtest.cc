/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Reduce-scatter and all-gather, of all ranks and of groups.

#include "dml-collective-machine.h"

#include "ns3/dml-collective-algorithms.h"
#include "ns3/dml-collective-schedule.h"
#include "ns3/dml-error.h"
#include "ns3/dml-grouped-collective.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

constexpr CollectiveOperation SCATTER = CollectiveOperation::REDUCE_SCATTER;
constexpr CollectiveOperation GATHER = CollectiveOperation::ALL_GATHER;

Ptr<CollectiveAlgorithm>
MakeShardAlgorithm(const std::string& name, const PluginAttributes& attributes = {})
{
    return CollectiveAlgorithms().Create<CollectiveAlgorithm>({name, attributes});
}

/// Those that have shards, and the rounds that they take.
struct ShardCase
{
    Ptr<CollectiveAlgorithm> algorithm;
    bool halves; ///< log2 N rounds, else N - 1
};

std::vector<ShardCase>
ListShardCases()
{
    return {{MakeShardAlgorithm("ring"), false},
            {MakeShardAlgorithm("ns3::dml::RingAllReduce", {{"Segments", "3"}}), false},
            {MakeShardAlgorithm("halving-doubling"), true},
            {MakeShardAlgorithm("auto"), false}};
}

/// @return log2 of a number, rounded up
uint32_t
CeilLog(uint32_t number)
{
    uint32_t log = 0;
    while ((1U << log) < number)
    {
        ++log;
    }
    return log;
}

/// @return the rank that has the sum of each part; a part that none or several have is a failure
std::vector<uint32_t>
FindOwners(const std::vector<Buffer>& buffers, uint32_t ranks)
{
    std::vector<uint32_t> owners;
    for (uint32_t part = 0; part < buffers.front().size(); ++part)
    {
        uint32_t found = 0;
        for (uint32_t rank = 0; rank < buffers.size(); ++rank)
        {
            if (buffers[rank][part] == Sum(ranks, 1))
            {
                owners.resize(part + 1, rank);
                ++found;
            }
        }
        EXPECT_EQ(found, 1U) << "part " << part;
    }
    return owners;
}

} // namespace

/// Each rank sends and receives (N-1)/N of the buffer, whatever N, in N - 1 or log2 N rounds; what
/// a rank owns after a reduce-scatter is what an all-gather begins with.
TEST(ShardCollectives, ScatterSumsAndGatherShards)
{
    for (const auto& [algorithm, halves] : ListShardCases())
    {
        ASSERT_TRUE(algorithm->HasShards());
        for (uint32_t ranks = 1; ranks <= 21; ++ranks)
        {
            for (const uint32_t order : {1U, 23U, ranks + 1}) // 23: prime, no multiple of any
            {
                SCOPED_TRACE(algorithm->GetInstanceTypeId().GetName() + " of " +
                             std::to_string(ranks));
                Machine scatter(*algorithm, ranks, order, SCATTER);
                ASSERT_TRUE(scatter.Run()) << "it does not end";
                const auto owners = FindOwners(scatter.buffers, ranks);
                const uint64_t parts = scatter.buffers.front().size();
                ASSERT_EQ(owners.size(), parts);
                for (uint32_t rank = 0; rank < ranks; ++rank)
                {
                    EXPECT_EQ(std::count(owners.begin(), owners.end(), rank), parts / ranks);
                }
                Machine gather(*algorithm, ranks, order, GATHER, owners);
                ASSERT_TRUE(gather.Run()) << "it does not end";
                for (const auto& buffer : gather.buffers)
                {
                    for (const auto& part : buffer)
                    {
                        ASSERT_EQ(part, Sum(ranks, 1));
                    }
                }
                const std::vector<uint64_t> sent(ranks, parts - parts / ranks);
                EXPECT_EQ(scatter.sentParts, sent);
                EXPECT_EQ(gather.sentParts, sent);
                const uint32_t rounds = halves ? CeilLog(ranks) : ranks - 1;
                EXPECT_EQ(scatter.mostRounds, rounds);
                EXPECT_EQ(gather.mostRounds, rounds);
            }
        }
    }
}

TEST(ShardCollectives, SchedulesJoinBothEnds)
{
    for (const auto& [algorithm, halves] : ListShardCases())
    {
        for (const uint32_t ranks : {1U, 2U, 3U, 5U, 8U, 13U})
        {
            for (const auto operation : {SCATTER, GATHER})
            {
                SCOPED_TRACE(algorithm->GetInstanceTypeId().GetName() + " of " +
                             std::to_string(ranks));
                CollectivePeers peers = MakeCollectivePeers({algorithm}, ListWorkers(ranks));
                const CollectiveSchedule schedule(*algorithm, peers, operation);
                const auto to = peers.ByChannel(peers.send, false);
                constexpr uint64_t BYTES = 1000003; // a prime
                for (uint32_t own = 0; own < ranks; ++own)
                {
                    uint64_t sent = 0;
                    const auto& moves = schedule.Get(own).moves;
                    for (uint32_t i = 0; i < moves.size(); ++i)
                    {
                        if (!moves[i].sends)
                        {
                            continue;
                        }
                        const uint32_t peer = to[moves[i].channel][own];
                        const auto& other = schedule.Get(peer).moves.at(moves[i].counterpart);
                        EXPECT_EQ(other.counterpart, i);
                        EXPECT_EQ(schedule.GetBytes(own, moves[i], BYTES),
                                  schedule.GetBytes(peer, other, BYTES));
                        sent += schedule.GetBytes(own, moves[i], BYTES);
                    }
                    // all but a shard, whose size is rounded
                    EXPECT_NEAR(sent, BYTES - BYTES / double(ranks), 3) << own;
                }
            }
        }
    }
}

/// Ranks 0, 2, 4 are one group, 1, 3, 5 the other: shards are summed up in groups, and then by
/// those that are at the same place of each.
TEST(ShardCollectives, GroupsKeepToThemselves)
{
    const CollectiveGroups groups = MakeCollectiveGroups({7, 3, 7, 3, 7, 3}, 6);
    EXPECT_EQ(groups.members, (std::vector<std::vector<uint32_t>>{{1, 3, 5}, {0, 2, 4}}));
    EXPECT_EQ(groups.CountMembers(CollectiveScope::ALL), 6U);
    EXPECT_EQ(groups.CountMembers(CollectiveScope::GROUP), 3U);
    EXPECT_EQ(groups.CountMembers(CollectiveScope::ACROSS), 2U);
    for (const char* name : {"ring", "halving-doubling"})
    {
        SCOPED_TRACE(name);
        const auto within = CreateObject<GroupedCollective>(MakeShardAlgorithm(name),
                                                            groups,
                                                            CollectiveScope::GROUP);
        Machine scatter(*within, 6, 1, SCATTER);
        ASSERT_TRUE(scatter.Run());
        for (uint32_t part = 0; part < 3; ++part)
        {
            for (const uint32_t group : {0U, 1U})
            {
                const Sum sum{1 - group, group, 1 - group, group, 1 - group, group};
                uint32_t owners = 0;
                for (uint32_t rank = group; rank < 6; rank += 2)
                {
                    owners += scatter.buffers[rank][part] == sum ? 1 : 0;
                }
                EXPECT_EQ(owners, 1U) << part;
            }
        }
        const auto across = CreateObject<GroupedCollective>(MakeShardAlgorithm(name),
                                                            groups,
                                                            CollectiveScope::ACROSS);
        Machine reduce(*across, 6, 1);
        ASSERT_TRUE(reduce.Run());
        for (uint32_t rank = 0; rank < 6; ++rank)
        {
            Sum sum(6, 0);
            sum[rank / 2 * 2] = 1; // 0 and 1, 2 and 3, 4 and 5 are at the same places
            sum[rank / 2 * 2 + 1] = 1;
            EXPECT_EQ(reduce.buffers[rank].front(), sum) << rank;
        }
    }
    EXPECT_THROW(MakeCollectiveGroups({0, 0, 1}, 3), InputError);
}

/// Open MPI's limit of small buffers; hosts that are shared do not change shards.
TEST(ShardCollectives, AutoGoesBySize)
{
    const auto chooser = MakeShardAlgorithm("auto");
    const auto name = [&](uint64_t bytes) {
        return chooser->Choose(SCATTER, bytes, 4)->GetInstanceTypeId().GetName();
    };
    EXPECT_EQ(name(9999), "ns3::dml::HalvingDoublingAllReduce");
    EXPECT_EQ(name(10000), "ns3::dml::RingAllReduce");
    EXPECT_EQ(chooser->Choose(SCATTER, 9999, 4), chooser->Choose(GATHER, 1, 4)) << "one object";
}

TEST(ShardCollectives, OthersHaveNone)
{
    for (const char* name : {"recursive-doubling", "tree", "hierarchical", "in-network"})
    {
        const auto algorithm = MakeShardAlgorithm(name);
        EXPECT_FALSE(algorithm->HasShards()) << name;
        EXPECT_THROW(algorithm->MakeOperation(GATHER, 0, 2), InputError) << name;
    }
}
