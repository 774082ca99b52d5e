/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-grouped-collective.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(GroupedCollective);

uint32_t
CollectiveGroups::CountMembers(CollectiveScope scope) const
{
    const uint32_t size = members.front().size();
    return scope == CollectiveScope::GROUP    ? size
           : scope == CollectiveScope::ACROSS ? members.size()
                                              : size * members.size();
}

CollectiveGroups
MakeCollectiveGroups(const std::vector<uint32_t>& groups, uint32_t ranks)
{
    std::map<uint32_t, std::vector<uint32_t>> byNumber;
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        byNumber[groups.empty() ? 0 : groups[rank]].push_back(rank);
    }
    CollectiveGroups result;
    for (auto& [number, members] : byNumber)
    {
        if (!result.members.empty() && members.size() != result.members.front().size())
        {
            throw InputError("groups of " + std::to_string(result.members.front().size()) +
                             " and of " + std::to_string(members.size()) +
                             " workers; accepted: as many workers in each");
        }
        result.members.push_back(std::move(members));
    }
    return result;
}

TypeId
GroupedCollective::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::GroupedCollective").SetParent<CollectiveAlgorithm>().SetGroupName("Dml");
    return tid;
}

GroupedCollective::GroupedCollective(Ptr<const CollectiveAlgorithm> algorithm,
                                     CollectiveGroups groups,
                                     CollectiveScope scope)
    : m_algorithm(std::move(algorithm)),
      m_groups(std::move(groups)),
      m_scope(scope)
{
}

std::vector<uint32_t>
GroupedCollective::ListTeam(uint32_t rank) const
{
    for (const auto& group : m_groups.members)
    {
        const auto found = std::find(group.begin(), group.end(), rank);
        if (found == group.end())
        {
            continue;
        }
        if (m_scope == CollectiveScope::GROUP)
        {
            return group;
        }
        std::vector<uint32_t> team;
        for (const auto& other : m_groups.members)
        {
            team.push_back(other[found - group.begin()]);
        }
        return team;
    }
    return {rank};
}

CollectiveProgram
GroupedCollective::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    return MakeOperation(CollectiveOperation::ALL_REDUCE, rank, ranks);
}

bool
GroupedCollective::HasShards() const
{
    return m_algorithm->HasShards();
}

CollectiveProgram
GroupedCollective::MakeOperation(CollectiveOperation operation,
                                 uint32_t rank,
                                 [[maybe_unused]] uint32_t ranks) const
{
    const std::vector<uint32_t> team = ListTeam(rank);
    const uint32_t own = std::find(team.begin(), team.end(), rank) - team.begin();
    CollectiveProgram program = m_algorithm->MakeOperation(operation, own, team.size());
    for (auto& lane : program.lanes)
    {
        for (auto& round : lane)
        {
            for (auto* moves : {&round.sends, &round.receives})
            {
                for (auto& move : *moves)
                {
                    move.peer = team[move.peer];
                }
            }
        }
    }
    return program;
}

} // namespace ns3::dml
