/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_LOSS_REPORT_H
#define DML_LOSS_REPORT_H

#include "dml-result-summary.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/// What was lost and repaired in all replications of an engine.
struct LossSum
{
    uint64_t drops{0};           //!< packets dropped in queues
    uint64_t retransmissions{0}; //!< TCP segments sent again
    uint64_t timeouts{0};        //!< TCP's retransmission timers that ran out
    uint64_t recoveries{0};      //!< fast recoveries
    uint32_t replications{0};    //!< with any of these
    uint32_t runs{0};            //!< all replications

    /// @return true if something was lost or repaired
    explicit operator bool() const;
};

/// @param engine whose losses are counted @return their sum
LossSum SumLosses(const EngineSummary& engine);

/**
 * @brief Notes on losses, for the reader of the results.
 * @param summary the results
 * @return a warning if there were losses at an MTU above 1500 bytes, and a line for each
 *         configuration with losses, those with the most retransmissions first, at most 12; nothing
 *         if nothing was lost
 */
std::vector<std::string> MakeLossNotes(const RunSummary& summary);

/**
 * @ingroup dml-report
 * @brief Say how much of the runs was skipped by `packet.fast_forward`, and how far off that is.
 * @param summary of a study
 * @return two notes; none if no run could skip
 */
std::vector<std::string> MakeSkipNotes(const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_LOSS_REPORT_H */
