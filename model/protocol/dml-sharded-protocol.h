/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SHARDED_PROTOCOL_H
#define DML_SHARDED_PROTOCOL_H

#include "dml-collective-protocol.h"
#include "dml-shard-gathers.h"

#include <string>
#include <vector>

namespace ns3::dml
{

/**
 * @ingroup dml-protocol
 * @brief Sharded data parallelism: each worker keeps a shard of what data parallelism keeps on all.
 *
 * Stage 1 shards the state of the optimizer, stage 2 gradients too, stage 3 parameters too
 * (Rajbhandari et al., "ZeRO", SC 2020, section 5). The unit of communication is a tensor of the
 * profile, in which groups have been fused. The push of a unit becomes a reduce-scatter, its update
 * takes the part of its time that the shard is of the unit, and waits for all reduce-scatters of
 * the worker.
 *
 * In stages 1 and 2 a unit's parameters are gathered when the worker has updated all its shards;
 * the step ends with that. Both stages send the same at the same times, as gradients are scattered
 * while others are computed, like those of Megatron-LM's distributed optimizer, which is stage 1.
 *
 * Stage 3 is PyTorch's FullyShardedDataParallel (Zhao et al., VLDB 2023): a unit's parameters are
 * gathered before the first op of forward propagation that waits for its pull, and, with
 * ReshardAfterForward, again before its back-propagation. See FindUsesOfUnits() for which ops need
 * a unit. Collectives start in one fixed order, that in which a process that executes the profile's
 * ops one after the other issues them.
 *
 * With Hybrid, shards are of the workers of one rack, where racks are hosts if workers share these;
 * workers with the same shard then reduce it among themselves, on a communicator of their own.
 */
class ShardedProtocol : public CollectiveProtocol
{
  public:
    /// Names of BackwardPrefetch, in its order.
    static const std::vector<std::string> PREFETCHES;

    /// @return the object TypeId
    static TypeId GetTypeId();

    /// @return the plan @throws InputError too if Hybrid finds racks with different numbers of
    /// workers, or BackwardPrefetch has no meaning
    StepPlan MakePlan(const Profile& profile, const ProtocolSetting& setting) const override;

    /// @return stage 1, 2 or 3
    uint32_t GetStage() const
    {
        return m_stage;
    }

    /// @return whether shards are of the workers of one rack
    bool IsHybrid() const
    {
        return m_hybrid;
    }

  private:
    uint32_t m_stage{3};                          //!< attribute
    bool m_reshard{true};                         //!< attribute
    std::string m_prefetch{"pre"};                //!< attribute
    uint32_t m_limit{GatherRules::DEFAULT_LIMIT}; //!< attribute
    bool m_hybrid{false};                         //!< attribute
};

} // namespace ns3::dml

#endif /* DML_SHARDED_PROTOCOL_H */
