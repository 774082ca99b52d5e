/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-shortest-paths.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

namespace ns3::dml
{

ShortestPaths
FindShortestPaths(const ClusterNetwork& network, uint32_t node, PathDirection direction)
{
    using Graph = boost::adjacency_list<boost::vecS,
                                        boost::vecS,
                                        boost::directedS,
                                        boost::no_property,
                                        boost::property<boost::edge_weight_t, uint64_t>>;
    const std::size_t nodes = network.GetNodes().size();
    Graph graph(nodes);
    for (DirectedLink link = 0; link < network.GetDirectedLinks(); ++link)
    {
        const uint64_t length = network.GetLinks()[link / 2].metrics[link % 2];
        const uint32_t sender = network.GetSender(link);
        const uint32_t receiver = network.GetReceiver(link);
        const bool from = direction == PathDirection::FROM;
        boost::add_edge(from ? sender : receiver, from ? receiver : sender, length, graph);
    }
    ShortestPaths found;
    found.distance.resize(nodes);
    found.previous.resize(nodes);
    boost::dijkstra_shortest_paths(graph,
                                   node,
                                   boost::predecessor_map(found.previous.data())
                                       .distance_map(found.distance.data())
                                       .distance_inf(ShortestPaths::FAR));
    return found;
}

} // namespace ns3::dml
