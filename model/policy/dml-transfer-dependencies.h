/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_TRANSFER_DEPENDENCIES_H
#define DML_TRANSFER_DEPENDENCIES_H

#include "ns3/dml-profile.h"

#include <boost/dynamic_bitset.hpp>
#include <vector>

namespace ns3::dml
{

/// Some of a profile's pulls: bit i stands for TransferDependencies::GetPulls()[i].
using PullSet = boost::dynamic_bitset<uint64_t>;

/**
 * @ingroup dml-policy
 * @brief Which pulls each op of a step waits for, directly or through other ops.
 *
 * Source: TicTac (S. H. Hashemi et al., MLSys 2019), section 4.1, "communication dependency". Any
 * op may stand between a pull and what waits for it, pushes and updates included; but only ops on
 * the worker's devices are compute that an order of the pulls can hasten.
 */
class TransferDependencies
{
  public:
    /// All compute ops that wait for the same pulls.
    struct Group
    {
        PullSet pulls;     //!< what they wait for, at least one pull
        double seconds{0}; //!< their work: the shortest of each op's measured steps, summed
    };

    /// @param profile a valid profile
    explicit TransferDependencies(const Profile& profile);

    /// @return the pulls, in listing order
    const std::vector<OpIndex>& GetPulls() const
    {
        return m_pulls;
    }

    /// @return the compute ops that wait for pulls, grouped; in an order of no meaning, always the
    /// same for the same profile
    const std::vector<Group>& GetGroups() const
    {
        return m_groups;
    }

    /// @param pull index into GetPulls(); @return the pulls that must be over before it can start
    const PullSet& GetPredecessors(uint32_t pull) const
    {
        return m_predecessors[pull];
    }

    /**
     * @brief The order nearest to a wanted one in which no pull precedes another that it waits for
     * (which would block both for ever where the order is enforced): again and again the first pull
     * that can start.
     * @param wanted each index into GetPulls() once
     * @return the same indices
     */
    std::vector<uint32_t> RespectReadiness(std::vector<uint32_t> wanted) const;

  private:
    std::vector<OpIndex> m_pulls;        //!< in listing order
    std::vector<Group> m_groups;         //!< compute ops by what they wait for
    std::vector<PullSet> m_predecessors; //!< by pull
};

/**
 * @brief The time of a compute op without disturbance: the shortest of its measured steps (TicTac,
 * section 5, "time oracle").
 * @param profile a valid profile
 * @param op index of the op
 * @return seconds; 0 for transfers
 */
double GetShortestSeconds(const Profile& profile, OpIndex op);

} // namespace ns3::dml

#endif /* DML_TRANSFER_DEPENDENCIES_H */
