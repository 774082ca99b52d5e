/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BACKUP_WORKERS_SYNC_H
#define DML_BACKUP_WORKERS_SYNC_H

#include "dml-sync-policy.h"

namespace ns3::dml
{

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool Aggregates() const override;
    uint32_t GetQuorum(const SyncView& view) const override;

  private:
    uint32_t m_backups{1}; //!< attribute, workers
};

} // namespace ns3::dml

#endif /* DML_BACKUP_WORKERS_SYNC_H */
