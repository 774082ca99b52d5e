/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TREE_ALL_REDUCE_H
#define DML_TREE_ALL_REDUCE_H

#include "dml-collective-algorithm.h"

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief All-reduce on two binary trees, each for one half of the buffer.
 *
 * Sums go up from the leaves to the root, and the result goes down. What is a leaf in one tree has
 * children in the other, so that the load is shared. The halves are cut into chunks that follow
 * one another up and down the tree. A rank sends up to two buffers, in a number of rounds that
 * grows with log2 N.
 *
 * Source: Sanders, Speck and Traeff, Parallel Comput. 35 (2009); NCCL has such trees since 2.4.
 */
class TreeAllReduce : public CollectiveAlgorithm
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;

  private:
    uint32_t m_chunks{4}; //!< attribute
};

} // namespace ns3::dml

#endif /* DML_TREE_ALL_REDUCE_H */
