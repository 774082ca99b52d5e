/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-hierarchical-all-reduce.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(HierarchicalAllReduce);

namespace
{

/// Members of a group where nothing says so.
constexpr uint32_t GROUP_SIZE = 4;

} // namespace

TypeId
HierarchicalAllReduce::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::HierarchicalAllReduce")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("Dml")
            .AddConstructor<HierarchicalAllReduce>()
            .AddAttribute("GroupSize",
                          "Most members of a group, where Groups says nothing: as few groups of "
                          "ranks in a row as are needed, whose sizes differ by one at most. 0: a "
                          "group for each rack, and 4 where all ranks are in one rack.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&HierarchicalAllReduce::m_groupSize),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Groups",
                          "Number of the group of each rank, with spaces between them.",
                          StringValue(""),
                          MakeStringAccessor(&HierarchicalAllReduce::m_groups),
                          MakeStringChecker());
    return tid;
}

std::vector<std::vector<uint32_t>>
HierarchicalAllReduce::GetGroups(uint32_t ranks) const
{
    std::map<uint32_t, std::vector<uint32_t>> byNumber;
    std::istringstream text(m_groups);
    const uint32_t size = m_groupSize > 0 ? m_groupSize : GROUP_SIZE;
    const uint32_t count = (ranks + size - 1) / size;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        uint32_t group = static_cast<uint64_t>(rank) * count / ranks;
        text >> group; // leaves it where there is none
        byNumber[group].push_back(rank);
    }
    std::vector<std::vector<uint32_t>> groups;
    for (auto& [number, members] : byNumber)
    {
        groups.push_back(std::move(members));
    }
    return groups;
}

Ptr<const CollectiveAlgorithm>
HierarchicalAllReduce::Place(const CollectivePlaces& places) const
{
    const std::vector<uint32_t>& racks = places.racks;
    const bool several = std::any_of(racks.begin(), racks.end(), [&racks](uint32_t rack) {
        return rack != racks.front();
    });
    if (m_groupSize > 0 || !m_groups.empty() || !several)
    {
        return this;
    }
    auto placed = CreateObject<HierarchicalAllReduce>();
    for (const uint32_t rack : racks)
    {
        placed->m_groups += std::to_string(rack) + ' ';
    }
    return placed;
}

CollectiveProgram
HierarchicalAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    const auto groups = GetGroups(ranks);
    const uint32_t rings = groups.size(); // length of the rings between groups
    uint32_t group = 0;
    uint32_t member = 0;
    uint32_t shards = ranks;
    for (uint32_t i = 0; i < groups.size(); ++i)
    {
        shards = std::min<uint32_t>(shards, groups[i].size());
        const auto found = std::find(groups[i].begin(), groups[i].end(), rank);
        if (found != groups[i].end())
        {
            group = i;
            member = found - groups[i].begin();
        }
    }
    const auto& own = groups[group];
    const uint32_t parts = shards * rings;
    std::vector<CollectiveRound> lane;
    if (member >= shards)
    {
        const uint32_t peer = own[member % shards];
        lane.push_back({{{peer, 0, parts}}, {{peer, 0, parts, false}}});
        return {parts, {lane}};
    }
    CollectiveRound fold;
    CollectiveRound unfold;
    for (uint32_t other = member + shards; other < own.size(); other += shards)
    {
        fold.receives.push_back({own[other], 0, parts, true});
        unfold.sends.push_back({own[other], 0, parts});
    }
    lane.push_back(fold);
    const uint32_t next = own[(member + 1) % shards];
    const uint32_t previous = own[(member + shards - 1) % shards];
    const auto shift = [&](uint32_t sent, bool reduces) {
        sent %= shards;
        const uint32_t received = (sent + shards - 1) % shards;
        lane.push_back(
            {{{next, sent * rings, rings}}, {{previous, received * rings, rings, reduces}}});
    };
    for (uint32_t round = 0; round + 1 < shards; ++round)
    {
        shift(member + shards - round, true);
    }
    const uint32_t shard = (member + 1) % shards; // whose sum this member has now
    const uint32_t across = groups[(group + 1) % rings][member];
    const uint32_t from = groups[(group + rings - 1) % rings][member];
    for (uint32_t round = 0; round < 2 * (rings - 1); ++round)
    {
        const uint32_t sent = (group + 2 * rings - round) % rings;
        const uint32_t received = (sent + rings - 1) % rings;
        lane.push_back({{{across, shard * rings + sent, 1}},
                        {{from, shard * rings + received, 1, round < rings - 1}}});
    }
    for (uint32_t round = 0; round + 1 < shards; ++round)
    {
        shift(member + 1 + shards - round, false);
    }
    lane.push_back(unfold);
    lane.erase(std::remove_if(lane.begin(),
                              lane.end(),
                              [](const CollectiveRound& round) {
                                  return round.sends.empty() && round.receives.empty();
                              }),
               lane.end());
    return {parts, {lane}};
}

} // namespace ns3::dml
