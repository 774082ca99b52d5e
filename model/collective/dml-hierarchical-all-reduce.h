/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HIERARCHICAL_ALL_REDUCE_H
#define DML_HIERARCHICAL_ALL_REDUCE_H

#include "dml-collective-algorithm.h"

#include <string>

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief All-reduce in groups, such as racks: between groups goes only what they have summed up.
 *
 * In each group a ring sums up a shard for each member; then the members with the same shard, one
 * of each group, run a ring of their own; then the shards go round in the groups. Of S bytes a
 * member of L groups of G sends 2 S (G-1)/G to its group and 2 (S/G) (L-1)/L to the next one. Where
 * groups differ there are as many shards as the smallest one has members; the others of a larger
 * group first give their buffers to these, and get the result in the end.
 *
 * Source: Horovod (HOROVOD_HIERARCHICAL_ALLREDUCE: NCCL's reduce-scatter, an all-reduce between
 * nodes for each shard, NCCL's all-gather); Cho et al., BlueConnect, MLSys 2019.
 */
class HierarchicalAllReduce : public CollectiveAlgorithm
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<const CollectiveAlgorithm> Place(const CollectivePlaces& places) const override;
    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;

    /// @param ranks number of ranks @return the ranks of each group
    std::vector<std::vector<uint32_t>> GetGroups(uint32_t ranks) const;

  private:
    uint32_t m_groupSize{0}; //!< attribute
    std::string m_groups;    //!< attribute
};

} // namespace ns3::dml

#endif /* DML_HIERARCHICAL_ALL_REDUCE_H */
