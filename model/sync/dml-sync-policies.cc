/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-sync-policies.h"

#include "dml-asynchronous-sync.h"
#include "dml-backup-workers-sync.h"
#include "dml-bulk-synchronous-sync.h"
#include "dml-stale-synchronous-sync.h"

namespace ns3::dml
{

const PluginKind&
SyncPolicies()
{
    static const PluginKind KIND("synchronisation",
                                 &SyncPolicy::GetTypeId,
                                 {{"async", &AsynchronousSync::GetTypeId, {}},
                                  {"bsp", &BulkSynchronousSync::GetTypeId, {}},
                                  {"ssp", &StaleSynchronousSync::GetTypeId, {}},
                                  {"backup", &BackupWorkersSync::GetTypeId, {}}});
    return KIND;
}

bool
MakesWorkersWait(const SyncPolicy& policy)
{
    constexpr uint32_t FAR_AHEAD = UINT32_MAX - 1; // steps
    return policy.Aggregates() || policy.HasRounds() || !policy.MayBegin(FAR_AHEAD, {2, 2, 0});
}

bool
WaitsForAll(const SyncPolicy& policy)
{
    constexpr uint32_t MANY = 1000000000; // workers
    return policy.Aggregates() && policy.GetQuorum({MANY, MANY, 0}) >= MANY;
}

} // namespace ns3::dml
