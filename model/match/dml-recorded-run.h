/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_RECORDED_RUN_H
#define DML_RECORDED_RUN_H

#include "dml-step-transfer.h"

#include "ns3/dml-flow-network.h"
#include "ns3/dml-run-observer.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dml
{

/// A stretch of time in which TCP sent something again.
struct Resend
{
    uint32_t worker{0}; //!< one end of the connection
    uint32_t server{0}; //!< the other end
    bool pull{true};    //!< whether the server sent it; else the worker
    double from{0};     //!< s, exclusive
    double to{0};       //!< s, inclusive
};

/**
 * @ingroup dml-match
 * @brief What is known of a recorded run beyond its steps: what effects look at.
 */
struct RecordedRun
{
    std::vector<StepRecord> steps;                     //!< in the order of their begin
    std::vector<std::vector<TimedTransfer>> transfers; //!< by step
    uint32_t servers{1};                               //!< number of them
    FlowNetwork links;                                 //!< capacities and routes
    std::vector<uint64_t> tensors;                     //!< bytes of each
    std::vector<Resend> resends;                       //!< in any order
    bool hasResends{false};                            //!< whether these were recorded
};

/// A stretch of time: begin and end, s.
using Phase = std::pair<double, double>;

/// Phases of each step of a run.
struct StepPhases
{
    /// @param run with transfers
    explicit StepPhases(const RecordedRun& run);

    std::vector<Phase> pulls;  //!< by step: from its begin until its last parameter is there
    std::vector<Phase> pushes; //!< by step: from then to its end
};

/// @param phases any @return the begin of each, s
std::vector<double> ListBegins(const std::vector<Phase>& phases);

/**
 * @param instants s
 * @param phases any
 * @return by instant, how many phases had begun then and not ended yet; one that begins at this
 * instant counts, also if it takes no time
 */
std::vector<uint32_t> CountUnderWay(const std::vector<double>& instants,
                                    const std::vector<Phase>& phases);

/// @param phases any @return by phase, how many others were under way when it began
std::vector<uint32_t> CountOthers(const std::vector<Phase>& phases);

/// @param number of workers @return the fewest and the most of those that reports do not tell
/// apart from it: 0, 1, 2, 3 to 4, 5 to 8, and so on
std::pair<uint32_t, uint32_t> ChooseCountClass(uint32_t number);

} // namespace ns3::dml

#endif /* DML_RECORDED_RUN_H */
