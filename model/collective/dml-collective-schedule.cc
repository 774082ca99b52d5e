/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-schedule.h"

#include "ns3/dml-error.h"
#include "ns3/dml-op.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace ns3::dml
{

namespace
{

/// @return place of @p peer in @p peers, to which it is added if it is new
uint32_t
FindChannel(std::vector<uint32_t>& peers, uint32_t peer)
{
    const auto found = std::find(peers.begin(), peers.end(), peer);
    if (found != peers.end())
    {
        return found - peers.begin();
    }
    peers.push_back(peer);
    return peers.size() - 1;
}

RankSchedule
Flatten(const CollectiveProgram& program,
        std::vector<uint32_t>& sendPeers,
        std::vector<uint32_t>& receivePeers)
{
    RankSchedule schedule;
    for (const auto& lane : program.lanes)
    {
        const auto number = static_cast<uint32_t>(schedule.lanes.size());
        schedule.lanes.push_back(schedule.rounds.size());
        for (const auto& round : lane)
        {
            const auto index = static_cast<uint32_t>(schedule.rounds.size());
            const auto begin = static_cast<uint32_t>(schedule.moves.size());
            for (const auto& move : round.sends)
            {
                const uint32_t channel = FindChannel(sendPeers, move.peer);
                schedule.moves.push_back({true, false, channel, 0, index, move.first, move.count});
            }
            for (const auto& move : round.receives)
            {
                const uint32_t channel = FindChannel(receivePeers, move.peer);
                schedule.moves.push_back(
                    {false, move.reduces, channel, 0, index, move.first, move.count});
            }
            schedule.rounds.push_back({begin,
                                       static_cast<uint32_t>(schedule.moves.size()),
                                       static_cast<uint32_t>(round.receives.size()),
                                       number,
                                       round.asksLate});
        }
    }
    schedule.lanes.push_back(schedule.rounds.size());
    return schedule;
}

/// @return the first move of a lane; of one behind the last: the number of moves
uint32_t
GetFirstMove(const RankSchedule& schedule, uint32_t lane)
{
    const uint32_t round = schedule.lanes[lane];
    return round < schedule.rounds.size() ? schedule.rounds[round].begin : schedule.moves.size();
}

} // namespace

CollectiveSchedule::CollectiveSchedule(const CollectiveAlgorithm& algorithm,
                                       CollectivePeers& peers,
                                       CollectiveOperation operation)
    : m_ranks(peers.GetRanks()),
      m_rankOf(peers.rankOf),
      m_symmetric(peers.symmetric)
{
    for (uint32_t rank = 0; rank < peers.send.size(); ++rank)
    {
        const CollectiveProgram program = algorithm.MakeOperation(operation, rank, m_ranks);
        m_parts = program.parts;
        m_schedules.push_back(Flatten(program, peers.send[rank], peers.receive[rank]));
    }
    std::size_t sends = 0;
    std::size_t moves = 0;
    for (uint32_t rank = 0; rank < m_schedules.size(); ++rank)
    {
        const auto& own = m_schedules[rank].moves;
        moves += own.size();
        sends += std::count_if(own.begin(), own.end(), [](const auto& move) { return move.sends; });
        Join(rank, peers);
    }
    if (moves != 2 * sends)
    {
        throw InputError("collective algorithm: found " + std::to_string(sends) +
                         " messages sent and " + std::to_string(moves - sends) +
                         " received; accepted: as many");
    }
}

void
CollectiveSchedule::Join(uint32_t rank, const CollectivePeers& peers)
{
    // what the peers receive from this rank, in their order, by peer and lane
    RankSchedule& own = m_schedules[rank];
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> wanted;
    std::map<std::pair<uint32_t, uint32_t>, std::size_t> next;
    const auto refuse = [rank](uint32_t move, uint32_t peer) {
        throw InputError("collective algorithm: move " + std::to_string(move) + " of rank " +
                         std::to_string(rank) + " sends to rank " + std::to_string(peer) +
                         " what it does not receive there; accepted: algorithms in which each "
                         "message has a receiver that takes the same parts in the same order");
    };
    for (uint32_t i = 0; i < own.moves.size(); ++i)
    {
        ScheduledMove& move = own.moves[i];
        if (!move.sends)
        {
            continue;
        }
        const uint32_t peer = peers.send[rank][move.channel];
        const uint32_t lane = own.rounds[move.round].lane;
        const uint32_t stored = m_symmetric ? 0 : peer;
        RankSchedule& other = m_schedules[stored];
        // as seen from rank 0, whose schedule stands for that of all
        const uint32_t sender = m_symmetric ? (m_ranks - peer) % m_ranks : rank;
        auto& list = wanted[{peer, lane}];
        if (list.empty() && lane + 1 < other.lanes.size())
        {
            const uint32_t end = GetFirstMove(other, lane + 1);
            for (uint32_t m = GetFirstMove(other, lane); m < end; ++m)
            {
                const ScheduledMove& receive = other.moves[m];
                if (!receive.sends && peers.receive[stored][receive.channel] == sender)
                {
                    list.push_back(m);
                }
            }
        }
        const std::size_t place = next[{peer, lane}]++;
        if (place >= list.size())
        {
            refuse(i, peer);
        }
        ScheduledMove& receive = other.moves[list[place]];
        const uint32_t shift = m_symmetric ? peer * (m_parts / m_ranks) : 0;
        if ((receive.first + shift) % m_parts != move.first || receive.count != move.count)
        {
            refuse(i, peer);
        }
        move.counterpart = list[place];
        receive.counterpart = i;
    }
}

uint32_t
CollectiveSchedule::GetMostMoves() const
{
    std::size_t most = 0;
    for (const auto& schedule : m_schedules)
    {
        most = std::max(most, schedule.moves.size());
    }
    return most;
}

uint64_t
CollectiveSchedule::GetBytes(uint32_t participant, const ScheduledMove& move, uint64_t bytes) const
{
    const uint32_t shift = m_symmetric ? m_rankOf[participant] * (m_parts / m_ranks) : 0;
    const uint64_t first = (move.first + shift) % m_parts;
    // sizes of parts differ by one byte at most
    const auto begin = [&](uint64_t part) {
        return part * (bytes / m_parts) + part * (bytes % m_parts) / m_parts;
    };
    const uint64_t end = first + move.count;
    return end <= m_parts ? begin(end) - begin(first) : bytes - begin(first) + begin(end - m_parts);
}

std::vector<std::vector<uint32_t>>
CollectivePeers::ByChannel(const std::vector<std::vector<uint32_t>>& lists, bool aggregators) const
{
    const uint32_t ranks = GetRanks();
    const auto begin = lists.begin() + (aggregators ? ranks : 0);
    const auto end = aggregators || symmetric ? lists.end() : lists.begin() + ranks;
    std::size_t channels = 0;
    for (auto list = begin; list < end; ++list)
    {
        channels = std::max(channels, list->size());
    }
    std::vector<std::vector<uint32_t>> result(channels);
    for (std::size_t channel = 0; channel < channels; ++channel)
    {
        for (uint32_t participant = 0; participant < rankOf.size(); ++participant)
        {
            const uint32_t rank = rankOf[participant];
            if (rank == NO_INDEX || (rank >= ranks) != aggregators)
            {
                result[channel].push_back(participant);
                continue;
            }
            const auto& list = lists[symmetric ? 0 : rank];
            const uint32_t peer = channel >= list.size() ? rank
                                  : symmetric            ? (list[channel] + rank) % ranks
                                                         : list[channel];
            result[channel].push_back(participants[peer]);
        }
    }
    return result;
}

CollectivePeers
MakeCollectivePeers(const std::vector<Ptr<const CollectiveAlgorithm>>& algorithms,
                    const std::vector<uint32_t>& workers,
                    uint32_t all)
{
    CollectivePeers peers;
    const uint32_t ranks = workers.size();
    const uint32_t first = std::max(all, ranks); // aggregator
    peers.participants = workers;
    for (const auto& algorithm : algorithms)
    {
        peers.symmetric = peers.symmetric && algorithm->IsSymmetric(ranks);
        peers.aggregators = std::max(peers.aggregators, algorithm->CountAggregators(ranks));
    }
    for (uint32_t aggregator = 0; aggregator < peers.aggregators; ++aggregator)
    {
        peers.participants.push_back(first + aggregator);
    }
    peers.rankOf.assign(first + peers.aggregators, NO_INDEX);
    for (uint32_t rank = 0; rank < peers.participants.size(); ++rank)
    {
        peers.rankOf[peers.participants[rank]] = rank;
    }
    peers.send.resize(peers.symmetric ? 1 : peers.participants.size());
    peers.receive.resize(peers.send.size());
    return peers;
}

} // namespace ns3::dml
