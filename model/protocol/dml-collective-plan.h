/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_COLLECTIVE_PLAN_H
#define DML_COLLECTIVE_PLAN_H

#include "dml-step-plan.h"

#include "ns3/dml-collective-algorithm.h"

#include <cstdint>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief Who takes part in the collectives of a job.
 */
struct CollectiveRanks
{
    std::vector<uint32_t> workers; //!< which worker each rank is
    uint32_t all{1};               //!< workers that there are, with those that take no part
    /// Number of each rank's group, for collectives of groups; empty: all ranks are one.
    std::vector<uint32_t> groups{};
};

/**
 * @ingroup dml-protocol
 * @brief Say how the collectives of a plan are done: who sends what to whom, on which channels.
 *
 * Where the algorithm has aggregators, these get a plan of their own (StepPlan::aggregation): their
 * part of the collectives, one after the other in the workers' order, and nothing else.
 * @param algorithm that has been placed
 * @param ranks who takes part
 * @param order rank of each tensor; empty: collectives start as they are listed
 * @param plan with ops, edges and the ops of its collectives; gets channels and schedules
 */
void AddCollectives(const CollectiveAlgorithm& algorithm,
                    const CollectiveRanks& ranks,
                    const std::vector<uint32_t>& order,
                    StepPlan& plan);

} // namespace ns3::dml

#endif /* DML_COLLECTIVE_PLAN_H */
