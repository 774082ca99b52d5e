/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PATH_SEARCH_H
#define DML_PATH_SEARCH_H

#include "dml-fusion-model.h"

#include "ns3/dml-graph-replay.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// What makes a search fast (Hu et al., MLSys 2022, section 5.3).
struct SearchShortcuts
{
    bool coarse{true};   //!< it begins with MakeCoarsePlan(), not with everything separate
    bool partial{true};  //!< how long an all-reduce takes is found by replaying its messages alone
    bool symmetry{true}; //!< with `partial`: one worker stands for all, a size for all of its size
};

/// What a search found, and what it cost.
struct SearchOutcome
{
    FusionPlan plan;         //!< the fastest one
    double before{0};        //!< s, of a step in which nothing is fused
    double seconds{0};       //!< s, of a step with the plan
    uint32_t passes{0};      //!< along the critical path
    uint64_t replays{0};     //!< of graphs
    uint64_t replayedOps{0}; //!< in all of these
};

/**
 * @ingroup dml-search
 * @brief Algorithm 1 of dPRO (Hu et al., MLSys 2022, section 5.2): again and again along the
 * critical path, ops are fused where Theorem 1 says that it pays, tensors where Theorem 2 does,
 * each with what belongs to them (Theorem 3), and tensors are cut into the best number of parts.
 *
 * What a pass proposes is replayed; if it is no better, half of it is tried, and so on. A search
 * ends when a pass proposes nothing, or after five proposals in a row that were no better.
 */
class PathSearch
{
  public:
    /**
     * @param model of a step
     * @param moves of its collectives
     * @param shortcuts to be taken
     */
    PathSearch(FusionModel model, const CollectiveMoves& moves, const SearchShortcuts& shortcuts);

    /// @return the fastest plan that it finds
    SearchOutcome Run();

  private:
    /// A plan and its replay.
    struct Trial
    {
        FusionPlan plan;
        FusionGraph graph;
        ExecutionGraph execution;
    };

    /// Something that could be fused: the ops, or tensors, before and from a place.
    struct Proposal
    {
        bool ops;       //!< ops, else tensors
        uint32_t place; //!< in the model
        uint32_t parts; //!< in which the tensors are cut then

        bool operator<(const Proposal& other) const
        {
            return std::tie(ops, place, parts) < std::tie(other.ops, other.place, other.parts);
        }
    };

    Trial Replay(FusionPlan plan);
    ExecutionGraph Execute(const FusionGraph& graph);
    double GetSync(const FusionPlan& plan, uint32_t group, uint32_t parts);
    /// @return the best number of parts for a group, and seconds that reducing it takes then
    std::pair<uint32_t, double> CutBest(const FusionPlan& plan, uint32_t group);
    std::vector<Proposal> Propose(const Trial& trial);
    void ProposeOps(const Trial& trial,
                    const std::set<GlobalOp>& path,
                    std::vector<Proposal>& list);
    void ProposeTensors(const Trial& trial,
                        const std::set<GlobalOp>& path,
                        std::vector<Proposal>& list);
    double GetReady(const Trial& trial, uint32_t tensors) const;
    FusionPlan Apply(FusionPlan plan, const std::vector<Proposal>& list) const;
    std::optional<Trial> Improve(const Trial& best, std::vector<Proposal> list);

    FusionModel m_model;                                    //!< of a step
    const CollectiveMoves& m_moves;                         //!< of collectives
    SearchShortcuts m_shortcuts;                            //!< taken
    uint32_t m_workers;                                     //!< in graphs
    std::map<std::pair<uint64_t, uint32_t>, double> m_sync; //!< by bytes and parts
    std::set<Proposal> m_refused;                           //!< proposals that were no better
    SearchOutcome m_outcome;                                //!< so far
};

} // namespace ns3::dml

#endif /* DML_PATH_SEARCH_H */
