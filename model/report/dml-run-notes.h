/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RUN_NOTES_H
#define DML_RUN_NOTES_H

#include "dml-result-summary.h"

#include <cstdint>
#include <nlohmann/json.hpp>
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

/// @param summary the results @return a note for each configuration whose packets overtook each
/// other on several paths, at most 12, and how many more there are
std::vector<std::string> MakeReorderNotes(const RunSummary& summary);

/// @param summary the results @return a note for each configuration in which TCP collapsed, at most
/// 12, and how many more there are
std::vector<std::string> MakeCollapseNotes(const RunSummary& summary);

/**
 * @ingroup dml-report
 * @brief Say how much of the runs was skipped by `packet.fast_forward`, and how far off that is.
 * @param summary of a study
 * @return two notes; none if no run could skip
 */
std::vector<std::string> MakeSkipNotes(const RunSummary& summary);

/**
 * @brief What runs of `job.steps: auto` did, and what they saved against the most they could do.
 */
struct StopTotals
{
    uint32_t runs{0};       //!< runs that decided themselves
    uint32_t sure{0};       //!< of these: knew their throughput
    uint32_t fewest{0};     //!< steps of a run (of its furthest worker)
    uint32_t most{0};       //!< likewise
    uint64_t steps{0};      //!< of all runs
    uint64_t atMost{0};     //!< steps that all runs together would have done, had none been sure
    double savedSeconds{0}; //!< CPU, each run's own seconds per step times its steps not done

    /// @param run added, if it decided itself
    void Add(const ReplicationSummary& run);
    /// @return share of the steps that were not done, 0 to 1
    double GetSavedShare() const;
};

/// @param stop of a run @return its object in summary.json
nlohmann::ordered_json StopToJson(const StopSummary& stop);

/// @param engine all its replications @return their object in summary.json; null if none decided
nlohmann::ordered_json StopTotalsToJson(const EngineSummary& engine);

/// @param run that decided itself @return CPU seconds that it saved
double GetSavedSeconds(const ReplicationSummary& run);

/// @param summary of a study @return a remark for each configuration with runs that were not sure
std::vector<std::string> MakeStopNotes(const RunSummary& summary);

/// @param summary of a study @return what its runs saved, a line for each engine; may be empty
std::string DescribeSavings(const RunSummary& summary);

} // namespace ns3::dml

#endif /* DML_RUN_NOTES_H */
