/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-pipedream-graph.h"

#include "ns3/dml-error.h"
#include "ns3/dml-import-limits.h"
#include "ns3/dml-trace-input.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/depth_first_search.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace ns3::dml
{

namespace
{

/// An edge of a PipeDream graph, and where it was read.
struct PipedreamEdge
{
    uint32_t from;     //!< number of a node
    uint32_t to;       //!< number of a node
    std::string place; //!< "file:line:column"
};

/// The lines of a PipeDream graph.
struct PipedreamLines
{
    std::map<uint32_t, PipedreamNode> nodes; //!< by number, at least one, without inputs
    std::vector<PipedreamEdge> edges;        //!< as listed, of nodes that need not exist
    uint64_t bytes{0};                       //!< size of the file, uncompressed
};

/// Longest line accepted, in bytes.
constexpr std::size_t MAX_LINE = 65536;

/// Longest sum of times accepted, in milliseconds: the 1000000 s that a native profile may hold.
constexpr double MAX_MS = 1e9;

constexpr double TICKS_PER_MS = 1e7;

constexpr std::string_view SEPARATOR = " -- ";

/// A piece of a line, for messages about it.
struct Piece
{
    std::string_view text; //!< the piece
    std::size_t column;    //!< of its first byte, from 1
};

/// Reads the lines of one file.
class LineParser
{
  public:
    explicit LineParser(const std::string& file)
        : m_input(file)
    {
    }

    PipedreamLines Parse()
    {
        std::string line;
        while (m_input.Peek() >= 0)
        {
            m_line = m_input.GetLine();
            TakeLine(line);
            const auto first = line.find_first_not_of(" \t");
            if (first == std::string::npos)
            {
                continue;
            }
            const std::size_t last = line.find_last_not_of(" \t");
            const Piece content{std::string_view(line).substr(first, last + 1 - first), first + 1};
            first > 0 ? ParseEdge(content) : ParseNode(content);
        }
        if (m_lines.nodes.empty())
        {
            Fail({"", 1}, "no layer", "lines 'node1 -- NAME -- forward_compute_time=...'");
        }
        m_lines.bytes = m_input.GetOffset();
        return std::move(m_lines);
    }

  private:
    [[noreturn]] void Fail(const Piece& where,
                           const std::string& found,
                           const std::string& accepted) const
    {
        throw InputError(Place(where) + ": found " + found + "; accepted: " + accepted);
    }

    std::string Place(const Piece& where) const
    {
        return m_input.GetFile() + ":" + std::to_string(m_line) + ":" +
               std::to_string(where.column);
    }

    static std::string Quote(std::string_view text)
    {
        constexpr std::size_t LONGEST = 60;
        return "'" + std::string(text.substr(0, LONGEST)) + (text.size() > LONGEST ? "...'" : "'");
    }

    void TakeLine(std::string& line)
    {
        line.clear();
        for (int byte = m_input.Take(); byte >= 0 && byte != '\n'; byte = m_input.Take())
        {
            if (line.size() == MAX_LINE)
            {
                Fail({"", 1},
                     "a line of more than " + std::to_string(MAX_LINE) + " bytes",
                     "shorter ones");
            }
            line += static_cast<char>(byte);
        }
        if (!line.empty() && line.back() == '\r')
        {
            line.pop_back();
        }
    }

    /// Cut @p rest at the first @p separator. @return what is before it; @p rest is what is behind
    static Piece Cut(Piece& rest, std::string_view separator)
    {
        const std::size_t at = std::min(rest.text.find(separator), rest.text.size());
        const std::size_t next = std::min(at + separator.size(), rest.text.size());
        const Piece piece{rest.text.substr(0, at), rest.column};
        rest = {rest.text.substr(next), rest.column + next};
        return piece;
    }

    uint32_t ParseNumber(const Piece& piece) const
    {
        constexpr std::string_view PREFIX = "node";
        uint32_t number = 0;
        if (piece.text.substr(0, PREFIX.size()) == PREFIX)
        {
            const char* const end = piece.text.data() + piece.text.size();
            const auto [last, error] =
                std::from_chars(piece.text.data() + PREFIX.size(), end, number);
            if (error == std::errc() && last == end)
            {
                return number;
            }
        }
        Fail(piece, Quote(piece.text), "'node' and a number, as in 'node12'");
    }

    void ParseEdge(Piece rest)
    {
        const Piece start = rest;
        const Piece from = Cut(rest, SEPARATOR);
        const uint32_t first = ParseNumber(from);
        m_lines.edges.push_back({first, ParseNumber(rest), Place(start)});
    }

    void ParseNode(Piece rest)
    {
        PipedreamNode node;
        const Piece name = Cut(rest, SEPARATOR);
        node.number = ParseNumber(name);
        const Piece description = Cut(rest, SEPARATOR);
        if (description.text.empty())
        {
            Fail(description,
                 "the end of the line",
                 "a layer, as in 'node1 -- ReLU(inplace) -- forward_compute_time=...'");
        }
        node.description = description.text;
        Piece values = Cut(rest, SEPARATOR);
        if (!rest.text.empty() && rest.text.substr(0, 9) != "stage_id=")
        {
            Fail(rest, Quote(rest.text), "the end of the line, or 'stage_id=N'");
        }
        ParseValues(values, node);
        if (!m_lines.nodes.emplace(node.number, node).second)
        {
            Fail(name, Quote(name.text) + " for the second time", "one line per node");
        }
    }

    void ParseValues(Piece rest, PipedreamNode& node)
    {
        const Piece start = rest;
        std::map<std::string_view, std::optional<double>> values = {{"forward_compute_time", {}},
                                                                    {"backward_compute_time", {}},
                                                                    {"activation_size", {}},
                                                                    {"parameter_size", {}}};
        while (!rest.text.empty())
        {
            Piece value = Cut(rest, ", ");
            const Piece key = Cut(value, "=");
            const auto known = values.find(key.text);
            if (known == values.end() || known->second)
            {
                Fail(key,
                     Quote(key.text) + (known == values.end() ? "" : " for the second time"),
                     "forward_compute_time, backward_compute_time, activation_size and "
                     "parameter_size, once each");
            }
            const bool time = key.text.find("time") != std::string_view::npos;
            const double max = time ? MAX_MS : static_cast<double>(importlimit::TENSOR_BYTES);
            known->second =
                key.text == "activation_size" ? ParseList(value, max) : ParseValue(value, max);
            if (key.text == "parameter_size" && *known->second != std::floor(*known->second))
            {
                Fail(value, Quote(value.text), "a whole number of bytes");
            }
        }
        for (const auto& [key, value] : values)
        {
            if (!value)
            {
                Fail(start, "no " + std::string(key), "four values; is the file complete?");
            }
        }
        node.forward = ToTicks(*values["forward_compute_time"], start);
        node.backward = ToTicks(*values["backward_compute_time"], start);
        node.activationBytes = *values["activation_size"];
        node.parameterBytes = static_cast<uint64_t>(*values["parameter_size"]);
    }

    double ParseValue(const Piece& piece, double max) const
    {
        double value = 0;
        const char* const end = piece.text.data() + piece.text.size();
        const auto [last, error] = std::from_chars(piece.text.data(), end, value);
        // written so that NaN fails too
        if (error != std::errc() || last != end || !(value >= 0 && value <= max))
        {
            Fail(piece,
                 Quote(piece.text),
                 "a number from 0 to " + std::to_string(static_cast<uint64_t>(max)));
        }
        return value;
    }

    /// @return the sum of the numbers in "[1.0; 2.0]", or the number there
    double ParseList(Piece piece, double max) const
    {
        if (piece.text.empty() || piece.text.front() != '[')
        {
            return ParseValue(piece, max);
        }
        if (piece.text.back() != ']')
        {
            Fail(piece, Quote(piece.text), "a number or a list '[1.0; 2.0]'");
        }
        double sum = 0;
        Piece rest{piece.text.substr(1, piece.text.size() - 2), piece.column + 1};
        while (!rest.text.empty())
        {
            sum += ParseValue(Cut(rest, "; "), max);
        }
        return sum;
    }

    /// @return @p ms, which all times of the file together must not take beyond MAX_MS
    Ticks ToTicks(double ms, const Piece& where)
    {
        m_totalMs += ms;
        if (m_totalMs > MAX_MS)
        {
            Fail(where, "more than 1e9 ms in all layers together", "less");
        }
        return std::llround(ms * TICKS_PER_MS);
    }

    TraceInput m_input;     //!< the file
    PipedreamLines m_lines; //!< read so far
    uint64_t m_line{1};     //!< line that is being parsed
    double m_totalMs{0};    //!< sum of all times so far
};

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
    PipedreamLines lines = LineParser(file).Parse();
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
