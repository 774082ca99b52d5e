/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GROUPED_COLLECTIVE_H
#define DML_GROUPED_COLLECTIVE_H

#include "dml-collective-algorithm.h"

#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/// Ranks in groups of equal size.
struct CollectiveGroups
{
    std::vector<std::vector<uint32_t>> members; //!< ranks of each group

    /// @param scope who takes part @return how many ranks do a collective together
    uint32_t CountMembers(CollectiveScope scope) const;
};

/**
 * @param groups number of the group of each rank; empty: all are one group
 * @param ranks number of ranks
 * @return the ranks of each group, in their order
 * @throws InputError if the groups have different sizes
 */
CollectiveGroups MakeCollectiveGroups(const std::vector<uint32_t>& groups, uint32_t ranks);

/**
 * @ingroup dml-collective
 * @brief A collective that some ranks do among themselves, while others do the same among theirs:
 * those of each group, or those that are at the same place of each group.
 *
 * Made by a plan, not by a scenario.
 */
class GroupedCollective : public CollectiveAlgorithm
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    GroupedCollective() = default;

    /**
     * @param algorithm what each team of ranks runs
     * @param groups the ranks
     * @param scope GROUP or ACROSS
     */
    GroupedCollective(Ptr<const CollectiveAlgorithm> algorithm,
                      CollectiveGroups groups,
                      CollectiveScope scope);

    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;
    bool HasShards() const override;
    CollectiveProgram MakeOperation(CollectiveOperation operation,
                                    uint32_t rank,
                                    uint32_t ranks) const override;

  private:
    /// @return those with whom a rank does it, in their order
    std::vector<uint32_t> ListTeam(uint32_t rank) const;

    Ptr<const CollectiveAlgorithm> m_algorithm;      //!< what each team runs
    CollectiveGroups m_groups;                       //!< the ranks
    CollectiveScope m_scope{CollectiveScope::GROUP}; //!< who does it together
};

} // namespace ns3::dml

#endif /* DML_GROUPED_COLLECTIVE_H */
