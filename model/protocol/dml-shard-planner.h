/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARD_PLANNER_H
#define DML_SHARD_PLANNER_H

#include "dml-plan-edges.h"
#include "dml-shard-gathers.h"
#include "dml-shard-units.h"
#include "dml-step-plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dml
{

/// How a ShardPlanner plans: see ShardedProtocol.
struct ShardOptions
{
    GatherRules gathers{};   //!< when units are gathered
    uint32_t shards{1};      //!< of a unit
    bool hybrid{false};      //!< shards are reduced between groups of workers
    uint32_t collectives{0}; //!< resource where collectives queue
    uint32_t across{0};      //!< with hybrid: where those between groups queue
    uint32_t devices{0};     //!< resource of the first device
};

/**
 * @ingroup dml-protocol
 * @brief Makes the ops of a sharded step, what they wait for, and the order of its collectives.
 */
class ShardPlanner
{
  public:
    /**
     * @param options how
     * @param profile a valid profile; must outlive this
     * @param plan with the resources of a worker; must outlive this
     * @throws InputError if stage 3 finds uses of units that it cannot plan
     */
    ShardPlanner(const ShardOptions& options, const Profile& profile, StepPlan& plan);

    /// Add the ops to the plan.
    void AddOps();

    /// @return what waits for what
    PlanEdges ListEdges() const;

    /// @return the collectives in the order in which they start
    std::vector<PlannedCollective> ListCollectives() const;

  private:
    void AddUpdatedEdges(PlanEdges& edges) const;
    OpIndex Add(const PlannedOp& op, const std::string& name);
    PlannedOp MakeCollective(OpIndex profileOp, TensorIndex tensor, uint32_t resource) const;

    const ShardOptions m_options;       //!< how
    const Profile& m_profile;           //!< of the job
    StepPlan& m_plan;                   //!< under construction
    std::vector<ShardUnit> m_units;     //!< by listing
    std::vector<ShardGather> m_gathers; //!< in the order in which they are issued
    std::vector<OpIndex> m_gatherOps;   //!< these in the plan
    std::vector<OpIndex> m_planned;     //!< by op of the profile; NO_INDEX: left out
    std::vector<OpIndex> m_reduces;     //!< by unit: the reduce-scatter; NO_INDEX: none
    std::vector<OpIndex> m_across;      //!< by unit: the all-reduce of the shard; NO_INDEX: none
    OpIndex m_reduced{NO_INDEX};        //!< done when all shards of gradients are there
    OpIndex m_updated{NO_INDEX};        //!< done when all shards of parameters are; stages 1 and 2
};

} // namespace ns3::dml

#endif /* DML_SHARD_PLANNER_H */
