/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STRATEGY_PASSES_H
#define DML_STRATEGY_PASSES_H

#include "dml-gradient-timeline.h"
#include "dml-memory-question.h"
#include "dml-path-search.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3::dml
{

/// A way to compute a step, or to send its parameters and gradients.
struct Strategy
{
    std::string name;                  //!< for people, "DDP, 8 MiB"
    std::vector<std::string> settings; //!< of a scenario, each "key.path=value"
    std::string configuration;         //!< what a framework is told so, or empty
    bool isDefault{false};             //!< what a framework does unless it is told otherwise
    /// What it makes of the job's profile; empty: nothing.
    std::function<Profile(const Profile&)> rewrite{};
    uint64_t peak{0}; //!< bytes that a worker holds, of strategies for memory
};

/// What strategies are proposed for.
struct SearchTask
{
    uint32_t servers{0};                      //!< parameter servers; 0: all-reduce
    bool hasWindows{true};                    //!< of HTTP/2, which orders switch off
    GradientTimeline timeline;                //!< of all-reduce
    FusionModel model;                        //!< of all-reduce
    SearchShortcuts shortcuts;                //!< of the search along the critical path
    Ptr<const CollectiveAlgorithm> algorithm; //!< of all-reduce
    double scale{1};                          //!< of the job, that its profile does not have
    double slowness{1}; //!< seconds of the workers' devices over those of the profile, their mean
    std::shared_ptr<const MemoryQuestion> memory; //!< of a worker, of strategies for memory
    std::string note;                             //!< what passes tell the user, in lines
};

/// What a strategy is for.
enum class StrategyUse : uint8_t
{
    MEMORY,     //!< a worker's memory
    ALL_REDUCE, //!< collectives
    SERVERS,    //!< transfers to and from parameter servers
};

/// @param task to be done @param use what for @return what all passes for that propose
std::vector<Strategy> ProposeStrategies(SearchTask& task, StrategyUse use);

/// @param timeline of a step @param groups ends of groups @return value of `job.gradient_groups`
std::string WriteGroups(const GradientTimeline& timeline, const std::vector<std::size_t>& groups);

} // namespace ns3::dml

#endif /* DML_STRATEGY_PASSES_H */
