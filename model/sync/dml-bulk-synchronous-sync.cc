/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-bulk-synchronous-sync.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(BulkSynchronousSync);

TypeId
BulkSynchronousSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::BulkSynchronousSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<BulkSynchronousSync>();
    return tid;
}

bool
BulkSynchronousSync::Aggregates() const
{
    return true;
}

} // namespace ns3::dml
