/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RING_ALL_REDUCE_H
#define DML_RING_ALL_REDUCE_H

#include "dml-collective-algorithm.h"

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief Collectives on a ring: each rank sends to the next one only.
 *
 * The buffer has a chunk for each rank. In a reduce-scatter the sums grow along the ring in N - 1
 * rounds, and each rank ends with that of its own chunk. In an all-gather chunks go round in as
 * many. All-reduce is one after the other: a rank sends 2 (N-1)/N of the buffer in 2 (N-1) rounds.
 * With several segments a chunk's segments go round one behind the other, so that reducing one
 * overlaps with sending another.
 *
 * Source: Patarasuk and Yuan, J. Parallel Distrib. Comput. 69 (2009); segments as in Gloo
 * (gloo/allreduce.cc, which has two).
 */
class RingAllReduce : public CollectiveAlgorithm
{
  public:
    /// Most segments of a chunk.
    static constexpr uint32_t MOST_SEGMENTS = 64;

    /// @return the object TypeId
    static TypeId GetTypeId();

    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;

    bool HasShards() const override
    {
        return true;
    }

    CollectiveProgram MakeOperation(CollectiveOperation operation,
                                    uint32_t rank,
                                    uint32_t ranks) const override;
    bool IsSymmetric(uint32_t ranks) const override;

  private:
    /// Add a round for each other rank, in which chunks go to the next one: this rank begins with
    /// chunk @p first, and then sends what it received last.
    void Circulate(uint32_t rank,
                   uint32_t ranks,
                   uint32_t first,
                   bool reduces,
                   CollectiveProgram& program) const;

    uint32_t m_segments{1}; //!< attribute
};

} // namespace ns3::dml

#endif /* DML_RING_ALL_REDUCE_H */
