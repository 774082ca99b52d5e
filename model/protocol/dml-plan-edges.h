/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_PLAN_EDGES_H
#define DML_PLAN_EDGES_H

#include "dml-step-plan.h"

#include <utility>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief What waits for what in a plan: pairs of an op and one that waits for it.
 */
struct PlanEdges
{
    using Edge = std::pair<OpIndex, OpIndex>; //!< before, after

    std::vector<Edge> inStep; //!< within a step
    std::vector<Edge> toNext; //!< from an op of a step to one of the next step
};

/**
 * @brief Fill counts, dependents, roots, owners and localOps of a plan.
 * @param plan with ops of no edges yet, whose `dependencies` count what is no op; where steps do
 * not overlap, `begins` is set for ops that wait for nothing
 * @param edges in any order, repeated ones have no effect
 */
void SetPlanEdges(StepPlan& plan, PlanEdges edges);

/**
 * @brief Let an op of a plan wait for all that an op of the profile waits for.
 * @param profile that the plan is made of
 * @param planned by op of the profile: that of the plan; NO_INDEX: there is none, and what would
 *        wait for it waits for what it waits for itself
 * @param op of the profile
 * @param after op of the plan
 * @param edges get those of the op
 */
void AddProfileEdges(const Profile& profile,
                     const std::vector<OpIndex>& planned,
                     OpIndex op,
                     OpIndex after,
                     PlanEdges& edges);

/// @return the edges of a plan
PlanEdges GetPlanEdges(const StepPlan& plan);

} // namespace ns3::dml

#endif /* DML_PLAN_EDGES_H */
