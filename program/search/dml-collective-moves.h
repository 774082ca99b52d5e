/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_MOVES_H
#define DML_COLLECTIVE_MOVES_H

#include "ns3/dml-collective-algorithm.h"
#include "ns3/dml-global-graph.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-search
 * @brief A global data-flow graph to which ops are added one by one.
 */
struct GraphDraft
{
    /// The device of joins: they take no time, so that none waits for another one there.
    static constexpr uint32_t JOINS = 0;

    std::vector<uint32_t> devices;          //!< by op
    std::vector<double> seconds;            //!< by op
    GlobalGraph::Dependencies dependencies; //!< between them

    /// @param device of an op @param time that it takes, s @return the op
    GlobalOp Add(uint32_t device, double time)
    {
        devices.push_back(device);
        seconds.push_back(time);
        return devices.size() - 1;
    }

    /// @return a new op that takes no time
    GlobalOp AddJoin()
    {
        return Add(JOINS, 0);
    }

    /// @param before op that must end @param after op that waits for it
    void AddDependency(GlobalOp before, GlobalOp after)
    {
        dependencies.emplace_back(before, after);
    }

    /// @return its graph; the draft has no dependencies any more
    GlobalGraph MakeGraph()
    {
        return {devices, std::move(dependencies)};
    }
};

/**
 * @ingroup dml-search
 * @brief The messages of all-reduces, as ops of a graph: each keeps its sender's link for a latency
 * and its bytes over a rate.
 *
 * Latency and rate are such that an all-reduce alone takes what was measured: a latency, and
 * seconds for each byte.
 */
class CollectiveMoves
{
  public:
    /**
     * @param algorithm of all-reduce
     * @param ranks number of workers, at least 1
     * @param latency of an all-reduce without bytes, s
     * @param secondsPerByte that it takes longer for each byte
     */
    CollectiveMoves(Ptr<const CollectiveAlgorithm> algorithm,
                    uint32_t ranks,
                    double latency,
                    double secondsPerByte);

    /**
     * @brief Add the messages of an all-reduce.
     * @param draft to which they are added
     * @param links device of rank 0's link; the others' follow
     * @param bytes to be reduced
     * @param entries by rank: op with which it enters
     * @return join of all results
     */
    GlobalOp Add(GraphDraft& draft,
                 uint32_t links,
                 uint64_t bytes,
                 const std::vector<GlobalOp>& entries) const;

    /// @param bytes to be reduced @param parts in which they are cut, each reduced for itself
    /// @return seconds that it takes while nothing else is sent, by a replay of its messages alone
    /// @param[out] ops that were replayed for it are added, if given
    double Replay(uint64_t bytes, uint32_t parts, uint64_t* ops = nullptr) const;

    /// @return number of workers
    uint32_t GetRanks() const
    {
        return m_ranks;
    }

  private:
    /// A message of an all-reduce.
    struct Message
    {
        GlobalOp op;    //!< its op
        uint32_t count; //!< units that it has
        uint32_t parts; //!< units that there are
    };

    /// The messages of an all-reduce alone, whatever its bytes.
    struct Shape
    {
        GlobalGraph graph;             //!< of them
        std::vector<Message> messages; //!< which take time
    };

    /// Add the messages of an algorithm, which take no time yet. @return join of all results
    GlobalOp AddMessages(GraphDraft& draft,
                         const CollectiveAlgorithm& algorithm,
                         uint32_t links,
                         const std::vector<GlobalOp>& entries,
                         std::vector<Message>& messages) const;
    /// @param bytes of the all-reduce @return seconds that a message takes
    double GetSeconds(const Message& message, uint64_t bytes) const;
    Shape MakeShape(const CollectiveAlgorithm& algorithm, uint32_t parts) const;

    Ptr<const CollectiveAlgorithm> m_algorithm; //!< algorithm of the moves
    uint32_t m_ranks;                           //!< number of workers
    double m_latency{1};                        //!< of a message, s
    double m_secondsPerByte{0};                 //!< of a message
    /// What Replay() has made so far, by algorithm and parts: searches replay thousands of sizes.
    mutable std::map<std::pair<Ptr<const CollectiveAlgorithm>, uint32_t>, Shape> m_shapes;
};

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_MOVES_H */
