/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_OP_GRAPH_H
#define DML_OP_GRAPH_H

#include "dml-op.h"

#include <boost/graph/adjacency_list.hpp>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-workload
 * @brief The ops of one training step and their dependencies, as a Boost.Graph.
 *
 * Vertices are ops; an edge a -> b says that b may start only when a has completed. The vertex
 * number is the op's place in the listing, which breaks ties wherever several ops could go next.
 */
class OpGraph
{
  public:
    /// Boost.Graph type behind it, for algorithms of that library.
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Op>;

    /**
     * @brief Append an op to the listing.
     * @param op the op
     * @return its index
     */
    OpIndex Add(Op op)
    {
        return boost::add_vertex(std::move(op), m_graph);
    }

    /**
     * @brief Make one op wait for another; adding a dependency twice has no effect.
     * @param before index of the op that must complete first
     * @param after index of the op that waits
     */
    void AddDependency(OpIndex before, OpIndex after);

    /**
     * @brief Take over the dependencies between ops of another graph.
     * @param other graph
     * @param places index here of each of its ops, several may have one; NO_INDEX: it is not here
     */
    void AddDependencies(const OpGraph& other, const std::vector<OpIndex>& places);

    /// @return number of ops
    uint32_t GetSize() const
    {
        return boost::num_vertices(m_graph);
    }

    /// @param op index, less than GetSize(); @return the op
    const Op& Get(OpIndex op) const
    {
        return m_graph[op];
    }

    /// @param op index, less than GetSize() @param memory bytes that it holds
    void SetMemory(OpIndex op, const OpMemory& memory)
    {
        m_graph[op].memory = memory;
    }

    /// @param op index; @return the ops it waits for, in the order in which they were added
    std::vector<OpIndex> GetDependencies(OpIndex op) const;
    /// @param op index; @return the ops that wait for it, in listing order
    std::vector<OpIndex> GetDependents(OpIndex op) const;

    /// @return the ops of one cycle in order (the last one precedes the first), or empty if acyclic
    std::vector<OpIndex> FindCycle() const;

    /// @return the graph itself
    const Graph& GetBoostGraph() const
    {
        return m_graph;
    }

  private:
    Graph m_graph; //!< vertices in listing order
};

/**
 * @param graph without a cycle
 * @return the place of each op in the topological order in which, of all that could come next, the
 *         first one of the listing does: the order in which one process would execute them
 */
std::vector<uint32_t> FindPlaces(const OpGraph& graph);

} // namespace ns3::dml

#endif /* DML_OP_GRAPH_H */
