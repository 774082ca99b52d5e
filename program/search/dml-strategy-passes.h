/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STRATEGY_PASSES_H
#define DML_STRATEGY_PASSES_H

#include "dml-gradient-timeline.h"
#include "dml-path-search.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// Ops that a strategy fuses.
struct NamedFusion
{
    std::vector<std::string> ops; //!< of the profile, in the order in which they run
    double saving{0};             //!< s
};

/// A way to send the parameters and gradients of a step.
struct Strategy
{
    std::string name;                   //!< for people, "DDP, 8 MiB"
    std::vector<std::string> settings;  //!< of a scenario, each "key.path=value"
    std::string configuration;          //!< what a framework is told so, or empty
    bool isDefault{false};              //!< what a framework does unless it is told otherwise
    std::vector<NamedFusion> fusions{}; //!< of ops of the profile
};

/// What strategies are proposed for.
struct SearchTask
{
    uint32_t servers{0};                      //!< parameter servers; 0: all-reduce
    GradientTimeline timeline;                //!< of all-reduce
    FusionModel model;                        //!< of all-reduce
    SearchShortcuts shortcuts;                //!< of the search along the critical path
    Ptr<const CollectiveAlgorithm> algorithm; //!< of all-reduce
    std::string note;                         //!< what passes tell the user, in lines
};

/**
 * @ingroup dml-search
 * @brief A kind of strategies. A new one is a function that proposes some, and a line in the list
 * of GetStrategyPasses().
 */
struct StrategyPass
{
    std::string name; //!< "ddp", as the manual says what it proposes
    bool servers;     //!< for jobs with parameter servers, else for all-reduce
    std::vector<Strategy> (*propose)(SearchTask& task); //!< some strategies
};

/// Most gradients of which all groups of neighbours are tried.
constexpr std::size_t MOST_EXHAUSTIVE = 8;

/// @return all passes
const std::vector<StrategyPass>& GetStrategyPasses();

/// @param task to be done @return what all passes for it propose
std::vector<Strategy> ProposeStrategies(SearchTask& task);

/// @param timeline of a step @param groups ends of groups @return value of `job.gradient_groups`
std::string WriteGroups(const GradientTimeline& timeline, const std::vector<std::size_t>& groups);

} // namespace dml
} // namespace ns3

#endif /* DML_STRATEGY_PASSES_H */
