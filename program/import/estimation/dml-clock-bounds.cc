/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-bounds.h"

#include <algorithm>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/bellman_ford_shortest_paths.hpp>
#include <boost/graph/howard_cycle_ratio.hpp>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

namespace ns3::dml
{

namespace
{

constexpr double UNLIMITED = std::numeric_limits<double>::infinity();
/// What boost::bellman_ford_shortest_paths() says of vertices that it cannot reach.
constexpr double UNREACHED = std::numeric_limits<double>::max();
/// Differences below this are rounding, in seconds.
constexpr double ROUNDED_OFF = 1e-9;

/// The tightest constraint between two machines.
struct Constraint
{
    double seconds;      //!< offset(receiver) - offset(sender) is at most this
    std::size_t message; //!< where it comes from
};

/// By sender and receiver.
using Constraints = std::map<std::pair<uint32_t, uint32_t>, Constraint>;

using Graph =
    boost::adjacency_matrix<boost::directedS,
                            boost::no_property,
                            boost::property<boost::edge_weight_t,
                                            double,
                                            boost::property<boost::edge_index_t, std::size_t>>>;

/**
 * @param machines number of vertices
 * @param constraints edges
 * @param later what is added to all weights
 * @param reversed whether edges run from receiver to sender
 */
Graph
MakeGraph(uint32_t machines, const Constraints& constraints, double later, bool reversed)
{
    Graph graph(machines);
    std::size_t index = 0;
    for (const auto& [pair, constraint] : constraints)
    {
        boost::add_edge(reversed ? pair.second : pair.first,
                        reversed ? pair.first : pair.second,
                        Graph::edge_property_type(constraint.seconds + later, index++),
                        graph);
    }
    return graph;
}

/// @param[out] distances from @p root; @return false if there is a cycle below 0
bool
FindShortestPaths(const Graph& graph, uint32_t root, std::vector<double>& distances)
{
    distances.assign(boost::num_vertices(graph), UNREACHED);
    distances[root] = 0;
    return boost::bellman_ford_shortest_paths(
        graph,
        static_cast<int>(boost::num_vertices(graph)),
        boost::weight_map(boost::get(boost::edge_weight, graph)).distance_map(distances.data()));
}

/// Make @p bounds say which of @p constraints contradict each other, and by how much.
void
FindConflict(const Graph& graph, const Constraints& constraints, ClockBounds& bounds)
{
    std::vector<Graph::edge_descriptor> cycle;
    const double mean = boost::minimum_cycle_mean(graph,
                                                  boost::get(boost::vertex_index, graph),
                                                  boost::get(boost::edge_weight, graph),
                                                  boost::get(boost::edge_index, graph),
                                                  &cycle);
    bounds.relaxation = std::max(0.0, -mean) + ROUNDED_OFF;
    for (const auto& edge : cycle)
    {
        const std::size_t index = boost::get(boost::edge_index, graph, edge);
        bounds.conflict.push_back(std::next(constraints.begin(), index)->second.message);
    }
    std::rotate(bounds.conflict.begin(),
                std::min_element(bounds.conflict.begin(), bounds.conflict.end()),
                bounds.conflict.end());
}

} // namespace

ClockBounds
BoundClocks(uint32_t machines, uint32_t reference, const std::vector<ClockMessage>& messages)
{
    Constraints constraints;
    for (std::size_t i = 0; i < messages.size(); ++i)
    {
        const ClockMessage& message = messages[i];
        const double seconds = message.received - message.sent;
        const auto [place, isNew] =
            constraints.try_emplace({message.sender, message.receiver}, Constraint{seconds, i});
        if (!isNew && seconds < place->second.seconds)
        {
            place->second = {seconds, i};
        }
    }

    ClockBounds bounds;
    // Every machine is a root in turn, because a conflict need not be in the reference's reach.
    std::vector<double> distances;
    const Graph graph = MakeGraph(machines, constraints, ROUNDED_OFF, false);
    for (uint32_t machine = 0; machine < machines && bounds.conflict.empty(); ++machine)
    {
        if (!FindShortestPaths(graph, machine, distances))
        {
            FindConflict(graph, constraints, bounds);
        }
    }

    const double later = bounds.relaxation;
    std::vector<double> from;
    std::vector<double> to;
    FindShortestPaths(MakeGraph(machines, constraints, later, false), reference, from);
    FindShortestPaths(MakeGraph(machines, constraints, later, true), reference, to);
    for (uint32_t machine = 0; machine < machines; ++machine)
    {
        ClockBound bound{to[machine] == UNREACHED ? -UNLIMITED : -to[machine],
                         from[machine] == UNREACHED ? UNLIMITED : from[machine],
                         0};
        if (machine == reference)
        {
            bound = {};
        }
        else if (std::isfinite(bound.lower) && std::isfinite(bound.upper))
        {
            bound.offset = bound.lower + (bound.upper - bound.lower) / 2;
        }
        else if (std::isfinite(bound.lower) || std::isfinite(bound.upper))
        {
            bound.offset = std::isfinite(bound.lower) ? bound.lower : bound.upper;
        }
        bounds.machines.push_back(bound);
    }
    return bounds;
}

} // namespace ns3::dml
