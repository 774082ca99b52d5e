/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_ASYNCHRONOUS_SYNC_H
#define DML_ASYNCHRONOUS_SYNC_H

#include "dml-sync-policy.h"

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
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();

    // as SyncPolicy does it
};

} // namespace ns3::dml

#endif /* DML_ASYNCHRONOUS_SYNC_H */
