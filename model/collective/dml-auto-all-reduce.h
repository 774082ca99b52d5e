/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_AUTO_ALL_REDUCE_H
#define DML_AUTO_ALL_REDUCE_H

#include "dml-collective-algorithm.h"

#include <map>

namespace ns3::dml
{

/**
 * @ingroup dml-collective
 * @brief Chooses by size and number of ranks: recursive doubling for small buffers, else a ring,
 * whose chunks are cut into segments where they are large; where workers share hosts, in groups of
 * these instead of a ring.
 *
 * Source: the fixed rule of Open MPI (coll_tuned_decision_fixed.c): below 10000 bytes recursive
 * doubling, up to ranks times 1 MiB a ring, above a ring of segments of 1 MiB;
 * and its component han, which reduces within hosts first where these have several processes.
 * Reduce-scatters and all-gathers have the same limits, which are simpler than Open MPI's: small
 * ones go by halving or doubling, and large ones on a ring, also where workers share hosts.
 */
class AutoAllReduce : public CollectiveAlgorithm
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    Ptr<const CollectiveAlgorithm> Place(const CollectivePlaces& places) const override;
    Ptr<const CollectiveAlgorithm> Choose(CollectiveOperation operation,
                                          uint64_t bytes,
                                          uint32_t ranks) const override;

    bool ChoosesBySize() const override
    {
        return true;
    }

    /// As of the largest buffer.
    CollectiveProgram MakeProgram(uint32_t rank, uint32_t ranks) const override;

    bool HasShards() const override
    {
        return true;
    }

    /// As of the largest buffer.
    CollectiveProgram MakeOperation(CollectiveOperation operation,
                                    uint32_t rank,
                                    uint32_t ranks) const override;

  private:
    uint64_t m_small{10000};                  //!< attribute
    uint64_t m_segment{1048576};              //!< attribute
    bool m_sharedHosts{false};                //!< attribute
    Ptr<const CollectiveAlgorithm> m_grouped; //!< reduces large buffers; null: a ring does
    // what has been chosen, as one object for one choice
    mutable Ptr<const CollectiveAlgorithm> m_smallBuffers;              //!< all-reduces these
    mutable Ptr<const CollectiveAlgorithm> m_smallShards;               //!< the other operations
    mutable std::map<uint32_t, Ptr<const CollectiveAlgorithm>> m_rings; //!< by segments of each
};

} // namespace ns3::dml

#endif /* DML_AUTO_ALL_REDUCE_H */
