/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-halving-doubling-all-reduce.h"

#include <algorithm>
#include <utility>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(HalvingDoublingAllReduce);
NS_OBJECT_ENSURE_REGISTERED(RecursiveDoublingAllReduce);

namespace
{

/// The ranks that work in pairs: a power of two of them, each for itself or for the next one too.
class PairedRanks
{
  public:
    /// @param ranks number of all ranks
    explicit PairedRanks(uint32_t ranks)
    {
        while (2 * m_count <= ranks)
        {
            m_count *= 2;
        }
        m_folded = ranks - m_count;
    }

    /// @return how many there are
    uint32_t GetCount() const
    {
        return m_count;
    }

    /// @return whether this rank leaves its work to the one before it
    bool IsFolded(uint32_t rank) const
    {
        return rank < 2 * m_folded && rank % 2 == 1;
    }

    /// @return whether this rank works for the next one too
    bool StandsForTwo(uint32_t rank) const
    {
        return rank < 2 * m_folded && rank % 2 == 0;
    }

    /// @return number of a rank that is not folded among those that work in pairs
    uint32_t GetNumber(uint32_t rank) const
    {
        return rank < 2 * m_folded ? rank / 2 : rank - m_folded;
    }

    /// @return the rank that has this number
    uint32_t GetRank(uint32_t number) const
    {
        return number < m_folded ? 2 * number : number + m_folded;
    }

    /**
     * @brief Ranks that neither fold nor stand for two begin with their pairs while the others
     * fold. Until they meet these they are ahead, and would send too early.
     * @param number of a rank among those that work in pairs
     * @param distance to its peer, a power of two
     * @return whether the peer is ahead and the rank is not
     */
    bool MeetsEarlyPeer(uint32_t number, uint32_t distance) const
    {
        // those with whom a rank has worked are blocks of numbers; who stands for two comes first
        const auto begins = [distance](uint32_t any) { return any / distance * distance; };
        return begins(number) < m_folded && begins(number ^ distance) >= m_folded;
    }

  private:
    uint32_t m_count{1};  //!< greatest power of two
    uint32_t m_folded{0}; //!< ranks beyond that
};

/// What a rank that is not folded does: a reduce-scatter and an all-gather.
struct PairRounds
{
    std::vector<CollectiveRound> halving;  //!< sums up one part
    std::vector<CollectiveRound> doubling; //!< spreads it
};

/// @param number of a rank among those that work in pairs, each of which sums up one part
PairRounds
MakePairRounds(const PairedRanks& pairs, uint32_t number)
{
    PairRounds rounds;
    uint32_t first = 0; // of the parts that this rank sums up
    uint32_t count = pairs.GetCount();
    for (uint32_t distance = 1; distance < pairs.GetCount(); distance *= 2)
    {
        const uint32_t peer = pairs.GetRank(number ^ distance);
        count /= 2;
        const bool upper = (number & distance) != 0;
        const uint32_t kept = upper ? first + count : first;
        const uint32_t given = upper ? first : first + count;
        rounds.halving.push_back({{{peer, given, count}},
                                  {{peer, kept, count, true}},
                                  pairs.MeetsEarlyPeer(number, distance)});
        rounds.doubling.push_back({{{peer, kept, count}}, {{peer, given, count, false}}});
        first = kept;
    }
    std::reverse(rounds.doubling.begin(), rounds.doubling.end());
    return rounds;
}

/// The same for any number of ranks, none of which is folded: a rank's part has its number, and
/// what it has gathered are parts in a row from there on.
PairRounds
MakeShiftRounds(uint32_t rank, uint32_t ranks)
{
    PairRounds rounds;
    for (uint32_t distance = 1; distance < ranks; distance *= 2)
    {
        const uint32_t count = std::min(distance, ranks - distance);
        const uint32_t after = (rank + distance) % ranks;
        const uint32_t before = (rank + ranks - distance) % ranks;
        rounds.halving.push_back({{{after, after, count}}, {{before, rank, count, true}}});
        rounds.doubling.push_back({{{before, rank, count}}, {{after, after, count, false}}});
    }
    std::reverse(rounds.halving.begin(), rounds.halving.end());
    return rounds;
}

/// Put what folded ranks send and get around the rounds of the others.
CollectiveProgram
Fold(const PairedRanks& pairs, uint32_t rank, uint32_t parts, std::vector<CollectiveRound> rounds)
{
    std::vector<CollectiveRound> lane;
    if (pairs.IsFolded(rank))
    {
        lane.push_back({{{rank - 1, 0, parts}}, {{rank - 1, 0, parts, false}}});
        return {parts, {lane}};
    }
    const bool both = pairs.StandsForTwo(rank);
    if (both)
    {
        lane.push_back({{}, {{rank + 1, 0, parts, true}}});
    }
    for (auto& round : rounds)
    {
        lane.push_back(std::move(round));
    }
    if (both)
    {
        lane.push_back({{{rank + 1, 0, parts}}, {}});
    }
    return {parts, {lane}};
}

} // namespace

TypeId
HalvingDoublingAllReduce::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::HalvingDoublingAllReduce")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("Dml")
                            .AddConstructor<HalvingDoublingAllReduce>();
    return tid;
}

CollectiveProgram
HalvingDoublingAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    const PairedRanks pairs(ranks);
    std::vector<CollectiveRound> rounds;
    if (!pairs.IsFolded(rank))
    {
        PairRounds own = MakePairRounds(pairs, pairs.GetNumber(rank));
        rounds = std::move(own.halving);
        rounds.insert(rounds.end(), own.doubling.begin(), own.doubling.end());
    }
    return Fold(pairs, rank, pairs.GetCount(), std::move(rounds));
}

CollectiveProgram
HalvingDoublingAllReduce::MakeOperation(CollectiveOperation operation,
                                        uint32_t rank,
                                        uint32_t ranks) const
{
    if (operation == CollectiveOperation::ALL_REDUCE)
    {
        return MakeProgram(rank, ranks);
    }
    const bool scatters = operation == CollectiveOperation::REDUCE_SCATTER;
    const PairedRanks pairs(ranks);
    const PairRounds own =
        pairs.GetCount() == ranks ? MakePairRounds(pairs, rank) : MakeShiftRounds(rank, ranks);
    return {ranks, {scatters ? own.halving : own.doubling}};
}

TypeId
RecursiveDoublingAllReduce::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::RecursiveDoublingAllReduce")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("Dml")
                            .AddConstructor<RecursiveDoublingAllReduce>();
    return tid;
}

CollectiveProgram
RecursiveDoublingAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    const PairedRanks pairs(ranks);
    std::vector<CollectiveRound> rounds;
    for (uint32_t distance = 1; distance < pairs.GetCount() && !pairs.IsFolded(rank); distance *= 2)
    {
        const uint32_t number = pairs.GetNumber(rank);
        const uint32_t peer = pairs.GetRank(number ^ distance);
        rounds.push_back(
            {{{peer, 0, 1}}, {{peer, 0, 1, true}}, pairs.MeetsEarlyPeer(number, distance)});
    }
    return Fold(pairs, rank, 1, std::move(rounds));
}

} // namespace ns3::dml
