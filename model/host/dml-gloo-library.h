/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_GLOO_LIBRARY_H
#define DML_GLOO_LIBRARY_H

#include "dml-shared-board.h"

#include "ns3/dml-collective-service.h"

#include <memory>
#include <string>

namespace ns3::dml
{

/// Bytes that a rank of Gloo leaves for the others: its addresses for each of them.
/// @param ranks number of ranks @return most bytes
std::size_t GetGlooBoardSize(uint32_t ranks);

/// A rank among those that reduce together.
struct GlooRank
{
    uint32_t rank{0};            //!< number
    uint32_t ranks{1};           //!< how many there are
    std::string address;         //!< IPv4 address of its own
    SharedBoard* board{nullptr}; //!< where ranks find each other; a slot for each
    /// Told what has gone wrong, in the thread of the WallClockSimulator.
    std::function<void(const std::string&)> failed;
};

/// @param algorithm of the scenario @throws KeyError if Gloo is not there, or does not have it
void CheckGlooLibrary(const std::string& algorithm);

/// @param rank of this process @return its collectives by Gloo
/// @throws RunError if the library cannot be loaded
std::unique_ptr<CollectiveService> MakeGlooCollectives(const GlooRank& rank);

} // namespace ns3::dml

#endif /* DML_GLOO_LIBRARY_H */
