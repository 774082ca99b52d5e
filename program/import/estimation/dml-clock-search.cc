/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-clock-search.h"

#include <algorithm>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/bellman_ford_shortest_paths.hpp>
#include <boost/graph/howard_cycle_ratio.hpp>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <nlopt.hpp>
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

/// Variance of times that are rounded to microseconds, s^2, about.
constexpr double LEAST_VARIANCE = 1e-12;
/// Points of a grid along one offset.
constexpr int GRID = 129;
/// Passes over all offsets at most.
constexpr int PASSES = 10;
constexpr int MOST_EVALUATIONS = 2000;
/// Precision of offsets, seconds.
constexpr double PRECISION = 1e-8;
/// Least extent of a grid on the side without a bound, seconds.
constexpr double LEAST_SPAN = 1e-3;

/// A function of offsets.
using OffsetFunction = std::function<double(const std::vector<double>&)>;

/// @return variance of the receive times of @p family (Welford), s^2
double
GetVariance(const ClockFamily& family, const std::vector<double>& offsets)
{
    double count = 0;
    double mean = 0;
    double squares = 0; // of distances from the mean
    for (const ClockMessage& message : family)
    {
        const double late = offsets[message.receiver] - offsets[message.sender];
        const double value = message.end - std::max(message.start, message.sent + late);
        ++count;
        const double before = value - mean;
        mean += before / count;
        squares += before * (value - mean);
    }
    return squares / count;
}

/// @return by how much @p message arrives too early with @p offsets
double
GetExcess(const ClockMessage& message, const std::vector<double>& offsets)
{
    return offsets[message.receiver] - offsets[message.sender] - (message.received - message.sent);
}

/// @return the largest excess of all @p messages, at least 0
double
GetViolation(const std::vector<ClockMessage>& messages, const std::vector<double>& offsets)
{
    double violation = 0;
    for (const ClockMessage& message : messages)
    {
        violation = std::max(violation, GetExcess(message, offsets));
    }
    return violation;
}

/**
 * @brief Go to a local minimum nearby.
 * @param objective to be made least
 * @param violation how much offsets contradict the messages, seconds
 * @param allowed a violation up to this is none
 * @param steps to begin with
 * @param start offsets to start from, the first one fixed
 * @return the best offsets
 */
std::vector<double>
Refine(const OffsetFunction& objective,
       const OffsetFunction& violation,
       double allowed,
       const std::vector<double>& steps,
       const std::vector<double>& start)
{
    const auto unpack = [](const std::vector<double>& x) {
        std::vector<double> all{0};
        all.insert(all.end(), x.begin(), x.end());
        return all;
    };
    const double unit = std::max(1e-18, objective(start)); // NLopt likes values near 1
    OffsetFunction value = [&](const std::vector<double>& x) {
        return objective(unpack(x)) / unit;
    };
    OffsetFunction excess = [&](const std::vector<double>& x) {
        return violation(unpack(x)) - allowed;
    };
    const auto call = [](const std::vector<double>& x, std::vector<double>&, void* data) {
        return (*static_cast<OffsetFunction*>(data))(x);
    };
    nlopt::opt search(nlopt::LN_COBYLA, start.size() - 1);
    search.set_min_objective(call, &value);
    search.add_inequality_constraint(call, &excess, PRECISION);
    search.set_initial_step(std::vector<double>(steps.begin() + 1, steps.end()));
    search.set_xtol_abs(PRECISION);
    search.set_maxeval(MOST_EVALUATIONS);
    std::vector<double> x(start.begin() + 1, start.end());
    double least = 0;
    try
    {
        search.optimize(x, least);
    }
    catch (const nlopt::roundoff_limited&)
    {
        // x is as good as rounding allows
    }
    const std::vector<double> refined = unpack(x);
    const bool better =
        objective(refined) < objective(start) && violation(refined) <= allowed + PRECISION;
    return better ? refined : start;
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

double
GetReceiveVariance(const std::vector<ClockFamily>& families, const std::vector<double>& offsets)
{
    double sum = 0;
    for (const ClockFamily& family : families)
    {
        sum += GetVariance(family, offsets);
    }
    return sum;
}

double
GetClockDeviance(const std::vector<ClockFamily>& families,
                 uint32_t machine,
                 const std::vector<double>& before,
                 const std::vector<double>& after)
{
    double deviance = 0;
    for (const ClockFamily& family : families)
    {
        // All members have the same machines.
        if (family.front().sender == machine || family.front().receiver == machine)
        {
            deviance += static_cast<double>(family.size() - 1) *
                        std::log((GetVariance(family, before) + LEAST_VARIANCE) /
                                 (GetVariance(family, after) + LEAST_VARIANCE));
        }
    }
    return deviance;
}

std::vector<double>
MinimiseClocks(const std::vector<ClockFamily>& families,
               const std::vector<ClockMessage>& messages,
               const ClockBounds& bounds,
               const std::vector<double>& start)
{
    if (start.size() < 2)
    {
        return start;
    }
    double span = LEAST_SPAN; // of a grid on the side without a bound
    for (const ClockMessage& message : messages)
    {
        span = std::max(span, -GetExcess(message, start));
    }
    const double allowed = bounds.relaxation + GetViolation(messages, start) + PRECISION;
    std::vector<double> offsets = start; // the best so far
    std::vector<double> steps(start.size(), PRECISION);
    bool better = true;
    for (int pass = 0; pass < PASSES && better; ++pass)
    {
        better = false;
        for (std::size_t machine = 1; machine < offsets.size(); ++machine)
        {
            const ClockBound& bound = bounds.machines[machine];
            const double low = std::isfinite(bound.lower) ? bound.lower : offsets[machine] - span;
            const double high = std::isfinite(bound.upper) ? bound.upper : offsets[machine] + span;
            steps[machine] = std::max(PRECISION, (high - low) / (GRID - 1));
            double least = GetReceiveVariance(families, offsets);
            std::vector<double> tried = offsets;
            for (int point = 0; point < GRID; ++point)
            {
                tried[machine] = low + steps[machine] * point;
                const double value = GetReceiveVariance(families, tried);
                if (value < least && GetViolation(messages, tried) <= allowed)
                {
                    least = value;
                    offsets[machine] = tried[machine];
                    better = true;
                }
            }
        }
    }
    return Refine([&](const std::vector<double>& at) { return GetReceiveVariance(families, at); },
                  [&](const std::vector<double>& at) { return GetViolation(messages, at); },
                  allowed,
                  steps,
                  offsets);
}

} // namespace ns3::dml
