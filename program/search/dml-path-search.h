/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PATH_SEARCH_H
#define DML_PATH_SEARCH_H

#include "dml-fusion-model.h"

#include <cstdint>
#include <string>

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
 *
 * @param model of a step
 * @param moves of its collectives
 * @param shortcuts to be taken
 * @return the fastest plan that it finds
 */
SearchOutcome SearchAlongPath(FusionModel model,
                              const CollectiveMoves& moves,
                              const SearchShortcuts& shortcuts);

/// @param without as --without has it: "coarse,partial" @return the shortcuts that are left
/// @throws InputError if it names something else
SearchShortcuts ReadShortcuts(const std::string& without);

} // namespace ns3::dml

#endif /* DML_PATH_SEARCH_H */
