/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RANK_ASSIGNMENT_H
#define DML_RANK_ASSIGNMENT_H

#include "ns3/dml-cluster-network.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-packet
 * @brief Which process simulates which node, when one simulation is split over several (ranks).
 *
 * Rank 0 has the hosts of all parameter servers; the other ranks have the hosts of workers in
 * groups of neighbouring numbers, of equal size as far as possible. Every other node goes where
 * most of its neighbours are, the smallest rank if there are several: switches first, then hosts of
 * background flows.
 */
class RankAssignment
{
  public:
    /// Every node on rank 0: one process.
    RankAssignment() = default;

    /**
     * @param network to be split
     * @param ranks processes that may be used, at least 1; no more are used than one for the
     *        servers and one for each host with workers only
     * @throws NetworkError if a link between two ranks has a delay below SHORTEST_DELAY
     */
    RankAssignment(const ClusterNetwork& network, uint32_t ranks);

    /// @return processes in use, at least 1
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

    /// @param node index in the network @return its rank
    uint32_t GetRank(uint32_t node) const;

    /// @param link of the network @return whether its ends are on different ranks
    bool IsCrossed(const NetworkLink& link) const;

    /// @return the longest delay of a link between two ranks; zero if there is none
    Time GetLongestDelay() const
    {
        return m_longest;
    }

    /// A rank may run ahead of the others by the delay of the links to them, so there must be one;
    /// a nanosecond of it is needed to put arrivals in order.
    static constexpr int64_t SHORTEST_DELAY = 2; // ns

    /// By how much channels between ranks must be shorter than the links they stand for, ns: a
    /// packet that is here EARLY is then given its place in the order of events.
    static constexpr int64_t EARLY = 1;

  private:
    void PlaceHosts(const ClusterNetwork& network, uint32_t ranks);
    void PlaceOthers(const ClusterNetwork& network);
    uint32_t FindCommonRank(const ClusterNetwork& network, uint32_t node) const;
    void CheckDelays(const ClusterNetwork& network);

    uint32_t m_ranks{1};          //!< in use
    std::vector<uint32_t> m_rank; //!< by node; empty: all 0
    Time m_longest;               //!< delay of a link between ranks
};

} // namespace ns3::dml

#endif /* DML_RANK_ASSIGNMENT_H */
