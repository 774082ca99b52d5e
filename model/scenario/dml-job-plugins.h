/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DML_JOB_PLUGINS_H
#define DML_JOB_PLUGINS_H

#include "dml-scenario.h"

#include "ns3/dml-protocol.h"
#include "ns3/object-factory.h"

namespace ns3::dml
{

/// @param sync of a job @return a factory of its SyncPolicy
ObjectFactory MakeSyncFactory(const SyncSpec& sync);

/// @param job of a scenario @return whether switches add up for it, where it has several workers
bool UsesAggregators(const JobSpec& job);

/// @param job of a scenario @return whether its protocol is ShardedProtocol
bool IsSharded(const JobSpec& job);

/// @param job of a scenario @return its protocol
Ptr<Protocol> MakeProtocol(const JobSpec& job);

} // namespace ns3::dml

#endif /* DML_JOB_PLUGINS_H */
