/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-pipedream-graph.h"

#include "ns3/dml-error.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

using Graph = boost::adjacency_list<boost::setS,
                                    boost::vecS,
                                    boost::directedS,
                                    boost::no_property,
                                    uint32_t>; // edge: index of the line that it comes from
using Vertex = boost::graph_traits<Graph>::vertex_descriptor;

/// Collects vertices in the order in which a depth-first search leaves them; refuses cycles.
class OrderVisitor : public boost::dfs_visitor<>
{
  public:
    OrderVisitor(const std::vector<PipedreamEdge>& edges, std::vector<Vertex>& order)
        : m_edges(edges),
          m_order(order)
    {
    }

    void back_edge(const Graph::edge_descriptor& edge, const Graph& graph) // as Boost calls it
    {
        const PipedreamEdge& line = m_edges[graph[edge]];
        throw InputError(line.place + ": found an edge from node" + std::to_string(line.from) +
                         " to node" + std::to_string(line.to) + ", from which node" +
                         std::to_string(line.from) +
                         " can be reached; accepted: edges without a cycle");
    }

    void finish_vertex(Vertex vertex, const Graph& /* graph */) // as Boost calls it
    {
        m_order.push_back(vertex);
    }

  private:
    const std::vector<PipedreamEdge>& m_edges; //!< for messages
    std::vector<Vertex>& m_order;              //!< result
};

} // namespace

std::vector<PipedreamNode>
ReadPipedreamGraph(const std::string& file, uint64_t& bytesRead)
{
    PipedreamLines lines = ReadPipedreamLines(file);
    bytesRead += lines.bytes;

    // Vertices by falling number: a search that starts at each in turn has already been at those of
    // higher number, so it leaves vertices by falling number if all edges lead upwards.
    std::map<uint32_t, Vertex> vertices;
    std::vector<PipedreamNode*> byVertex;
    for (auto node = lines.nodes.rbegin(); node != lines.nodes.rend(); ++node)
    {
        vertices.emplace(node->first, byVertex.size());
        byVertex.push_back(&node->second);
    }
    Graph graph(byVertex.size());
    for (uint32_t i = 0; i < lines.edges.size(); ++i)
    {
        const PipedreamEdge& edge = lines.edges[i];
        for (const uint32_t end : {edge.from, edge.to})
        {
            if (vertices.count(end) == 0)
            {
                throw InputError(edge.place + ": found an edge of node" + std::to_string(end) +
                                 ", which has no line of its own; accepted: nodes of the file; is "
                                 "the file complete?");
            }
        }
        boost::add_edge(vertices[edge.from], vertices[edge.to], i, graph);
    }
    std::vector<Vertex> order;
    boost::depth_first_search(graph, boost::visitor(OrderVisitor(lines.edges, order)));
    std::reverse(order.begin(), order.end());

    std::vector<uint32_t> places(order.size());
    for (uint32_t i = 0; i < order.size(); ++i)
    {
        places[order[i]] = i;
    }
    std::vector<PipedreamNode> nodes;
    for (const Vertex vertex : order)
    {
        nodes.push_back(std::move(*byVertex[vertex]));
    }
    for (const auto& edge : boost::make_iterator_range(boost::edges(graph)))
    {
        nodes[places[boost::target(edge, graph)]].inputs.push_back(
            places[boost::source(edge, graph)]);
    }
    for (PipedreamNode& node : nodes)
    {
        std::sort(node.inputs.begin(), node.inputs.end());
    }
    return nodes;
}

} // namespace ns3::dml
