/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_SCHEDULE_H
#define DML_COLLECTIVE_SCHEDULE_H

#include "dml-collective-algorithm.h"

#include "ns3/ptr.h"

#include <vector>

namespace ns3::dml
{

/// A move of a rank, ready to be run.
struct ScheduledMove
{
    bool sends{false};       //!< or receives
    bool reduces{false};     //!< of what is received: it is added
    uint32_t channel{0};     //!< place in CollectivePeers of the rank
    uint32_t counterpart{0}; //!< number of the move at the other end
    uint32_t round{0};       //!< of the rank, counted over its lanes
    uint32_t first{0};       //!< part with which it begins
    uint32_t count{1};       //!< parts in a row
};

/// A round of a rank: moves from `begin` to `end`, sends before receives.
struct ScheduledRound
{
    uint32_t begin{0};    //!< first move
    uint32_t end{0};      //!< one behind the last move
    uint32_t receives{0}; //!< how many of these receive
    uint32_t lane{0};     //!< index of the lane
    bool asksLate{false}; //!< see CollectiveRound
};

/// What a rank does: its moves and rounds are numbered over all lanes.
struct RankSchedule
{
    std::vector<ScheduledMove> moves;   //!< lane after lane, round after round
    std::vector<ScheduledRound> rounds; //!< likewise
    std::vector<uint32_t> lanes;        //!< first round of each, and one behind the last of all
};

/**
 * @ingroup dml-collective
 * @brief To whom, and from whom, ranks send in all algorithms that are used together: the place of
 * a peer is the number of the rank's channel to or from it.
 *
 * Participants are numbered: workers, then aggregators.
 */
struct CollectivePeers
{
    /// By rank; of symmetric algorithms, of rank 0.
    std::vector<std::vector<uint32_t>> send;
    std::vector<std::vector<uint32_t>> receive; //!< likewise
    std::vector<uint32_t> participants;         //!< by rank; those of aggregators are the last
    std::vector<uint32_t> rankOf;               //!< by participant; NO_INDEX: takes no part
    uint32_t aggregators{0};                    //!< number of aggregators
    bool symmetric{true};                       //!< whether rank 0 stands for all

    /// @return number of the workers' ranks
    uint32_t GetRanks() const
    {
        return participants.size() - aggregators;
    }

    /// @param lists send or receive @param aggregators whether those of aggregators, else of
    /// workers
    /// @return for each channel that one of these has: by participant, that at the other end;
    /// itself: nobody
    std::vector<std::vector<uint32_t>> ByChannel(const std::vector<std::vector<uint32_t>>& lists,
                                                 bool aggregators) const;
};

/**
 * @ingroup dml-collective
 * @brief The programs of all ranks with each send joined to its receive, numbered for executors.
 *
 * Kept once for all ranks where the algorithm is symmetric.
 */
class CollectiveSchedule
{
  public:
    /**
     * @param algorithm which one
     * @param peers of all ranks, to which those of the algorithm are added
     * @param operation one that the algorithm has
     * @throws InputError if a message has no receiver, or is not what that expects: a mistake in
     *         the algorithm
     */
    CollectiveSchedule(const CollectiveAlgorithm& algorithm,
                       CollectivePeers& peers,
                       CollectiveOperation operation = CollectiveOperation::ALL_REDUCE);

    /// @param participant number @return what its rank does; of a symmetric algorithm, what rank 0
    /// does
    const RankSchedule& Get(uint32_t participant) const
    {
        return m_schedules[m_symmetric ? 0 : m_rankOf[participant]];
    }

    /// @param participant number @return its rank
    uint32_t GetRank(uint32_t participant) const
    {
        return m_rankOf[participant];
    }

    /// @return most moves of a rank
    uint32_t GetMostMoves() const;

    /**
     * @param participant whose move it is
     * @param move one of Get(participant)
     * @param bytes of the buffer
     * @return bytes of the message
     */
    uint64_t GetBytes(uint32_t participant, const ScheduledMove& move, uint64_t bytes) const;

  private:
    void Join(uint32_t rank, const CollectivePeers& peers);

    uint32_t m_ranks;                      //!< number of the workers' ranks
    std::vector<uint32_t> m_rankOf;        //!< of each participant
    uint32_t m_parts{1};                   //!< of the buffer
    bool m_symmetric;                      //!< one schedule for all
    std::vector<RankSchedule> m_schedules; //!< by rank
};

/**
 * @param algorithms that are used together
 * @param workers which one each rank is
 * @param all number of workers that there are, with those that take no part; 0: as many as ranks;
 * the aggregators' numbers follow
 * @return peers of all ranks, without any yet
 */
CollectivePeers MakeCollectivePeers(const std::vector<Ptr<const CollectiveAlgorithm>>& algorithms,
                                    const std::vector<uint32_t>& workers,
                                    uint32_t all = 0);

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_SCHEDULE_H */
