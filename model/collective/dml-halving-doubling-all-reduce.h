/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_HALVING_DOUBLING_ALL_REDUCE_H
#define DML_HALVING_DOUBLING_ALL_REDUCE_H

#include "dml-collective-algorithm.h"

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief All-reduce by recursive halving and doubling: few rounds, as little sent as on a ring.
 *
 * Of a power of two of ranks, pairs at distance 1, 2, 4 ... swap halves of what they still sum up,
 * and then the sums in the opposite order: 2 log2 N rounds in which a rank sends 2 (N-1)/N of the
 * buffer. Of N = 2^k + r ranks, the first r odd ones first give their whole buffer to the even one
 * before them, and get the result from it in the end. Those that work in pairs meanwhile are ahead
 * of these until they meet: what they send is asked for only when its round begins.
 *
 * The halving alone is a reduce-scatter, the doubling an all-gather. Of other numbers than powers
 * of two, no rank gives its buffer away there: at distance d each rank sends min(d, N - d) shards
 * to one side and receives as many from the other, so that (N-1)/N of the buffer go in log2 N
 * rounds, rounded up.
 *
 * Source: Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19 (2005), sections
 * 4.1, 4.2 and 4.5; so do MPICH and Gloo. All-gather of any N: Bruck et al., IEEE Trans. Parallel
 * Distrib. Syst. 8 (1997); reduce-scatter, the same backwards: Traeff, arXiv:2410.14234 (2024).
 */
class HalvingDoublingAllReduce : public CollectiveAlgorithm
{
  public:
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
};

/**
 * @ingroup dml-collective
 * @brief All-reduce by recursive doubling: pairs at distance 1, 2, 4 ... swap their whole buffers.
 *
 * log2 N rounds, in each of which a rank sends all: for small buffers. Other numbers than powers of
 * two as in HalvingDoublingAllReduce.
 *
 * Source: Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19 (2005), section
 * 4.5.
 */
class RecursiveDoublingAllReduce : public CollectiveAlgorithm
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;
};

} // namespace ns3::dml

#endif /* DML_HALVING_DOUBLING_ALL_REDUCE_H */
