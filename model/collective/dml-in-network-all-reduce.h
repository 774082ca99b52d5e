/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_IN_NETWORK_ALL_REDUCE_H
#define DML_IN_NETWORK_ALL_REDUCE_H

#include "dml-collective-algorithm.h"

#include <map>

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief In-network aggregation: switches add up what comes from below, chunk by chunk, and send
 * the sum up; what the root has added up goes down the same tree.
 *
 * A buffer is cut into chunks. Each of a pool of slots has one of these under way: a worker sends
 * the next chunk of a slot when it has the result of the one before, so that the pool is what it
 * has in flight, and a switch needs no more memory than the pool for a job. A switch sends a chunk
 * on when the last of those below it has sent it.
 *
 * Source: the self-clocked pool of Sapio et al., "Scaling Distributed Machine Learning with
 * In-Network Aggregation" (SwitchML, NSDI 2021), section 4.2, and the levels of Lao et al., "ATP:
 * In-network Aggregation for Multi-tenant Learning" (NSDI 2021), section 3; both over connections
 * that lose nothing.
 */
class InNetworkAllReduce : public CollectiveAlgorithm
{
  public:
    static constexpr uint32_t DEFAULT_SLOTS = 16;    //!< of the pool
    static constexpr uint64_t DEFAULT_CHUNK = 65536; //!< bytes
    static constexpr uint32_t MOST_SLOTS = 4096;     //!< of the pool
    static constexpr uint64_t LEAST_CHUNK = 256;     //!< bytes

    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<const CollectiveAlgorithm> Choose(CollectiveOperation operation,
                                          uint64_t bytes,
                                          uint32_t ranks) const override;

    bool ChoosesBySize() const override
    {
        return true;
    }

    /// Where no tree is known, all ranks are below one switch.
    Ptr<const CollectiveAlgorithm> Place(const CollectivePlaces& places) const override;
    uint32_t CountAggregators(uint32_t ranks) const override;
    /// Of a buffer of one chunk, unless Choose() has made this one.
    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;

    /// @param bytes of a buffer @return chunks into which it is cut, at least 1
    uint64_t CountChunks(uint64_t bytes) const;

    std::string GetRoot() const override
    {
        return m_root;
    }

  private:
    /// @return the tree of these ranks
    AggregationTree GetTree(uint32_t ranks) const;

    uint32_t m_slots{DEFAULT_SLOTS}; //!< attribute
    uint64_t m_chunk{DEFAULT_CHUNK}; //!< attribute
    std::string m_root;              //!< attribute
    AggregationTree m_tree;          //!< by rank; empty: all are below one switch
    uint32_t m_parts{1};             //!< chunks of the buffer
    /// What has been chosen, by number of chunks.
    mutable std::map<uint64_t, Ptr<const CollectiveAlgorithm>> m_chosen;
};

} // namespace ns3::dml

#endif /* DML_IN_NETWORK_ALL_REDUCE_H */
