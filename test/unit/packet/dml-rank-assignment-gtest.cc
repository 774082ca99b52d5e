/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-error-of.h"

#include "ns3/dml-rank-assignment.h"
#include "ns3/dml-topology-builder.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dml;

namespace
{

/// A network and its split.
class Split
{
  public:
    Split(const NetworkSpec& spec, const JobSize& job, uint32_t ranks)
        : network(BuildNetwork(spec, {job})),
          assignment(network, ranks)
    {
    }

    /// @param name of a node @return its rank
    uint32_t RankOf(const std::string& name) const
    {
        for (uint32_t node = 0; node < network.GetNodes().size(); ++node)
        {
            if (network.GetNodes()[node].name == name)
            {
                return assignment.GetRank(node);
            }
        }
        ADD_FAILURE() << "no node " << name;
        return UINT32_MAX;
    }

    /// @return the names of the links between ranks
    std::vector<std::string> GetCrossed() const
    {
        std::vector<std::string> names;
        for (uint32_t link = 0; link < network.GetLinks().size(); ++link)
        {
            if (assignment.IsCrossed(network.GetLinks()[link]))
            {
                names.push_back(network.GetName(2 * link));
            }
        }
        return names;
    }

    ClusterNetwork network;    //!< that is split
    RankAssignment assignment; //!< its split
};

NetworkSpec
MakeSpec(const std::string& topology)
{
    NetworkSpec spec;
    spec.topology.type = topology;
    spec.delay = MicroSeconds(10);
    return spec;
}

} // namespace

TEST(RankAssignment, PutsServersOnRank0AndWorkersWithTheirSwitchOnRank1)
{
    // the switch has four neighbours on rank 1 and two on rank 0
    const Split split(MakeSpec("star"), {4, 2}, 2);
    EXPECT_EQ(split.assignment.GetRanks(), 2u);
    EXPECT_EQ(split.RankOf("ps0"), 0u);
    EXPECT_EQ(split.RankOf("ps1"), 0u);
    for (const char* name : {"worker0", "worker1", "worker2", "worker3", "switch"})
    {
        EXPECT_EQ(split.RankOf(name), 1u) << name;
    }
    EXPECT_EQ(split.GetCrossed().size(), 2u); // the servers' links
    EXPECT_EQ(split.assignment.GetLongestDelay(), MicroSeconds(10));
}

TEST(RankAssignment, DealsWorkersInGroupsOfNeighbours)
{
    // groups i * 2 / 5 = 0 0 0 1 1; the switch has three neighbours on rank 1, two on rank 2
    const Split split(MakeSpec("star"), {5, 1}, 3);
    EXPECT_EQ(split.RankOf("worker0"), 1u);
    EXPECT_EQ(split.RankOf("worker2"), 1u);
    EXPECT_EQ(split.RankOf("worker3"), 2u);
    EXPECT_EQ(split.RankOf("worker4"), 2u);
    EXPECT_EQ(split.RankOf("switch"), 1u);
}

TEST(RankAssignment, BreaksTiesTowardsTheSmallestRank)
{
    const Split split(MakeSpec("star"), {1, 1}, 2);
    EXPECT_EQ(split.RankOf("switch"), 0u);
    EXPECT_EQ(split.RankOf("worker0"), 1u);
}

TEST(RankAssignment, CutsADumbbellAtItsTrunk)
{
    const Split split(MakeSpec("dumbbell"), {3, 2}, 2);
    EXPECT_EQ(split.RankOf("left"), 0u);
    EXPECT_EQ(split.RankOf("right"), 1u);
    EXPECT_EQ(split.GetCrossed().size(), 1u);
}

TEST(RankAssignment, PlacesSwitchesWithoutHostsByTheirNeighbours)
{
    // leaf0 has ps0 and workers 1 and 3, leaf1 workers 0 and 2: both leaves have more on rank 1,
    // and so the spine comes there too, a round later
    NetworkSpec spec = MakeSpec("leaf-spine");
    spec.topology.leaves = 2;
    spec.topology.spines = 1;
    const Split split(spec, {4, 1}, 2);
    EXPECT_EQ(split.RankOf("leaf0"), 1u);
    EXPECT_EQ(split.RankOf("leaf1"), 1u);
    EXPECT_EQ(split.RankOf("spine0"), 1u);
}

TEST(RankAssignment, UsesNoMoreRanksThanHelp)
{
    EXPECT_EQ(Split(MakeSpec("star"), {2, 1}, 8).assignment.GetRanks(), 3u); // servers, 2 workers
    EXPECT_EQ(Split(MakeSpec("star"), {2, 1}, 1).assignment.GetRanks(), 1u);
    EXPECT_TRUE(Split(MakeSpec("star"), {2, 1}, 1).GetCrossed().empty());
}

TEST(RankAssignment, RefusesALinkWithoutDelayBetweenRanks)
{
    NetworkSpec spec = MakeSpec("star");
    spec.delay = Seconds(0);
    const std::string error = ErrorOf([&] { Split(spec, {2, 1}, 2); });
    EXPECT_NE(error.find("network.delay: found 0ns between"), std::string::npos) << error;
    EXPECT_NE(error.find("at least 2ns"), std::string::npos) << error;
    EXPECT_EQ(ErrorOf([&] { Split(spec, {2, 1}, 1); }), "no error"); // one process needs none
    spec.delay = NanoSeconds(2);
    EXPECT_EQ(ErrorOf([&] { Split(spec, {2, 1}, 2); }), "no error");
}
