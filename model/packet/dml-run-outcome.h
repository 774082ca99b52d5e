/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_OUTCOME_H
#define DML_RUN_OUTCOME_H

#include "dml-packet-engine.h"

#include "ns3/dml-step-application.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How a run of the packet engine ended.
struct RunOutcome
{
    /// How one application ended.
    struct End
    {
        std::string error;                //!< what went wrong, or empty
        std::vector<LostPeer> lost;       //!< the peer that the error is about, if it is about one
        std::vector<std::string> blocked; //!< ops that have not completed
    };

    uint32_t finished{0};         //!< workers of the first job
    std::map<uint32_t, End> ends; //!< by place of the application among those of all ranks
};

/**
 * @param outcome on one rank
 * @param totals on that rank
 * @return both as bytes (CBOR)
 */
std::string PackRankOutcome(const RunOutcome& outcome, const PacketRunTotals& totals);

/**
 * @brief Add what came of another rank.
 * @param bytes from PackRankOutcome()
 * @param outcome so far
 * @param totals so far, of the same links
 */
void AddRankOutcome(const std::string& bytes, RunOutcome& outcome, PacketRunTotals& totals);

} // namespace ns3::dml

#endif /* DML_RUN_OUTCOME_H */
