/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STRATEGY_PASSES_H
#define DML_STRATEGY_PASSES_H

#include "dml-gradient-timeline.h"

#include <string>
#include <vector>

namespace ns3
{
namespace dml
{

/// A way to reduce the gradients of a step.
struct Strategy
{
    std::string name;          //!< for people, "DDP, 8 MiB"
    std::string groups;        //!< value of `job.gradient_groups`
    std::string configuration; //!< what a framework is told so, or empty
    bool isDefault{false};     //!< what a framework does unless it is told otherwise
};

/**
 * @ingroup dml-search
 * @brief A kind of strategies. A new one is a function that proposes some, and a line in the list
 * of GetStrategyPasses().
 */
struct StrategyPass
{
    std::string name; //!< "ddp", as the manual says what it proposes
    std::vector<Strategy> (*propose)(const GradientTimeline& timeline); //!< some strategies
};

/// Most gradients of which all groups of neighbours are tried.
constexpr std::size_t MOST_EXHAUSTIVE = 8;

/// @return all passes
const std::vector<StrategyPass>& GetStrategyPasses();

/// @param timeline of a step @param groups ends of groups @return value of `job.gradient_groups`
std::string WriteGroups(const GradientTimeline& timeline, const std::vector<std::size_t>& groups);

} // namespace dml
} // namespace ns3

#endif /* DML_STRATEGY_PASSES_H */
