/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-tree-all-reduce.h"

#include "ns3/uinteger.h"

#include <optional>

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(TreeAllReduce);

namespace
{

/// The neighbours of a rank in a tree.
struct TreeNode
{
    std::optional<uint32_t> parent; //!< none: it is the root
    std::vector<uint32_t> children; //!< two at most
};

/// @param node from 1 to @p nodes
/// @return its place in the binary tree in which each node lies between those of its subtrees, and
/// all odd nodes are leaves
TreeNode
FindInOrder(uint32_t node, uint32_t nodes)
{
    uint32_t root = 1;
    while (2 * root <= nodes)
    {
        root *= 2;
    }
    TreeNode place;
    uint32_t half = root / 2;
    uint32_t at = root;
    while (at != node)
    {
        place.parent = at;
        if (node < at)
        {
            at -= half;
        }
        else
        {
            for (; at + half > nodes; half /= 2)
            {
            }
            at += half;
        }
        half /= 2;
    }
    if (half > 0)
    {
        place.children.push_back(at - half);
        for (; half > 0 && at + half > nodes; half /= 2)
        {
        }
        if (half > 0)
        {
            place.children.push_back(at + half);
        }
    }
    return place;
}

/// @param tree 0 or 1
/// @return the neighbours: in the second tree of an even number of ranks their order is the
/// opposite one, of an odd number it begins one later, so that inner nodes become leaves
TreeNode
FindNeighbours(uint32_t tree, uint32_t rank, uint32_t ranks)
{
    const bool mirrored = tree == 1 && ranks % 2 == 0;
    const uint32_t shift = tree == 1 && ranks % 2 == 1 ? 1 : 0;
    const auto toNode = [&](uint32_t r) { return mirrored ? ranks - r : (r + shift) % ranks + 1; };
    const auto toRank = [&](uint32_t node) {
        return mirrored ? ranks - node : (node - 1 + ranks - shift) % ranks;
    };
    TreeNode node = FindInOrder(toNode(rank), ranks);
    if (node.parent)
    {
        node.parent = toRank(*node.parent);
    }
    for (auto& child : node.children)
    {
        child = toRank(child);
    }
    return node;
}

/// @return what a rank does with one part of the buffer
std::vector<CollectiveRound>
MakeLane(const TreeNode& node, uint32_t part)
{
    CollectiveRound up;   // what comes from the children
    CollectiveRound turn; // what goes to the parent, and comes back
    CollectiveRound down; // what goes to the children
    for (const uint32_t child : node.children)
    {
        up.receives.push_back({child, part, 1, true});
        down.sends.push_back({child, part, 1});
    }
    if (node.parent)
    {
        turn.sends.push_back({*node.parent, part, 1});
        turn.receives.push_back({*node.parent, part, 1, false});
    }
    std::vector<CollectiveRound> lane;
    for (const auto& round : {up, turn, down})
    {
        if (!round.sends.empty() || !round.receives.empty())
        {
            lane.push_back(round);
        }
    }
    return lane;
}

} // namespace

TypeId
TreeAllReduce::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::TreeAllReduce")
                            .SetParent<CollectiveAlgorithm>()
                            .SetGroupName("Dml")
                            .AddConstructor<TreeAllReduce>()
                            .AddAttribute("Chunks",
                                          "Parts of each half of the buffer that follow one "
                                          "another on its tree.",
                                          UintegerValue(4),
                                          MakeUintegerAccessor(&TreeAllReduce::m_chunks),
                                          MakeUintegerChecker<uint32_t>(1, 256));
    return tid;
}

CollectiveProgram
TreeAllReduce::MakeProgram(uint32_t rank, uint32_t ranks) const
{
    CollectiveProgram program;
    program.parts = 2 * m_chunks;
    for (uint32_t part = 0; part < program.parts; ++part) // the trees in turn
    {
        program.lanes.push_back(MakeLane(FindNeighbours(part % 2, rank, ranks), part));
    }
    return program;
}

} // namespace ns3::dml
