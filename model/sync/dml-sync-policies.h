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

/// @return the synchronisations that `job.sync` may choose
const PluginKind& SyncPolicies();

/// @param policy any @return whether workers ever wait for others
bool MakesWorkersWait(const SyncPolicy& policy);

/// @param policy any @return whether every update of a step waits for the gradients of all workers,
/// however many
bool WaitsForAll(const SyncPolicy& policy);

} // namespace ns3::dml

#endif /* DML_SYNC_POLICIES_H */
