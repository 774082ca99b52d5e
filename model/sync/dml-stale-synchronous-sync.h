/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_STALE_SYNCHRONOUS_SYNC_H
#define DML_STALE_SYNCHRONOUS_SYNC_H

#include "dml-sync-policy.h"

namespace ns3::dml
{

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    bool HasRounds() const override;
    bool MayBegin(uint32_t step, const SyncView& view) const override;
    uint32_t GetJoiningStep(const SyncView& view) const override;

  private:
    uint32_t m_bound{3}; //!< attribute, steps
};

} // namespace ns3::dml

#endif /* DML_STALE_SYNCHRONOUS_SYNC_H */
