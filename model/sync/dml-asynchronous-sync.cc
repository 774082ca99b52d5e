/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-asynchronous-sync.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(AsynchronousSync);

TypeId
AsynchronousSync::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::AsynchronousSync")
                            .SetParent<SyncPolicy>()
                            .SetGroupName("Dml")
                            .AddConstructor<AsynchronousSync>();
    return tid;
}

} // namespace ns3::dml
