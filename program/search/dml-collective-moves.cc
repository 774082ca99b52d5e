/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-collective-moves.h"

#include "ns3/dml-graph-replay.h"

#include <deque>
#include <map>
#include <tuple>

namespace ns3::dml
{

namespace
{

/// Bytes with which the rate is found: all parts have as many then.
constexpr uint64_t MANY_BYTES = uint64_t{1} << 40;

/// Messages that were added, in the order in which they are sent: by lane, sender and receiver.
using SentMessages = std::map<std::tuple<std::size_t, uint32_t, uint32_t>, std::deque<GlobalOp>>;

} // namespace

CollectiveMoves::CollectiveMoves(Ptr<const CollectiveAlgorithm> algorithm,
                                 uint32_t ranks,
                                 double latency,
                                 double secondsPerByte)
    : m_algorithm(algorithm),
      m_ranks(ranks)
{
    const double rounds = Replay(MANY_BYTES, 1); // messages take 1 s, and no time for bytes
    m_latency = 0;
    m_secondsPerByte = 1.0 / MANY_BYTES;
    const double sent = Replay(MANY_BYTES, 1); // of the bytes, one after the other
    m_latency = rounds > 0 ? latency / rounds : 0;
    m_secondsPerByte = sent > 0 ? secondsPerByte / sent : 0;
}

double
CollectiveMoves::GetSeconds(const Message& message, uint64_t bytes) const
{
    const double part = static_cast<double>(bytes) * message.count / message.parts;
    return m_latency + m_secondsPerByte * part;
}

GlobalOp
CollectiveMoves::Add(GraphDraft& draft,
                     uint32_t links,
                     uint64_t bytes,
                     const std::vector<GlobalOp>& entries) const
{
    std::vector<Message> messages;
    const GlobalOp end =
        AddMessages(draft,
                    *m_algorithm->Choose(CollectiveOperation::ALL_REDUCE, bytes, m_ranks),
                    links,
                    entries,
                    messages);
    for (const auto& message : messages)
    {
        draft.seconds[message.op] = GetSeconds(message, bytes);
    }
    return end;
}

GlobalOp
CollectiveMoves::AddMessages(GraphDraft& draft,
                             const CollectiveAlgorithm& algorithm,
                             uint32_t links,
                             const std::vector<GlobalOp>& entries,
                             std::vector<Message>& messages) const
{
    std::vector<CollectiveProgram> programs;
    SentMessages sending;
    std::map<std::tuple<uint32_t, std::size_t, std::size_t>, std::vector<GlobalOp>> rounds;
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        programs.push_back(algorithm.MakeProgram(rank, m_ranks));
        const auto& program = programs.back();
        for (std::size_t lane = 0; lane < program.lanes.size(); ++lane)
        {
            for (std::size_t round = 0; round < program.lanes[lane].size(); ++round)
            {
                for (const auto& move : program.lanes[lane][round].sends)
                {
                    const GlobalOp message = draft.Add(links + rank, 0);
                    messages.push_back({message, move.count, program.parts});
                    sending[{lane, rank, move.peer}].push_back(message);
                    rounds[{rank, lane, round}].push_back(message);
                }
            }
        }
    }
    const GlobalOp end = draft.AddJoin();
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        draft.AddDependency(entries[rank], end);
        const auto& lanes = programs[rank].lanes;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane)
        {
            GlobalOp begin = entries[rank]; // of a round: all of the one before has come
            for (std::size_t round = 0; round < lanes[lane].size(); ++round)
            {
                for (const GlobalOp message : rounds[{rank, lane, round}])
                {
                    draft.AddDependency(begin, message);
                }
                const GlobalOp come = draft.AddJoin();
                draft.AddDependency(begin, come);
                for (const auto& move : lanes[lane][round].receives)
                {
                    auto& sent = sending[{lane, move.peer, rank}];
                    draft.AddDependency(sent.front(), come);
                    sent.pop_front();
                }
                begin = come;
            }
            draft.AddDependency(begin, end);
        }
    }
    return end;
}

CollectiveMoves::Shape
CollectiveMoves::MakeShape(const CollectiveAlgorithm& algorithm, uint32_t parts) const
{
    GraphDraft draft;
    std::vector<GlobalOp> entries;
    for (uint32_t rank = 0; rank < m_ranks; ++rank)
    {
        entries.push_back(draft.AddJoin());
    }
    std::vector<Message> messages;
    for (uint32_t part = 0; part < parts; ++part)
    {
        AddMessages(draft, algorithm, GraphDraft::JOINS + 1, entries, messages);
    }
    return {draft.MakeGraph(), std::move(messages)};
}

double
CollectiveMoves::Replay(uint64_t bytes, uint32_t parts, uint64_t* ops) const
{
    const auto algorithm =
        m_algorithm->Choose(CollectiveOperation::ALL_REDUCE, bytes / parts, m_ranks);
    auto known = m_shapes.find({algorithm, parts});
    if (known == m_shapes.end())
    {
        known =
            m_shapes.emplace(std::make_pair(algorithm, parts), MakeShape(*algorithm, parts)).first;
    }
    const auto& [graph, messages] = known->second;
    std::vector<double> seconds(graph.GetSize(), 0);
    for (const auto& message : messages)
    {
        seconds[message.op] = GetSeconds(message, bytes / parts);
    }
    if (ops)
    {
        *ops += graph.GetSize();
    }
    return dml::Replay(graph, seconds).seconds;
}

} // namespace ns3::dml
