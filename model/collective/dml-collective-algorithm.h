/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_ALGORITHM_H
#define DML_COLLECTIVE_ALGORITHM_H

#include "dml-aggregation-tree.h"
#include "dml-collective-operation.h"

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// One message of a collective, as one of its two ends sees it.
struct CollectiveMove
{
    uint32_t peer{0};    //!< rank of the other end
    uint32_t first{0};   //!< part of the buffer with which it begins
    uint32_t count{1};   //!< parts in a row; after the last part comes the first
    bool reduces{false}; //!< of what is received: added to the own part, else put in its place
};

/// What a rank does at the same time. All that it receives has come, and has been added, before the
/// next round of the lane begins; what it sends may take longer.
struct CollectiveRound
{
    std::vector<CollectiveMove> sends;    //!< in the order in which they start
    std::vector<CollectiveMove> receives; //!< in any order
    /// Whether it asks for what it receives when it begins, and not one round ahead: where senders
    /// may be ahead, what they sent early would take bandwidth from what comes now.
    bool asksLate{false};
};

/**
 * @ingroup dml-collective
 * @brief What one rank does in a collective: lanes of rounds.
 *
 * Lanes do not wait for each other. What a rank sends to another in a lane is received in the
 * order in which it is sent.
 */
struct CollectiveProgram
{
    uint32_t parts{1};                               //!< of nearly equal size, in the buffer
    std::vector<std::vector<CollectiveRound>> lanes; //!< rounds of each
};

/**
 * @ingroup dml-collective
 * @brief How the sum of the buffers of all ranks comes to all of them, or shard by shard to each.
 *
 * Any number of ranks from 1 is possible. Switches may take part as aggregators, whose ranks follow
 * those of the workers: they have no buffer of their own to add, and nobody waits for their result
 * but those to whom they send. Derived classes register a TypeId.
 */
class CollectiveAlgorithm : public Object
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    /**
     * @brief Which algorithm to use for a buffer.
     * @param operation one that it has
     * @param bytes of the buffer
     * @param ranks number of ranks, at least 1
     * @return this one, unless it chooses among others
     */
    virtual Ptr<const CollectiveAlgorithm> Choose(CollectiveOperation operation,
                                                  uint64_t bytes,
                                                  uint32_t ranks) const;

    /// @return whether Choose() depends on the size of a buffer
    virtual bool ChoosesBySize() const;

    /**
     * @brief Where the ranks live, which matters to an algorithm with groups or aggregators.
     * @param places racks of all ranks, and the switches that can add up
     * @return this one, unless it makes of itself what suits these places
     */
    virtual Ptr<const CollectiveAlgorithm> Place(const CollectivePlaces& places) const;

    /// @return name of the switch where the tree of aggregators has its root; empty: of any, which
    /// is the default
    virtual std::string GetRoot() const;

    /**
     * @param ranks number of the workers' ranks, at least 1
     * @return number of aggregators: ranks that follow these; by default there is none
     */
    virtual uint32_t CountAggregators(uint32_t ranks) const;

    /**
     * @param rank of a worker, below @p ranks, or of an aggregator: @p ranks and its index
     * @param ranks number of the workers' ranks, at least 1
     * @return what the rank does in an all-reduce; without rounds for a single worker
     */
    virtual CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const = 0;

    /// @return whether it has a reduce-scatter and an all-gather, as sharded jobs need them; by
    /// default not
    virtual bool HasShards() const;

    /**
     * @brief What a rank does in any operation.
     *
     * By default that is MakeProgram() for an all-reduce, and an error for the others. Who
     * overrides it gives each rank the same shard in a reduce-scatter as in an all-gather; shards
     * are of as many parts, so that their sizes differ by the bytes that parts do.
     * @param operation one that it has
     * @param rank as in MakeProgram()
     * @param ranks number of the workers' ranks, at least 1
     * @return what the rank does; without rounds for a single worker
     * @throws InputError if it does not have the operation
     */
    virtual CollectiveProgram MakeOperation(CollectiveOperation operation,
                                            uint32_t rank,
                                            uint32_t ranks) const;

    /**
     * @param ranks number of ranks, at least 1
     * @return whether there are no aggregators, and all ranks do the same in all operations that
     *         it has: rank r does what rank 0 does, with all peers r places further, and all parts
     *         r times parts / ranks. Then memory does not grow with the square of their number.
     */
    virtual bool IsSymmetric(uint32_t ranks) const;
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_ALGORITHM_H */
