/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-in-network-all-reduce.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(InNetworkAllReduce);

namespace
{

/// What a participant does for one chunk after the other, in a slot.
class SlotLane
{
  public:
    /// @param up rank to which sums of one's own subtree go; its own: there is none
    /// @param down ranks from which these come
    SlotLane(uint32_t own, uint32_t up, const std::vector<uint32_t>& down)
        : m_own(own),
          m_up(up),
          m_down(down)
    {
    }

    /// What happens to the next chunk.
    void Add(uint32_t chunk)
    {
        for (const uint32_t child : m_down)
        {
            m_last.receives.push_back({child, chunk, 1, true});
        }
        if (m_up != m_own)
        {
            Next();
            m_last.sends.push_back({m_up, chunk, 1});
            m_last.receives.push_back({m_up, chunk, 1, false});
        }
        Next();
        for (const uint32_t child : m_down)
        {
            m_last.sends.push_back({child, chunk, 1});
        }
    }

    /// @return all rounds
    std::vector<CollectiveRound> Finish()
    {
        Next();
        return std::move(m_rounds);
    }

  private:
    /// What follows waits for all that is to be received until now.
    void Next()
    {
        if (!m_last.sends.empty() || !m_last.receives.empty())
        {
            m_rounds.push_back(std::move(m_last));
        }
        m_last = {};
    }

    uint32_t m_own;                        //!< rank
    uint32_t m_up;                         //!< rank
    const std::vector<uint32_t>& m_down;   //!< ranks
    std::vector<CollectiveRound> m_rounds; //!< so far
    CollectiveRound m_last;                //!< is not complete
};

} // namespace

TypeId
InNetworkAllReduce::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dml::InNetworkAllReduce")
            .SetParent<CollectiveAlgorithm>()
            .SetGroupName("Dml")
            .AddConstructor<InNetworkAllReduce>()
            .AddAttribute("Slots",
                          "Chunks that a worker has under way at the same time, each in a slot of "
                          "the switches' pools.",
                          UintegerValue(DEFAULT_SLOTS),
                          MakeUintegerAccessor(&InNetworkAllReduce::m_slots),
                          MakeUintegerChecker<uint32_t>(1, MOST_SLOTS))
            .AddAttribute("Chunk",
                          "Most bytes of a chunk: a buffer is cut into as few chunks as that "
                          "takes, whose sizes differ by one byte at most.",
                          UintegerValue(DEFAULT_CHUNK),
                          MakeUintegerAccessor(&InNetworkAllReduce::m_chunk),
                          MakeUintegerChecker<uint64_t>(LEAST_CHUNK))
            .AddAttribute("Root",
                          "Name of the switch that adds up what the others have added up; empty: "
                          "the one that is nearest to its furthest worker.",
                          StringValue(""),
                          MakeStringAccessor(&InNetworkAllReduce::m_root),
                          MakeStringChecker());
    return tid;
}

uint64_t
InNetworkAllReduce::CountChunks(uint64_t bytes) const
{
    return std::max<uint64_t>(1, bytes / m_chunk + (bytes % m_chunk > 0 ? 1 : 0));
}

Ptr<const CollectiveAlgorithm>
InNetworkAllReduce::Choose([[maybe_unused]] CollectiveOperation operation,
                           uint64_t bytes,
                           [[maybe_unused]] uint32_t ranks) const
{
    const uint64_t chunks = CountChunks(bytes);
    auto& chosen = m_chosen[chunks];
    if (!chosen)
    {
        const auto cut = CreateObject<InNetworkAllReduce>();
        cut->m_slots = m_slots;
        cut->m_tree = m_tree;
        cut->m_parts = chunks;
        chosen = cut;
    }
    return chosen;
}

Ptr<const CollectiveAlgorithm>
InNetworkAllReduce::Place(const CollectivePlaces& places) const
{
    const auto placed = CreateObject<InNetworkAllReduce>();
    placed->m_slots = m_slots;
    placed->m_chunk = m_chunk;
    placed->m_root = m_root;
    placed->m_tree = places.tree;
    return placed;
}

AggregationTree
InNetworkAllReduce::GetTree(uint32_t ranks) const
{
    return m_tree.leaves.size() == ranks ? m_tree : MakeOneSwitchTree(ranks);
}

uint32_t
InNetworkAllReduce::CountAggregators(uint32_t ranks) const
{
    return ranks > 1 ? GetTree(ranks).switches.size() : 0; // nobody needs the sum of one
}

CollectiveProgram
InNetworkAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    CollectiveProgram program;
    program.parts = m_parts;
    if (ranks == 1)
    {
        return program;
    }
    const AggregationTree tree = GetTree(ranks);
    const auto getParent = [&](uint32_t participant) {
        const uint32_t parent =
            participant < ranks ? tree.leaves[participant] : tree.parents[participant - ranks];
        return parent == AggregationTree::NO_PARENT ? participant : ranks + parent;
    };
    std::vector<uint32_t> children;
    for (uint32_t other = 0; other < ranks + tree.switches.size(); ++other)
    {
        if (other != rank && getParent(other) == rank)
        {
            children.push_back(other);
        }
    }
    for (uint32_t slot = 0; slot < std::min(m_slots, m_parts); ++slot)
    {
        SlotLane lane(rank, getParent(rank), children);
        for (uint32_t chunk = slot; chunk < m_parts; chunk += m_slots)
        {
            lane.Add(chunk);
        }
        program.lanes.push_back(lane.Finish());
    }
    return program;
}

} // namespace ns3::dml
