/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_MACHINE_H
#define DML_COLLECTIVE_MACHINE_H

#include "ns3/dml-collective-algorithm.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

namespace ns3::dml
{

/// How often each rank's own value is in a part of a buffer.
using Sum = std::vector<uint32_t>;
/// The parts of one rank's buffer.
using Buffer = std::vector<Sum>;

/// @return workers in the order of their numbers
inline std::vector<uint32_t>
ListWorkers(uint32_t count)
{
    std::vector<uint32_t> workers(count);
    std::iota(workers.begin(), workers.end(), 0);
    return workers;
}

/// Ranks that work with real sums: in which order messages come is chosen by a number.
class Machine
{
  public:
    /// @param owners of each part, where a rank has its own shard of the sum and nothing else;
    /// empty: each rank has a buffer of its own
    Machine(const CollectiveAlgorithm& algorithm,
            uint32_t ranks,
            uint32_t order,
            CollectiveOperation operation = CollectiveOperation::ALL_REDUCE,
            const std::vector<uint32_t>& owners = {})
        : m_order(order)
    {
        for (uint32_t rank = 0; rank < ranks + algorithm.CountAggregators(ranks); ++rank)
        {
            m_programs.push_back(algorithm.MakeOperation(operation, rank, ranks));
            Sum own(ranks, 0);
            if (rank < ranks) // else an aggregator, which has nothing of its own
            {
                own[rank] = 1;
            }
            buffers.emplace_back(m_programs.back().parts, own);
            for (uint32_t part = 0; part < owners.size(); ++part)
            {
                buffers.back()[part] = Sum(ranks, owners[part] == rank ? 1 : 0);
            }
            m_rounds.emplace_back(m_programs.back().lanes.size(), 0);
            m_sent.emplace_back(m_programs.back().lanes.size(), false);
            m_received.emplace_back(m_programs.back().lanes.size(), 0);
            sentParts.push_back(0);
        }
    }

    /// @return whether all have done all
    bool Run()
    {
        for (bool moved = true; moved;)
        {
            moved = false;
            for (uint32_t i = 0; i < m_programs.size(); ++i)
            {
                const uint32_t rank = (i * m_order) % m_programs.size();
                for (uint32_t lane = 0; lane < m_programs[rank].lanes.size(); ++lane)
                {
                    moved = Step(rank, lane) || moved;
                }
            }
        }
        for (uint32_t rank = 0; rank < m_programs.size(); ++rank)
        {
            for (uint32_t lane = 0; lane < m_programs[rank].lanes.size(); ++lane)
            {
                if (m_rounds[rank][lane] < m_programs[rank].lanes[lane].size())
                {
                    return false;
                }
            }
        }
        return m_wires.empty() || std::all_of(m_wires.begin(), m_wires.end(), [](const auto& w) {
                   return w.second.empty();
               });
    }

    std::vector<Buffer> buffers;     ///< by rank
    std::vector<uint64_t> sentParts; ///< by rank
    uint32_t mostRounds{0};          ///< of a lane

  private:
    struct Message
    {
        uint32_t first;
        std::vector<Sum> parts;
    };

    bool Step(uint32_t rank, uint32_t lane)
    {
        const auto& rounds = m_programs[rank].lanes[lane];
        uint32_t& at = m_rounds[rank][lane];
        mostRounds = std::max<uint32_t>(mostRounds, rounds.size());
        if (at == rounds.size())
        {
            return false;
        }
        const CollectiveRound& round = rounds[at];
        bool moved = false;
        if (!m_sent[rank][lane])
        {
            for (const auto& move : round.sends)
            {
                Message message{move.first, {}};
                for (uint32_t i = 0; i < move.count; ++i)
                {
                    message.parts.push_back(
                        buffers[rank][(move.first + i) % m_programs[rank].parts]);
                }
                sentParts[rank] += move.count;
                m_wires[{rank, move.peer, lane}].push_back(message);
            }
            m_sent[rank][lane] = true;
            moved = true;
        }
        // in any order: those whose bit is not set have not come
        for (uint32_t i = 0; i < round.receives.size(); ++i)
        {
            const auto& move = round.receives[i];
            auto& wire = m_wires[{move.peer, rank, lane}];
            if ((m_received[rank][lane] & (1U << i)) != 0 || wire.empty())
            {
                continue;
            }
            const Message message = wire.front();
            wire.pop_front();
            EXPECT_EQ(message.first, move.first);
            EXPECT_EQ(message.parts.size(), move.count);
            for (uint32_t part = 0; part < message.parts.size(); ++part)
            {
                Sum& own = buffers[rank][(move.first + part) % m_programs[rank].parts];
                for (uint32_t c = 0; c < own.size(); ++c)
                {
                    own[c] = message.parts[part][c] + (move.reduces ? own[c] : 0);
                }
            }
            m_received[rank][lane] |= 1U << i;
            moved = true;
        }
        if (m_received[rank][lane] == (1U << round.receives.size()) - 1)
        {
            ++at;
            m_sent[rank][lane] = false;
            m_received[rank][lane] = 0;
            moved = true;
        }
        return moved;
    }

    uint32_t m_order; ///< step between the ranks that are looked at
    std::vector<CollectiveProgram> m_programs;
    std::vector<std::vector<uint32_t>> m_rounds;
    std::vector<std::vector<bool>> m_sent;
    std::vector<std::vector<uint32_t>> m_received;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, std::deque<Message>> m_wires;
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_MACHINE_H */
