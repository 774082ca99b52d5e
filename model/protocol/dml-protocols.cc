/*
 * Copyright (c) 2026 The dml authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dml-protocols.h"

#include "dml-all-reduce-protocol.h"
#include "dml-push-pull-protocol.h"
#include "dml-run-graph-protocol.h"
#include "dml-sharded-protocol.h"

namespace ns3::dml
{

NS_OBJECT_ENSURE_REGISTERED(Protocol);

TypeId
Protocol::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dml::Protocol").SetParent<Object>().SetGroupName("Dml");
    return tid;
}

const PluginKind&
Protocols()
{
    static const PluginKind KIND("protocol",
                                 &Protocol::GetTypeId,
                                 {{"run-graph", &RunGraphProtocol::GetTypeId, {}},
                                  {"push-pull", &PushPullProtocol::GetTypeId, {}},
                                  {"all-reduce", &AllReduceProtocol::GetTypeId, {}},
                                  {"sharded", &ShardedProtocol::GetTypeId, {}}});
    return KIND;
}

} // namespace ns3::dml
