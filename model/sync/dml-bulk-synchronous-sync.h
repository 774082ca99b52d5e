/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_BULK_SYNCHRONOUS_SYNC_H
#define DML_BULK_SYNCHRONOUS_SYNC_H

#include "dml-sync-policy.h"

namespace ns3::dml
{

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool Aggregates() const override;
};

} // namespace ns3::dml

#endif /* DML_BULK_SYNCHRONOUS_SYNC_H */
