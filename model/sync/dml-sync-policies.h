/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_SYNC_POLICIES_H
#define DML_SYNC_POLICIES_H

#include "dml-sync-policy.h"

#include "ns3/dml-plugin-kind.h"

namespace ns3::dml
{

/**
 * @ingroup dml-sync
 * @brief ASP: every gradient is an update of its own, and nobody waits for anybody.
 *
 * Source: Dean et al., NIPS 2012; Li et al., ICPE 2020, section 2.
 */
class AsynchronousSync : public SyncPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();
};

/**
 * @ingroup dml-sync
 * @brief BSP: a tensor is updated once per step, when the gradients of all workers are there. A
 * worker goes on when all tensors of its step are updated.
 *
 * A worker that is gone is not waited for.
 *
 * Source: TensorFlow's SyncReplicasOptimizer with replicas_to_aggregate = number of workers.
 */
class BulkSynchronousSync : public SyncPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool Aggregates() const override
    {
        return true;
    }
};

/**
 * @ingroup dml-sync
 * @brief SSP: every gradient is an update of its own; a worker is at most a number of steps ahead
 * of the slowest one.
 *
 * It begins step n when every worker that is there has completed n - Bound steps. With bound 0 all
 * workers are in the same step. A worker that comes back joins the slowest.
 *
 * Source: Ho et al., NIPS 2013, as LB-BSP (Chen et al., SoCC 2020, sections 2.2.1 and 5.1) uses it.
 */
class StaleSynchronousSync : public SyncPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool HasRounds() const override;
    bool MayBegin(uint32_t step, const SyncView& view) const override;
    uint32_t GetJoiningStep(const SyncView& view) const override;

  private:
    uint32_t m_bound{3}; //!< attribute, steps
};

/**
 * @ingroup dml-sync
 * @brief BSP with redundant workers: the first W - Backups gradients of a tensor make the update of
 * a step, those that come later are dropped.
 *
 * Each tensor takes the first gradients that it gets, so tensors of one step may take those of
 * different workers. A worker that comes late finishes its step, for nothing, and goes on when the
 * update is done that takes no more gradients, with the first step that still takes some.
 *
 * Source: Chen et al., "Revisiting distributed synchronous SGD", 2016; TensorFlow's
 * SyncReplicasOptimizer with replicas_to_aggregate below the number of workers.
 */
class BackupWorkersSync : public SyncPolicy
{
  public:
    /// @return the object TypeId
    static TypeId GetTypeId();

    bool Aggregates() const override
    {
        return true;
    }

    uint32_t GetQuorum(const SyncView& view) const override;

  private:
    uint32_t m_backups{1}; //!< attribute, workers
};

/// @return the synchronisations that `job.sync` may choose
const PluginKind& SyncPolicies();

/// @param policy any @return whether workers ever wait for others
bool MakesWorkersWait(const SyncPolicy& policy);

/// @param policy any @return whether every update of a step waits for the gradients of all workers,
/// however many
bool WaitsForAll(const SyncPolicy& policy);

} // namespace ns3::dml

#endif /* DML_SYNC_POLICIES_H */
