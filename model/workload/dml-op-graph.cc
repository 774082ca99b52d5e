/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-op-graph.h"

#include <algorithm>
#include <boost/graph/depth_first_search.hpp>
#include <functional>
#include <queue>

namespace ns3::dml
{

namespace
{

/// Thrown by CycleFinder to end the search; carries the cycle.
struct CycleFound
{
    std::vector<OpIndex> ops;
};

/// Depth-first visitor that remembers the tree edges and stops at the first back edge.
class CycleFinder : public boost::default_dfs_visitor
{
  public:
    explicit CycleFinder(std::vector<OpIndex>& parents)
        : m_parents(&parents)
    {
    }

    template <typename Edge, typename Graph>
    void tree_edge(Edge edge, const Graph& graph) const
    {
        (*m_parents)[target(edge, graph)] = source(edge, graph);
    }

    template <typename Edge, typename Graph>
    void back_edge(Edge edge, const Graph& graph) const
    {
        CycleFound found;
        const OpIndex first = target(edge, graph);
        for (OpIndex op = source(edge, graph); op != first; op = (*m_parents)[op])
        {
            found.ops.push_back(op);
        }
        found.ops.push_back(first);
        std::reverse(found.ops.begin(), found.ops.end());
        throw found;
    }

  private:
    std::vector<OpIndex>* m_parents; //!< parent of each vertex in the search tree
};

} // namespace

void
OpGraph::AddDependency(OpIndex before, OpIndex after)
{
    // in_degree is small (an op has few inputs), out_degree need not be
    auto [edge, end] = boost::in_edges(after, m_graph);
    const bool known =
        std::any_of(edge, end, [&](const auto& e) { return boost::source(e, m_graph) == before; });
    if (!known)
    {
        boost::add_edge(before, after, m_graph);
    }
}

void
OpGraph::AddDependencies(const OpGraph& other, const std::vector<OpIndex>& places)
{
    for (OpIndex op = 0; op < places.size(); ++op)
    {
        for (const OpIndex before : other.GetDependencies(op))
        {
            if (places[op] != NO_INDEX && places[before] != NO_INDEX &&
                places[before] != places[op]) // an op does not wait for itself
            {
                AddDependency(places[before], places[op]);
            }
        }
    }
}

std::vector<OpIndex>
OpGraph::GetDependencies(OpIndex op) const
{
    std::vector<OpIndex> ops;
    for (auto [edge, end] = boost::in_edges(op, m_graph); edge != end; ++edge)
    {
        ops.push_back(boost::source(*edge, m_graph));
    }
    return ops;
}

std::vector<OpIndex>
OpGraph::GetDependents(OpIndex op) const
{
    std::vector<OpIndex> ops;
    for (auto [edge, end] = boost::out_edges(op, m_graph); edge != end; ++edge)
    {
        ops.push_back(boost::target(*edge, m_graph));
    }
    std::sort(ops.begin(), ops.end());
    return ops;
}

std::vector<OpIndex>
OpGraph::FindCycle() const
{
    std::vector<OpIndex> parents(GetSize(), NO_INDEX);
    try
    {
        boost::depth_first_search(m_graph, boost::visitor(CycleFinder(parents)));
    }
    catch (CycleFound& found)
    {
        return std::move(found.ops);
    }
    return {};
}

std::vector<uint32_t>
FindPlaces(const OpGraph& graph)
{
    const auto& edges = graph.GetBoostGraph();
    std::vector<uint32_t> waitsFor(graph.GetSize());
    std::priority_queue<OpIndex, std::vector<OpIndex>, std::greater<>> ready;
    for (OpIndex op = 0; op < graph.GetSize(); ++op)
    {
        waitsFor[op] = boost::in_degree(op, edges);
        if (waitsFor[op] == 0)
        {
            ready.push(op);
        }
    }
    std::vector<uint32_t> places(graph.GetSize());
    for (uint32_t place = 0; !ready.empty(); ++place)
    {
        const OpIndex op = ready.top();
        ready.pop();
        places[op] = place;
        for (auto [edge, end] = boost::out_edges(op, edges); edge != end; ++edge)
        {
            const OpIndex next = boost::target(*edge, edges);
            if (--waitsFor[next] == 0)
            {
                ready.push(next);
            }
        }
    }
    return places;
}

} // namespace ns3::dml
