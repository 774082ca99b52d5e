/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_AGGREGATION_TREE_H
#define DML_AGGREGATION_TREE_H

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief Switches that can add up what workers send, and who sends to which of them.
 */
struct AggregationTree
{
    static constexpr uint32_t NO_PARENT = UINT32_MAX; //!< above the root there is none

    std::vector<uint32_t> switches; //!< number of each aggregator's node; the root is the first
    std::vector<uint32_t> parents;  //!< the aggregator above each, which has a smaller index
    std::vector<uint32_t> leaves;   //!< the aggregator to which each worker sends

    /// @return whether there is no aggregator
    bool IsEmpty() const
    {
        return switches.empty();
    }
};

/// @param workers number of workers @return all of them below one switch, whose node is 0
inline AggregationTree
MakeOneSwitchTree(uint32_t workers)
{
    return {{0}, {AggregationTree::NO_PARENT}, std::vector<uint32_t>(workers, 0)};
}

/**
 * @ingroup dml-collective
 * @brief Where the participants of a collective live.
 */
struct CollectivePlaces
{
    std::vector<uint32_t> racks; //!< workers, or ranks, in one rack have the same number
    AggregationTree tree;        //!< says which switches add up; it is empty if none does

    /// @param workers of each rank @return the same with ranks in place of workers
    CollectivePlaces OfRanks(const std::vector<uint32_t>& workers) const;
};

} // namespace ns3::dml

#endif /* DML_AGGREGATION_TREE_H */
