/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_OPERATION_H
#define DML_COLLECTIVE_OPERATION_H

#include <cstdint>

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief What ranks do together with a buffer of which each has a copy.
 *
 * A shard is the share of the buffer that one rank owns, the same one with both operations that
 * know shards. An all-reduce is a reduce-scatter and then an all-gather.
 */
enum class CollectiveOperation : uint8_t
{
    ALL_REDUCE,     //!< the sum of all buffers comes to all ranks
    REDUCE_SCATTER, //!< each rank gets its shard of that sum
    ALL_GATHER,     //!< each rank has its shard, and gets those of the others
};

/// Which ranks do that together, where ranks have groups of equal size.
enum class CollectiveScope : uint8_t
{
    ALL,    //!< all of them
    GROUP,  //!< the ranks of each group among themselves
    ACROSS, //!< the ranks at the same place of all groups among themselves
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_OPERATION_H */
